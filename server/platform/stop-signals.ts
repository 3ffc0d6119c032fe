/** Abort signals for the signals SIGTERM and SIGINT. */
export interface StopSignals {
  /** Aborts with the first signal: stop and drain. */
  readonly stop: AbortSignal;
  /** Aborts with a second signal: do not wait for the work in progress. Its reason is the exit code. */
  readonly force: AbortSignal;
}

/** Signals within this many milliseconds count as one: Ctrl-C reaches a process through its terminal and again through npm. */
const sameMoment = 1000;

/** Exit codes of a process that did not wait, in the shells' convention: 128 plus the signal's number. */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Handles SIGTERM and SIGINT from now until the process ends: a later signal must not kill the process before it has
 * released its database.
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
