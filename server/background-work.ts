import { setTimeout as delay } from 'node:timers/promises';

/**
 * Work that outlives its request: a client that hangs up does not end its run, and a process that stops waits for the runs
 * nobody listens to any more.
 */
export interface BackgroundWork {
  /** True once the process only finishes what it has begun. */
  readonly closing: boolean;
  /** Answers `work`, and remembers it until it ends. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Begins nothing more, and waits for what is under way, `milliseconds` at most. */
  drain(milliseconds: number): Promise<void>;
}

export function createBackgroundWork(): BackgroundWork {
  const works = new Set<Promise<unknown>>();
  let closing = false;
  return {
    get closing() {
      return closing;
    },
    track(work) {
      works.add(work);
      const forget = () => void works.delete(work);
      work.then(forget, forget);
      return work;
    },
    async drain(milliseconds) {
      closing = true;
      const enough = new AbortController();
      await Promise.race([
        Promise.allSettled(works),
        delay(milliseconds, undefined, { signal: enough.signal }).catch(() => {}),
      ]);
      enough.abort();
    },
  };
}
