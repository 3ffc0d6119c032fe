import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { queryKeys } from '../query-keys.ts';
import { keepEdits, nextOpening, type Opening } from './kept-edits.ts';
import { segmentAt, storeSegments } from './segment-cache.ts';
import type { Segment } from './segment-filter.ts';
import { type Edit, SegmentSaves } from './segment-saves.ts';
import { hasTags, plainOf, readContent, textsOf } from './tagged-text.ts';
import { useLeaving } from './use-leaving.ts';
import { readSegments } from './use-segments.ts';
import { useRevert, useStack } from './use-undo.ts';

/** Milliseconds from a decision until the counts are loaded again. */
const countAfter = 300;

/**
 * The reviewer's edits of a document, and the decisions that can be undone: those of this visit, the latest last.
 * @param language the language of the translation
 * @returns `undo` reverts the latest decision; `redo` applies the latest undone one again
 */
export function useDecisions(documentId: string, language: string) {
  const t = useT();
  const queries = useQueryClient();
  const [done, setDone, doneNow] = useStack<string>();
  const [, setUndone, undoneNow] = useStack<string>();
  const refresh = useCallback(() => {
    setTimeout(() => {
      void queries.invalidateQueries({ queryKey: queryKeys.documents.outline(documentId) });
      void queries.invalidateQueries({ queryKey: queryKeys.documents.issues(documentId) });
      void queries.invalidateQueries({ queryKey: queryKeys.documents.allHistory(documentId) });
    }, countAfter);
  }, [queries, documentId]);
  const [opening] = useState((): Opening => ({ documentId, opening: nextOpening(), language }));
  const [saves] = useState(
    () =>
      new SegmentSaves({
        async send({ edits, reason }, signal) {
          const texts = await sentTexts(queries, documentId, edits);
          const saving = client.documents.save(
            {
              document_id: documentId,
              segments: Array.from(edits, ([position, { confirmed }], index) => ({
                position,
                ...(texts[index] as SentText),
                confirmed,
              })),
              repeat: [...edits.values()].some(({ confirmed, isOnlyHere }) => confirmed && !isOnlyHere),
              ...(reason && { confirm_critical: true, reason }),
            },
            { signal },
          );
          const { change_id, segments } = await saving.catch(async (error: unknown) => {
            // A colleague has changed a segment: the reviewer must see its present state, and can take it over.
            if (error instanceof LinguaLoopError && error.code === 'conflict')
              await showPresent(queries, documentId, edits, error);
            throw error;
          });
          storeSegments(queries, documentId, segments);
          return { changeId: change_id, positions: segments.map(({ position }) => position) };
        },
        onSaved({ edits }, { changeId, positions }) {
          if (changeId !== null && [...edits.values()].some(({ confirmed }) => confirmed)) {
            setDone((before) => [...before, changeId]);
            setUndone(() => []);
          }
          const repeated = positions.length - edits.size;
          if (repeated > 0) announce(t('editor.repeated', { count: repeated }));
          refresh();
        },
        onChange: keepEdits(opening, (position) => segmentAt(queries, documentId, position)?.source_text),
      }),
  );
  useLeaving(saves);

  const revert = useRevert(saves);
  /** Undoes a change, or applies an undone one again. */
  const change = async (
    id: string,
    call: typeof client.documents.undo,
    said: 'editor.undone_said' | 'editor.redone_said',
  ): Promise<void> => {
    const { segments } = await call({ document_id: documentId, change_id: id });
    storeSegments(queries, documentId, segments);
    announce(t(said, { count: segments.length }));
    refresh();
  };
  return {
    saves,
    opening,
    canUndo: done.length > 0,
    /** Adds a change that another part of the editor made; null if nothing changed. */
    remember(changeId: string | null) {
      if (changeId === null) return;
      setDone((before) => [...before, changeId]);
      refresh();
    },
    undo: () =>
      revert([doneNow, setDone], async (id) => {
        await change(id, client.documents.undo, 'editor.undone_said');
        setUndone((before) => [...before, id]);
      }),
    redo: () =>
      revert([undoneNow, setUndone], async (id) => {
        await change(id, client.documents.redo, 'editor.redone_said');
        setDone((before) => [...before, id]);
      }),
  };
}

/** The texts of a request: the plain ones, and the translation with its tags if the segment has some. */
interface SentText {
  target_text: string;
  replaces: string | null;
  target_content?: InlineContent;
}

/** Converts the texts of fields to those of a request. */
async function sentTexts(
  queries: QueryClient,
  documentId: string,
  edits: ReadonlyMap<number, Edit>,
): Promise<SentText[]> {
  const segments = new Map<number, Segment | undefined>();
  for (const position of edits.keys()) segments.set(position, segmentAt(queries, documentId, position));
  // Restored edits may have segments that are not loaded.
  const unknown = [...edits].filter(([position, { text }]) => !segments.get(position) && hasTags(text));
  for (const segment of await readSegments(
    documentId,
    unknown.map(([position]) => position),
  ))
    segments.set(segment.position, segment);
  return Array.from(edits, ([position, { text, replaces }]) => {
    const segment = segments.get(position);
    const source = segment?.source_content;
    if (!segment || !source) return { target_text: text, replaces };
    const content = readContent(text, source);
    return {
      target_text: plainOf(text, source),
      target_content: content,
      replaces:
        replaces === null || replaces === textsOf(segment).target
          ? segment.target_text
          : plainOf(replaces, source),
    };
  });
}

/** Shows what a colleague has stored, and adds its tags to the error. */
async function showPresent(
  queries: QueryClient,
  documentId: string,
  edits: ReadonlyMap<number, Edit>,
  { present }: LinguaLoopError,
): Promise<void> {
  const segments = await readSegments(documentId, [...edits.keys()]).catch(() => []);
  storeSegments(queries, documentId, segments);
  for (const one of present as { position: number; target_text: string | null }[]) {
    const segment = segments.find(({ position }) => position === one.position);
    if (segment && segment.target_text === one.target_text) one.target_text = textsOf(segment).target;
  }
}
