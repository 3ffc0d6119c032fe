import { AsyncLocalStorage } from 'node:async_hooks';

/** Measures how long at least one model call of a request was running or queued. Calls may run at the same time. */
export class ModelTime {
  #running = 0;
  #since = 0;
  #total = 0;

  /** Runs a model call. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
    try {
      return await call();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#total += performance.now() - this.#since;
    }
  }

  /** Seconds so far. */
  seconds(): number {
    const running = this.#running > 0 ? performance.now() - this.#since : 0;
    return (this.#total + running) / 1000;
  }
}

const current = new AsyncLocalStorage<ModelTime>();

/** Calls `work`. The model calls that it and its asynchronous continuations make are added to `time`. */
export function withModelTime<T>(time: ModelTime, work: () => T): T {
  return current.run(time, work);
}

/** Runs a model call, and adds its time to that of its request, if there is one. */
export function measureModelCall<T>(call: () => Promise<T>): Promise<T> {
  return current.getStore()?.during(call) ?? call();
}
