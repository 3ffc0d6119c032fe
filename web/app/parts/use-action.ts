import { type SyntheticEvent, useRef, useState } from 'react';

/**
 * Runs the action of a form or button. A second click during the action does nothing: the service counts attempts with
 * codes and passwords, and an item could be created twice. The error of an action stays until the next action.
 */
export function useAction() {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isRunning = useRef(false);
  const run = (work: () => Promise<void>) => async (event?: SyntheticEvent) => {
    event?.preventDefault();
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { run, error, isBusy };
}

/** Moves the focus from an element that an action removes to the next control, or else to the one before it. */
export function leaveFocus(removed: Element | null, wanted = 'main :is(a[href], button:enabled)'): void {
  const all = [...document.querySelectorAll<HTMLElement>(wanted)].filter((one) => !removed?.contains(one));
  const isNext = (one: Element) => removed?.compareDocumentPosition(one) === Node.DOCUMENT_POSITION_FOLLOWING;
  (all.find(isNext) ?? all.at(-1) ?? document.querySelector<HTMLElement>('main'))?.focus();
}
