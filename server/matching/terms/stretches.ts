/** Which units of a text are taken, a bit each. */
export class Stretches {
  readonly #taken: Uint32Array;

  /** @param length of the text */
  constructor(length: number) {
    this.#taken = new Uint32Array((length >>> 5) + 1);
  }

  isFree(start: number, end: number): boolean {
    for (let group = start >>> 5; 32 * group < end; group++)
      if ((this.#taken[group]! & bits(group, start, end)) !== 0) return false;
    return true;
  }

  take(start: number, end: number): void {
    for (let group = start >>> 5; 32 * group < end; group++) this.#taken[group]! |= bits(group, start, end);
  }
}

/** The bits of one group of 32 from `start` up to `end`. */
function bits(group: number, start: number, end: number): number {
  const from = Math.max(start - 32 * group, 0);
  const to = Math.min(end - 32 * group, 32);
  return (0xffffffff << from) & (0xffffffff >>> (32 - to));
}
