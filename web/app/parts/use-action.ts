import { type SyntheticEvent, useRef, useState } from 'react';

/**
 * Runs the action of a form or button, one at a time: a second click during it does nothing, because codes and passwords are
 * counted, and items could be created twice. The error of the last run stays until the next.
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
