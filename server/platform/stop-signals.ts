/** Abort signals that are controlled by the process signals SIGTERM and SIGINT. */
export interface StopSignals {
  /** Aborts with the first process signal. The process must then stop and drain. */
  readonly stop: AbortSignal;
  /**
   * Aborts with the second process signal. The process must then not wait for work in progress. The reason is the
   * exit code.
   */
  readonly force: AbortSignal;
  /** Whether the first signal was SIGTERM, which a supervisor sends, and not Ctrl-C. */
  readonly isSupervised: boolean;
}

/**
 * Process signals within this many milliseconds count as one: Ctrl-C reaches a process from its terminal and again
 * from npm.
 */
const sameMoment = 1000;

/**
 * Exit codes of a process that did not complete its work. By the convention of shells, a code is 128 plus the number
 * of the process signal.
 */
const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Handles SIGTERM and SIGINT from now until the process ends. A later process signal must not kill the process: it
 * has to release its database first.
 */
export function listenForStop(): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let first = 0;
  let isSupervised = false;
  const heard = (signal: keyof typeof codes) => {
    if (!stop.signal.aborted) {
      first = Date.now();
      isSupervised = signal === 'SIGTERM';
      stop.abort();
    } else if (Date.now() - first > sameMoment) hurry.abort(codes[signal]);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => heard(signal));
  return {
    stop: stop.signal,
    force: hurry.signal,
    get isSupervised() {
      return isSupervised;
    },
  };
}
