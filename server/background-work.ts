import { setTimeout as delay } from 'node:timers/promises';

/** Work that outlives its request. A run continues after its client disconnects, and a stopping process waits for such runs. */
export interface BackgroundWork {
  /** True once the process only finishes work in flight. */
  readonly closing: boolean;
  /** Tracks `work` until it ends, and returns it. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Sets `closing` and waits for the work in flight, at most `milliseconds`. */
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
