/**
 * Runs work with the same name one after the other, within this process. Work with different names runs at the same
 * time.
 */
export class KeyedSequence {
  readonly #running = new Map<string, Promise<unknown>>();

  /** @param work the work to run; its argument is true if it had to wait */
  async run<T>(name: string, work: (waited: boolean) => Promise<T>): Promise<T> {
    let waited = false;
    for (let other = this.#running.get(name); other; other = this.#running.get(name)) {
      waited = true;
      await other;
    }
    const own = work(waited);
    this.#running.set(
      name,
      own.catch(() => {}),
    );
    try {
      return await own;
    } finally {
      this.#running.delete(name);
    }
  }
}
