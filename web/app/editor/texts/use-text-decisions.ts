import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { loadWords, useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { wordsOf } from '../../parts/problem-words.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import { type Reason, SegmentSaves } from '../segment-saves.ts';
import { useLeaving } from '../use-leaving.ts';
import { isFinal, useRevert, useStack } from '../use-undo.ts';
import { type Decision, ownDecisions, reloadTexts, reopenTogether } from './decide-together.ts';
import { decideAgain, parallel, sendReview } from './send-review.ts';
import { TextDrafts } from './text-drafts.ts';
import type { TextList } from './text-list.ts';
import { workedAt } from './work-time.ts';

/** A decision of this visit. */
interface Decided extends Decision {
  /** Decisions are undone in the order in which they were sent: the response to an earlier one may arrive later. */
  turn: number;
}

/** A decision that was undone, and the versions of its texts since then, by job ID. */
interface Undone extends Decided {
  versions: ReadonlyMap<string, string>;
}

/** Milliseconds after the last keystroke until a draft is saved. */
const pause = 2000;

/**
 * The reviewer's edits of texts, and the decisions of this visit, which can be undone. Confirmations of earlier visits that
 * are only on this device are sent first.
 * @param isLoaded whether the list has its first texts
 * @returns `undo` reopens the texts of the latest decision; `redo` decides again about those that were undone last
 */
export function useTextDecisions(list: TextList, isLoaded: boolean) {
  const t = useT();
  const [drafts] = useState(() => new TextDrafts());
  const [done, setDone, doneNow] = useStack<Decided>();
  const [, setUndone, undoneNow] = useStack<Undone>();
  const nextTurn = useRef(0);
  /** The turns in which texts were last sent, by job ID. */
  const [turns] = useState(() => new Map<string, number>());
  const remember = (decided: Decision, turn = nextTurn.current++) => {
    if (decided.ids.length === 0) return;
    setDone((before) => [...before, { ...decided, turn }].sort((one, other) => one.turn - other.turn));
    setUndone(() => []);
    void queryClient.invalidateQueries({ queryKey: queryKeys.reviews.inbox });
  };
  const [saves] = useState(
    () =>
      new SegmentSaves({
        maxPerRequest: 1,
        parallel,
        pause,
        async send({ edits, reason }) {
          const [entry] = edits;
          if (!entry) throw new Error('a request without edits');
          const [position, { text, replaces, confirmed }] = entry;
          const { id } = list.at(position);
          turns.set(id, nextTurn.current++);
          const review = { text, replaces, workedMs: workedAt(id) };
          try {
            await sendReview(list, position, {
              ...review,
              action: confirmed ? 'approve' : 'save',
              ...(reason && { confirmCritical: true, notes: notesOf(reason, t) }),
            });
          } catch (error) {
            if (!confirmed || !needsSecondReview(error)) throw error;
            // The confirmation of a first reviewer passes the text on, with the draft.
            await sendReview(list, position, { ...review, action: 'save' });
            await passOn(id);
            announce(t('assignments.passed'));
            return { changeId: null, positions: [position] };
          }
          return { changeId: confirmed ? id : null, positions: [position] };
        },
        onSaved: (_, { changeId }) =>
          changeId !== null && remember({ ids: [changeId], action: 'approve' }, turns.get(changeId)),
        onChange: (position, edit) => drafts.keep(list.at(position), edit),
      }),
  );
  useLeaving(saves);
  const sendEarlier = useEffectEvent(() => {
    drafts.sendConfirmed(list, saves).then(
      (count) => count > 0 && announce(t('editor.found_sent', { count })),
      // The service or the storage of the browser cannot be reached: the drafts stay for the next visit.
      () => undefined,
    );
  });
  useEffect(() => {
    if (isLoaded) sendEarlier();
  }, [isLoaded]);
  const revert = useRevert(saves);
  return {
    saves,
    drafts,
    canUndo: done.length > 0,
    remember,
    /** Rejects a text. @throws LinguaLoopError */
    async reject(position: number, notes: string) {
      const { id } = list.at(position);
      await saves.flush();
      const text = list.at(position).target_text;
      await sendReview(list, position, {
        action: 'reject',
        text: text ?? '',
        replaces: text,
        notes,
        workedMs: workedAt(id),
      });
      saves.drop(position);
      remember({ ids: [id], action: 'reject', notes });
    },
    undo: () =>
      revert([doneNow, setDone], async (decided) => {
        const { action, isUncertain } = decided;
        const ids = isUncertain ? ownDecisions(await reloadTexts(list, decided.ids), action) : decided.ids;
        const { versions, problem } = await reopenTogether(ids, action);
        await reloadTexts(list, ids);
        // Without a response, the next undo continues.
        if (problem !== undefined && !isFinal(problem)) throw problem;
        if (versions.size > 0) setUndone((before) => [...before, { ...decided, ids, versions }]);
        if (problem !== undefined) throw problem;
        announce(t('editor.undone_said', { count: versions.size }));
      }),
    redo: () =>
      revert([undoneNow, setUndone], async ({ versions, ...decided }) => {
        for (const [id, version] of versions) await decideAgain(list, { id, version }, decided);
        setDone((before) => [...before, decided]);
        announce(t('editor.redone_said', { count: versions.size }));
      }),
  };
}

/** Whether the service rejected an approval because the first reviewer passes the text on instead. */
function needsSecondReview(error: unknown): boolean {
  return error instanceof LinguaLoopError && wordsOf(error).id === 'problems.second_review_needed';
}

async function passOn(id: string): Promise<void> {
  const { service } = await import('../../assignments/colleagues.ts');
  await loadWords('assignments');
  await service.pass({ kind: 'job', id });
  void queryClient.invalidateQueries({ queryKey: queryKeys.assignments.all });
}

/** The reason as notes of the review, which the history of the text shows. */
function notesOf({ code, note }: Reason, t: ReturnType<typeof useT>): string {
  return `${t(`editor.reason_${code}`)}: ${note}`;
}
