import { useRef, useState } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { problemText } from '../parts/problem.tsx';
import type { SegmentSaves } from './segment-saves.ts';

type Change<T> = (next: (before: readonly T[]) => readonly T[]) => void;

/** A list of decisions, the latest last. The third value always has the present list, also in older closures. */
export function useStack<T>() {
  const [list, show] = useState<readonly T[]>([]);
  const now = useRef(list);
  const [change] = useState(
    (): Change<T> => (next) => {
      now.current = next(now.current);
      show(now.current);
    },
  );
  return [list, change, now] as const;
}

/** Reverts the latest decision of a stack, one after another: each key press reverts one decision. */
export function useRevert(saves: SegmentSaves) {
  const t = useT();
  const turn = useRef<Promise<unknown>>(undefined);
  const revert = async <T>(
    [stack, change]: readonly [{ readonly current: readonly T[] }, Change<T>],
    work: (decided: T) => Promise<void>,
  ) => {
    let decided: T | undefined;
    const drop = () => change((before) => before.filter((one) => one !== decided));
    try {
      // The latest decision may be one that is still being sent.
      await saves.flush();
      decided = stack.current.at(-1);
      if (decided === undefined) return;
      await work(decided);
      drop();
    } catch (error) {
      announce(problemText(error, t));
      // It would fail each time, and earlier decisions could not be undone.
      if (isFinal(error)) drop();
    }
  };
  return <T>(...args: Parameters<typeof revert<T>>) => {
    turn.current = Promise.resolve(turn.current).then(() => revert(...args));
  };
}

/** Whether the same request would fail again: it is not allowed, the text is deleted, or someone else has changed it. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof LinguaLoopError)) return false;
  return error.status === 403 || error.status === 404 || error.present !== undefined;
}
