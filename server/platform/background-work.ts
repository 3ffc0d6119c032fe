import { setTimeout as delay } from 'node:timers/promises';

/**
 * Work that may continue after the end of its request. For example, a translation run continues after its client has
 * disconnected, and a stopping process waits for this run.
 */
export interface BackgroundWork {
  /**
   * Aborts when the process begins to stop. Work that another process can continue then stops after its current step.
   */
  readonly stopping: AbortSignal;
  /** Aborts `stopping`. */
  beginStop(): void;
  /** True after the process has begun to stop: it then only completes work in progress. */
  readonly closing: boolean;
  /** Tracks `work` until it ends, and returns the same promise. */
  track<T>(work: Promise<T>): Promise<T>;
  /** Sets `closing`, aborts `stopping`, and waits for the work in progress, for at most `milliseconds`. */
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
