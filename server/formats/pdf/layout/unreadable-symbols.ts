import type { Rectangle } from '../geometry.ts';
import type { KeptReason } from '../page-content.ts';

/** An unreadable symbol. Its position is on its baseline, in the middle of its width. */
interface PlacedSymbol {
  x: number;
  y: number;
  reason: KeptReason;
}

/** The maximum number of symbols that are compared with one text. */
const maxCompared = 400;

/**
 * Finds symbols without a known character inside the box of another text, such as an arrow over a letter of a formula.
 * That text cannot be typeset again without these symbols.
 */
export class UnreadableSymbols {
  /** The symbols from the bottom of the page to the top. */
  readonly #symbols: PlacedSymbol[];

  constructor(symbols: readonly PlacedSymbol[]) {
    this.#symbols = symbols.toSorted((one, other) => one.y - other.y);
  }

  /** Returns the reason why the lowest symbol inside a box is unreadable; null if the box contains no symbol. */
  reasonWithin({ left, right, bottom, top }: Rectangle): KeptReason | null {
    let low = 0;
    let high = this.#symbols.length;
    while (low < high) {
      const at = (low + high) >> 1;
      if (this.#symbols[at]!.y < bottom) low = at + 1;
      else high = at;
    }
    for (const { x, y, reason } of this.#symbols.slice(low, low + maxCompared)) {
      if (y > top) return null;
      if (x >= left && x <= right) return reason;
    }
    return null;
  }
}
