/** Receives the pieces of a task's result from its process. */
export interface PieceSink {
  /**
   * Takes a piece of this number of bytes. Returns whether it can take more immediately. If not, it calls `resume`
   * when it can.
   */
  push(piece: unknown, bytes: number, resume: () => void): boolean;
  /** Whether a piece has arrived. If so, the task must not be run again. */
  readonly begun: boolean;
}

/**
 * Bytes of unread pieces at which the task is paused. The reader can read these while the task computes its next
 * piece.
 */
const maxHeldBytes = 8 * 2 ** 20;

/** The pieces of a task's result, in their order. */
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
    if (this.#heldBytes < maxHeldBytes) return true;
    this.#resume = resume;
    return false;
  }

  /** Ends the stream. If there is a failure, the reader gets it immediately, even if pieces are unread. */
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
        if (this.#heldBytes < maxHeldBytes) this.#callResume();
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

  #callResume(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }
}
