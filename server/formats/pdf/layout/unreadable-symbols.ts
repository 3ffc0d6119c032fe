import type { Rectangle } from '../geometry.ts';
import type { KeptReason } from '../page-content.ts';
import type { Line } from './lines.ts';
import { firstFrom } from './statistics.ts';

/** An unreadable symbol. Its position is on its baseline, in the middle of its width. */
interface PlacedSymbol {
  x: number;
  y: number;
  reason: KeptReason;
}

/** The maximum number of symbols that are compared with one text. */
const maxCompared = 400;
/** The highest and lowest position of a symbol over or under the letters of a line, as shares of the font size. */
const [highest, lowest] = [0.9, -0.3];

/**
 * Finds symbols without a known character over or under the letters of a line, such as an arrow over a letter of a
 * formula. That text cannot be typeset again without these symbols.
 */
export class UnreadableSymbols {
  /** The symbols from the bottom of the page to the top. */
  readonly #symbols: PlacedSymbol[];

  constructor(symbols: readonly PlacedSymbol[]) {
    this.#symbols = symbols.toSorted((one, other) => one.y - other.y);
  }

  /** Returns the reason why a symbol at the letters of some lines is unreadable; null if none is there. */
  reasonAt(lines: readonly Line[]): KeptReason | null {
    for (const { left, right, baseline, size } of lines) {
      const reason = this.#reasonWithin({
        left,
        right,
        bottom: baseline + lowest * size,
        top: baseline + highest * size,
      });
      if (reason) return reason;
    }
    return null;
  }

  #reasonWithin({ left, right, bottom, top }: Rectangle): KeptReason | null {
    const low = firstFrom(this.#symbols, ({ y }) => y < bottom);
    for (const { x, y, reason } of this.#symbols.slice(low, low + maxCompared)) {
      if (y > top) return null;
      if (x >= left && x <= right) return reason;
    }
    return null;
  }
}
