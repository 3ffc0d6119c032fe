/** Seconds without any progress after which a copy ends with an error. */
const patience = 60;

/** Thrown if a copy made no progress for a minute. The message gives the reason, as far as it is known. */
export class StalledError extends Error {
  override name = 'StalledError';
}

/** The copy of this process. There is only one: a process runs one copying command. */
const copied = { steps: 0, what: 'nothing yet', sizes: new Map<string, number>(), obstacle: '' };

/**
 * Notes a step of the work, however small, so that the process is known to make progress.
 * @param what names the work for the operator, such as a table; by default the same as in the previous step
 * @param bytes the size of the step
 */
export function advance(what = copied.what, bytes = 0): void {
  copied.steps += 1;
  copied.obstacle = '';
  copied.what = what;
  if (bytes > 0) copied.sizes.set(what, (copied.sizes.get(what) ?? 0) + bytes);
}

/** Notes what the work waits for, for the message of a StalledError. */
export function noteObstacle(obstacle: string): void {
  copied.obstacle = obstacle;
}

/** The number of steps until now: if it does not change, nothing has happened. */
export function countSteps(): number {
  return copied.steps;
}

/** Prints every ten seconds what is being copied, if there was progress. Returns a function that ends this. */
export function printProgress(print: (line: string) => void): () => void {
  let printed = copied.steps;
  const timer = setInterval(() => {
    if (copied.steps === printed) return;
    printed = copied.steps;
    const bytes = copied.sizes.get(copied.what);
    print(`Progress: ${copied.what}${bytes ? `, ${(bytes / 1_000_000).toFixed(1)} MB so far` : ''}`);
  }, 10_000);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Resolves with the result of `work`. As soon as `stop` aborts, or after a minute without progress, calls `end` and
 * rejects, even while a statement or a file never responds.
 * @throws StalledError; the reason of `stop`
 */
export async function untilStalled<T>(
  work: Promise<T>,
  stop: AbortSignal | undefined,
  end: () => void,
): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const endWith = (reason: unknown) => {
    end();
    reject(reason);
  };
  const onStop = () => endWith(stop?.reason);
  let seen = copied.steps;
  // Counts seconds in which this process ran: a process that was suspended must not fail when it continues. The timer
  // also keeps the process alive, which could otherwise end while it waits.
  let idle = 0;
  const timer = setInterval(() => {
    idle = copied.steps === seen ? idle + 1 : 0;
    seen = copied.steps;
    if (idle >= patience) endWith(new StalledError(describeStall()));
  }, 1000);
  if (stop?.aborted) onStop();
  else stop?.addEventListener('abort', onStop, { once: true });
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearInterval(timer);
    stop?.removeEventListener('abort', onStop);
  }
}

/**
 * Runs the work that remains after an error. After a StalledError, it has ten seconds: what has stalled before, such
 * as a file server, may do so again.
 * @throws the error, if the work does not end
 */
export async function afterStall<T>(error: unknown, work: () => Promise<T>): Promise<T> {
  if (!(error instanceof StalledError)) return work();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(error), 10_000);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function describeStall(): string {
  const why = copied.obstacle === '' ? '' : `: ${copied.obstacle}`;
  return `no progress for ${patience} s (last: ${copied.what})${why}`;
}
