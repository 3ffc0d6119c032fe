import type { Rectangle } from '../geometry.ts';
import type { KeptReason } from '../page-content.ts';

/** The position is on its baseline, in the middle of its width. */
interface PlacedSymbol {
  x: number;
  y: number;
  reason: KeptReason;
}

/** The maximum number of symbols that are compared with one text. */
const maxCompared = 400;

/**
 * Finds symbols without a known character within the box of another text, such as the arrow over a letter of a formula. That text
 * cannot be typeset again without them.
 */
export class UnreadableSymbols {
  /** From the bottom. */
  readonly #symbols: PlacedSymbol[];

  constructor(symbols: readonly PlacedSymbol[]) {
    this.#symbols = symbols.toSorted((one, other) => one.y - other.y);
  }

  /** Returns the reason why the lowest symbol within a box is unreadable; null if there is no symbol. */
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
