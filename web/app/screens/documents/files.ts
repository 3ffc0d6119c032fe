import type { FileView } from '#sdk/file-types.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';

/** The states of files, as the filter names them. */
export const fileStates = ['translating', 'needs_review', 'approved', 'failed'] as const;

export type FileState = (typeof fileStates)[number];

/** A file with its translations into several languages, the last changed first. */
export interface FileGroup {
  /** The ID of the last changed translation. */
  id: string;
  name: string;
  format: LayoutKind;
  translations: readonly [FileView, ...FileView[]];
}

/** Returns the files with their translations: files with the same name and content are one file. */
export function groupFiles(files: readonly FileView[]): FileGroup[] {
  const groups = Map.groupBy(files, ({ id, source_file_name, source_key }) =>
    source_key === null ? id : `${source_key} ${source_file_name}`,
  );
  return [...groups.values()].map((found) => {
    const translations = found as [FileView, ...FileView[]];
    const { id, source_file_name: name, source_format: format } = translations[0];
    return { id, name, format, translations };
  });
}

type Approvable = Pick<FileView, 'status' | 'approved_at' | 'changed_since_approval'>;

export function stateOf(file: Approvable): FileState {
  if (file.status === 'failed') return 'failed';
  if (file.status !== 'translated') return 'translating';
  return isApproved(file) ? 'approved' : 'needs_review';
}

/** Whether a file is approved as it is now: a file that was changed since its approval is a draft. */
export function isApproved(file: Omit<Approvable, 'status'>): boolean {
  return file.approved_at !== null && file.changed_since_approval === null;
}

export function isTranslated({ status }: Pick<FileView, 'status'>): boolean {
  return status === 'translated';
}

/** The parts of a file's segments, over all translations that exist. */
export interface Shares {
  total: number;
  confirmed: number;
  critical: number;
  flagged: number;
}

/** Counts the segments of translations; all segments of an approved one are confirmed. */
export function sharesOf(translations: readonly FileView[]): Shares {
  const sum: Shares = { total: 0, confirmed: 0, critical: 0, flagged: 0 };
  for (const file of translations.filter(isTranslated)) {
    const approved = isApproved(file);
    sum.total += file.segments;
    sum.confirmed += approved ? file.segments : file.confirmed;
    sum.critical += approved ? 0 : file.critical;
    sum.flagged += approved ? 0 : file.flagged;
  }
  return sum;
}

/** A part of a whole in percent, below 100 until it is complete. */
export function percentOf(part: number, total: number): number {
  return total === 0 ? 0 : Math.floor((100 * part) / total);
}
