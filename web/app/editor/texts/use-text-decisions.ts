import { useEffect, useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { client } from '../../client.ts';
import { holdOpen } from '../../drafts/open-edits.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { problemText } from '../../parts/problem.tsx';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import { type Reason, SegmentSaves } from '../segment-saves.ts';
import { useLeaving } from '../use-leaving.ts';
import { useStack } from '../use-stack.ts';
import { sendReview } from './send-review.ts';
import { TextDrafts } from './text-drafts.ts';
import type { TextList } from './text-list.ts';
import { workedAt } from './work-time.ts';

/** Texts that were decided together, so that they are also undone together. */
interface Decided {
  ids: readonly string[];
  action: 'approve' | 'reject';
  notes?: string;
  /** The number of the decision in this visit. Responses may arrive in another order. */
  turn: number;
}

/** Milliseconds after the last keystroke until a draft is saved. */
const pause = 2000;

/** Reviews that are sent at the same time, so that a slow service does not delay a fast reviewer. */
const parallel = 6;

/** Maximum number of texts that the service lists by ID. */
const maxNamed = 100;

/**
 * The reviewer's edits of texts, and the decisions of this visit, which can be undone.
 * @returns `undo` reopens the texts of the latest decision; `redo` decides again about those that were undone last
 */
export function useTextDecisions(list: TextList) {
  const t = useT();
  const [drafts] = useState(() => new TextDrafts());
  const [done, setDone, doneNow] = useStack<Decided>();
  const [, setUndone, undoneNow] = useStack<Decided>();
  const turns = useRef({ last: 0, of: new Map<string, number>() });
  const nextTurn = () => ++turns.current.last;
  const remember = ({
    turn = nextTurn(),
    ...decided
  }: Omit<Decided, 'turn'> & { turn?: number | undefined }) => {
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
          turns.current.of.set(list.at(position).id, nextTurn());
          const { id } = await sendReview(list, position, {
            action: confirmed ? 'approve' : 'save',
            text,
            replaces,
            ...(reason && { confirmCritical: true, notes: notesOf(reason, t) }),
            workedMs: workedAt(list.at(position).id),
          });
          return { changeId: confirmed ? id : null, positions: [position] };
        },
        onSaved: (_, { changeId }) =>
          changeId !== null &&
          remember({ ids: [changeId], action: 'approve', turn: turns.current.of.get(changeId) }),
        onChange: (position, edit) => drafts.keep(list.at(position), edit),
      }),
  );
  useLeaving(saves);
  useEffect(() => {
    const release = holdOpen(saves);
    return () => {
      void saves.flush().finally(release);
    };
  }, [saves]);

  const reload = async (ids: readonly string[]) => {
    for (let from = 0; from < ids.length; from += maxNamed)
      list.take((await client.reviews.texts({ job_ids: ids.slice(from, from + maxNamed) })).texts);
  };
  const decideAgain = async ({ ids, action, notes }: Decided) => {
    for (const id of ids) {
      const position = list.positionOf(id);
      if (position === undefined) continue;
      const text = list.at(position).target_text;
      await sendReview(list, position, { action, text: text ?? '', replaces: text, notes });
    }
  };
  // Each key press undoes one decision, also if the previous undo is still running.
  const turn = useRef<Promise<unknown>>(undefined);
  const inTurn = (work: () => Promise<void>) => {
    turn.current = Promise.resolve(turn.current).then(work);
  };
  const revert = async (
    stack: { current: readonly Decided[] },
    work: (decided: Decided) => Promise<void>,
  ) => {
    try {
      // The latest decision may be one that is still being sent.
      await saves.flush();
      const decided = stack.current.at(-1);
      if (!decided) return undefined;
      await work(decided);
      return decided;
    } catch (error) {
      announce(problemText(error, t));
      return undefined;
    }
  };
  return {
    saves,
    drafts,
    canUndo: done.length > 0,
    remember,
    reload,
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
      inTurn(async () => {
        const decided = await revert(doneNow, async ({ ids }) => {
          for (const id of ids) await reopen(id);
          await reload(ids);
          announce(t('editor.undone_said', { count: ids.length }));
        });
        if (!decided) return;
        setDone((before) => before.filter((one) => one !== decided));
        setUndone((before) => [...before, decided]);
      }),
    redo: () =>
      inTurn(async () => {
        const decided = await revert(undoneNow, async (again) => {
          await decideAgain(again);
          announce(t('editor.redone_said', { count: again.ids.length }));
        });
        if (!decided) return;
        setUndone((before) => before.filter((one) => one !== decided));
        setDone((before) => [...before, decided]);
      }),
  };
}

/** Reopens a text. An earlier attempt whose response was lost may have reopened it. */
async function reopen(id: string): Promise<void> {
  try {
    await client.reviews.reopen({ kind: 'job', id });
  } catch (error) {
    const isOpen = error instanceof LinguaLoopError && error.status === 409;
    const { texts } = isOpen ? await client.reviews.texts({ job_ids: [id] }) : { texts: [] };
    if (!texts.some(({ status }) => status !== 'confirmed' && status !== 'rejected')) throw error;
  }
}

/** The reason as notes of the review, which the history of the text shows. */
function notesOf({ code, note }: Reason, t: ReturnType<typeof useT>): string {
  return `${t(`editor.reason_${code}`)}: ${note}`;
}
