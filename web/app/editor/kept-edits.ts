import { type DraftItem, dropDraft, keepDraft, sourceExcerpt } from '../drafts/drafts.ts';
import type { Edit } from './segment-saves.ts';

/** An opening of a document, whose edits are kept separately from those of other tabs and of earlier visits. */
export interface Opening {
  documentId: string;
  /** From `nextOpening`. */
  opening: string;
  /** The language of the translation. */
  language: string;
}

/**
 * Stores edits on this device until the service has them, so that a crash loses nothing.
 * @param sourceOf returns the source of a segment; undefined if the segment is not loaded
 * @returns a function to call with each changed edit; undefined deletes the edit from the device
 */
export function keepEdits(
  { documentId, opening, language }: Opening,
  sourceOf: (position: number) => string | undefined,
): (position: number, edit: Edit | undefined) => void {
  const kept = new Map<number, Pick<Edit, 'text' | 'replaces'> & { source: string }>();
  return (position, edit) => {
    const item: DraftItem = { kind: 'segment', id: `${documentId}/${position}/${opening}` };
    const before = kept.get(position);
    if (!edit) {
      kept.delete(position);
      void dropDraft(item);
    } else if (before?.text !== edit.text || before.replaces !== edit.replaces) {
      const source = before?.source ?? sourceOf(position)?.slice(0, sourceExcerpt) ?? '';
      const { text, replaces } = edit;
      kept.set(position, { text, replaces, source });
      keepDraft(item, { text, base: replaces, language, source, changedAt: Date.now() });
    }
  };
}
