/** What was asked of a process by signals: to stop, and perhaps not to wait. */
export interface StopSignals {
  /** Aborts with the first signal. */
  readonly stop: AbortSignal;
  /** Aborts with a second one, which does not want to wait for what is under way; its reason is the exit code. */
  readonly force: AbortSignal;
}

/** Milliseconds within which signals are one: Ctrl-C reaches a process by its terminal, and again by npm. */
const sameMoment = 1000;

/** The exit code of a process that did not wait, as shells write it: 128 and the signal's number. */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Listens for SIGTERM and SIGINT from now on, until the process ends: no later one may take the process away in the middle of its
 * stopping, before it has left its database.
 */
export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let first = 0;
  const heard = (signal: keyof typeof codes) => {
    if (!stop.signal.aborted) {
      first = Date.now();
      stop.abort();
    } else if (Date.now() - first > sameMoment) hurry.abort(codes[signal]);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => heard(signal));
  return { stop: stop.signal, force: hurry.signal };
}
