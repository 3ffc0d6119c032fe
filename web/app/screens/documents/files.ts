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

export function stateOf({ status, approved_at }: Pick<FileView, 'status' | 'approved_at'>): FileState {
  if (status === 'failed') return 'failed';
  if (status !== 'translated') return 'translating';
  return approved_at === null ? 'needs_review' : 'approved';
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
    const isApproved = file.approved_at !== null;
    sum.total += file.segments;
    sum.confirmed += isApproved ? file.segments : file.confirmed;
    sum.critical += isApproved ? 0 : file.critical;
    sum.flagged += isApproved ? 0 : file.flagged;
  }
  return sum;
}

/** A part of a whole in percent, below 100 until it is complete. */
export function percentOf(part: number, total: number): number {
  return total === 0 ? 0 : Math.floor((100 * part) / total);
}
