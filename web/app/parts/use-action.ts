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
