/** Where the pieces of a task come in, from the process that it runs in. */
export interface PieceSink {
  /**
   * Takes a piece of so many bytes. Answers whether others may come; where not, `resume` is called when they may.
   */
  push(piece: unknown, bytes: number, resume: () => void): boolean;
  /** Whether any piece has come: those that were passed on cannot be taken back. */
  readonly begun: boolean;
}

/** Bytes that wait to be taken, beyond which a task waits: enough to be taken while it makes what takes it long. */
const mostHeld = 8 * 2 ** 20;

/** What a task gives piece by piece, to be taken in order. */
export class PieceStream implements PieceSink, AsyncIterableIterator<unknown, void> {
  readonly #held: { piece: unknown; bytes: number }[] = [];
  #heldBytes = 0;
  #resume: (() => void) | undefined;
  #ended: { failure?: unknown } | undefined;
  #wake: (() => void) | undefined;
  begun = false;

  push(piece: unknown, bytes: number, resume: () => void): boolean {
    this.begun = true;
    this.#held.push({ piece, bytes });
    this.#heldBytes += bytes;
    this.#wake?.();
    if (this.#heldBytes < mostHeld) return true;
    this.#resume = resume;
    return false;
  }

  /** No more come; with a failure, who takes is told of it at once. */
  end(end: { failure?: unknown }): void {
    this.#ended ??= end;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<unknown, void>> {
    for (;;) {
      if (this.#ended && 'failure' in this.#ended) throw this.#ended.failure;
      const first = this.#held.shift();
      if (first) {
        this.#heldBytes -= first.bytes;
        if (this.#heldBytes < mostHeld) this.#goOn();
        return { value: first.piece, done: false };
      }
      if (this.#ended) return { value: undefined, done: true };
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #goOn(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}
