import type { DocumentProgressList } from '#sdk/types.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { canonicalLanguage } from '#server/languages.ts';
import { searchedText } from '../../parts/searched-text.ts';
import { type FileState, fileStates } from './files.ts';

/** The stored statuses of a document. */
export const documentStatuses = ['queued', 'extracted', 'translated', 'failed'] as const;

export type KnownDocumentStatus = (typeof documentStatuses)[number];

/** The parameters in the URL of the list. */
export interface DocumentFilter {
  state?: FileState;
  format?: LayoutKind;
  /** The language of the translation. */
  to?: string;
  text?: string;
}

/**
 * Reads the URL of the list; invalid parameters are ignored. The screen ignores unknown formats: their table is not loaded
 * with the first page.
 */
export function readDocumentFilter(
  search: Record<string, unknown>,
): Omit<DocumentFilter, 'format'> & { format?: string } {
  const state = fileStates.find((one) => one === search['state']);
  const format = typeof search['format'] === 'string' ? search['format'].slice(0, 20) : undefined;
  const to = typeof search['to'] === 'string' ? canonicalLanguage(search['to']) : undefined;
  const text = searchedText(search['text']);
  return { ...(state && { state }), ...(format && { format }), ...(to && { to }), ...(text && { text }) };
}

/** The progress of a document. */
export type Progress = DocumentProgressList['documents'][number];
