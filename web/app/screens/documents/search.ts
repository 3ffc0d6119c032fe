import type { DocumentProgressList } from '#sdk/types.ts';
import { type LayoutKind, layoutKindNames } from '#server/formats/layout-kinds.ts';
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

/** Reads the URL of the list; invalid parameters are ignored. */
export function readDocumentFilter(search: Record<string, unknown>): DocumentFilter {
  const state = fileStates.find((one) => one === search['state']);
  const format = layoutKindNames.find((one) => one === search['format']);
  const to = typeof search['to'] === 'string' ? canonicalLanguage(search['to']) : undefined;
  const text = searchedText(search['text']);
  return { ...(state && { state }), ...(format && { format }), ...(to && { to }), ...(text && { text }) };
}

/** The progress of a document. */
export type Progress = DocumentProgressList['documents'][number];
