/** Bytes that the reader took, and the milliseconds that it needed for them. */
interface Part {
  bytes: number;
  milliseconds: number;
}

/**
 * The rate at which a reader takes pieces. Only the reader's own time counts: from sending each piece to the request
 * for the next one.
 */
export class ReaderRate {
  readonly #longestWindow: number;
  /** The latest parts, as long as the longest window in total; each is at least a twentieth of the window. */
  readonly #parts: Part[] = [];
  /** When the last piece was sent; undefined after the next one has been requested. */
  #waitingSince: number | undefined;

  /** @param longestWindow milliseconds of the reader's own time for which the parts are kept */
  constructor(longestWindow: number) {
    this.#longestWindow = longestWindow;
  }

  /** Returns the same pieces, and measures the time that the reader takes for each. */
  async *measure<T extends string | Uint8Array>(chunks: AsyncIterable<T>): AsyncGenerator<T, void> {
    for await (const chunk of chunks) {
      this.#waitingSince = Date.now();
      yield chunk;
      const milliseconds = Date.now() - this.#waitingSince;
      this.#waitingSince = undefined;
      this.#remember({ bytes: Buffer.byteLength(chunk), milliseconds });
    }
  }

  #remember({ bytes, milliseconds }: Part): void {
    const parts = this.#parts;
    const latest = parts.at(-1);
    if (latest && latest.milliseconds < this.#longestWindow / 20) {
      latest.bytes += bytes;
      latest.milliseconds += milliseconds;
    } else parts.push({ bytes, milliseconds });
    let kept = parts.reduce((sum, part) => sum + part.milliseconds, 0);
    while (parts.length > 1 && kept - (parts[0] as Part).milliseconds >= this.#longestWindow)
      kept -= (parts.shift() as Part).milliseconds;
  }

  /**
   * Returns the bytes per second over the latest `window` milliseconds of the reader's own time; infinity if less
   * time has been measured.
   */
  over(window: number, now: number): number {
    let milliseconds = this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
    let bytes = 0;
    for (const part of this.#parts.toReversed()) {
      if (milliseconds >= window) break;
      milliseconds += part.milliseconds;
      bytes += part.bytes;
    }
    return milliseconds < window ? Number.POSITIVE_INFINITY : (bytes / milliseconds) * 1000;
  }
}
