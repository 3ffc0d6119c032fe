import type { StructureElement } from '../page-content.ts';
import type { Glyph } from './pieces.ts';
import type { Row } from './rows/rows.ts';

/** Types whose content is one text. The others, such as cells, may contain several texts. */
export const isOneText = /^(?:P|H\d?|Title|Caption|LBody)$/;
/** The maximum gap between two words of a text, as a share of the font size. */
const maxWordGap = 0.6;
/**
 * The number of gaps between words, and their share of these gaps, from which the elements are words: if the words on
 * both sides are in different elements.
 */
const minTorn = 3;
const maxTorn = 0.2;

/**
 * The elements that the file declares for the texts of a page. Some programs declare each word as a separate element.
 * Such elements are ignored.
 */
export class Elements {
  /** Whether the page has elements, and these are texts. */
  readonly #areTexts: boolean;

  constructor(rows: readonly Row[]) {
    let [gaps, torn] = [0, 0];
    let isDeclared = false;
    for (const { glyphs } of rows) {
      let last: Glyph | undefined;
      let isAfterBlank = false;
      for (const glyph of glyphs) {
        if (glyph.isBlank) {
          isAfterBlank = true;
          continue;
        }
        isDeclared ||= elementOf(glyph) !== undefined;
        const gap = last ? glyph.left - last.right : Number.POSITIVE_INFINITY;
        const isSpace = isAfterBlank || gap > 0.1 * glyph.piece.size;
        if (last && elementOf(last) && elementOf(glyph) && isSpace && gap < maxWordGap * glyph.piece.size) {
          gaps++;
          if (elementOf(last) !== elementOf(glyph)) torn++;
        }
        last = glyph;
        isAfterBlank = false;
      }
    }
    this.#areTexts = isDeclared && (torn < minTorn || torn <= maxTorn * gaps);
  }

  /** Whether two glyphs of a row belong to different texts. */
  areApart(one: Glyph, other: Glyph): boolean {
    const [first, second] = [elementOf(one), elementOf(other)];
    return this.#areTexts && first !== undefined && second !== undefined && first !== second;
  }

  /** Returns the element of a line; undefined if it is not declared. */
  ofLine({ glyphs }: { glyphs: readonly Glyph[] }): StructureElement | undefined {
    if (!this.#areTexts) return undefined;
    const first = glyphs.find((glyph) => !glyph.isBlank && elementOf(glyph));
    return first && elementOf(first);
  }
}

function elementOf({ piece }: Glyph): StructureElement | undefined {
  return piece.shown.element;
}
