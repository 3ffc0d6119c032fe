import { setTimeout as delay } from 'node:timers/promises';

/** Work that outlives its request. A run continues after its client disconnects, and a stopping process waits for such runs. */
export interface BackgroundWork {
  /**
   * Aborted as soon as the process begins to stop. Work that another process can continue then ends at its next
   * boundary.
   */
  readonly stopping: AbortSignal;
  /** Aborts `stopping`. */
  beginStop(): void;
  /** True once the process only finishes work in progress. */
  readonly closing: boolean;
  /** Tracks `work` until it ends, and returns it. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Sets `closing` and `stopping`, and waits for the work in progress, at most `milliseconds`. */
  drain(milliseconds: number): Promise<void>;
}

export function createBackgroundWork(): BackgroundWork {
  const works = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let closing = false;
  return {
    stopping: stopping.signal,
    beginStop: () => stopping.abort(),
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
      stopping.abort();
      const enough = new AbortController();
      await Promise.race([
        Promise.allSettled(works),
        delay(milliseconds, undefined, { signal: enough.signal }).catch(() => {}),
      ]);
      enough.abort();
    },
  };
}
