import { greatest } from '../../statistics.ts';
import type { Glyph } from '../pieces.ts';
import type { Row } from './rows.ts';

const figure = /^\p{Sc}?\d[\d.,]*\p{Sc}?$/u;
/** The width from which a gap is one between columns, and from which it is one between words, in em. */
const gaps = { column: 2, word: 0.15 };
/** The number of figures below each other from which they are a column. */
const minFigures = 3;
/** The maximum difference between the edges of the figures of a column, in points. */
const sameEdge = 0.5;

/** A figure before a gap between columns or at the end of a row. */
interface Figure {
  first: Glyph;
  left: number;
  right: number;
  /** Whether a wide gap is before it, which shows a column. */
  isAlone: boolean;
  /** Whether the gap before it is wider than those between the words before it, or its weight is another one. */
  isLoose: boolean;
}

/**
 * Returns the first glyphs of the prices that directly follow their text, as the last word of a long line does: other
 * prices above and below them, after a wide gap, have the same edge.
 */
export function pricesIn(rows: readonly Row[]): Set<Glyph> {
  const figures = rows.flatMap(figuresOf);
  const columns = (['left', 'right'] as const).map((edge) => ({
    edge,
    places: Map.groupBy(
      figures.filter(({ isAlone }) => isAlone),
      (one) => Math.floor(one[edge]),
    ),
  }));
  const isInColumn = (one: Figure) =>
    columns.some(({ edge, places }) => {
      const at = Math.floor(one[edge]);
      const near = [at - 1, at, at + 1].flatMap((place) => places.get(place) ?? []);
      return near.filter((other) => Math.abs(other[edge] - one[edge]) < sameEdge).length >= minFigures;
    });
  return new Set(
    figures.filter((one) => !one.isAlone && one.isLoose && isInColumn(one)).map(({ first }) => first),
  );
}

function figuresOf({ glyphs, size }: Row): Figure[] {
  const shown = glyphs.flatMap((glyph, index) =>
    glyph.isBlank ? [] : [{ glyph, isAfterBlank: glyphs[index - 1]?.isBlank === true }],
  );
  const found: Figure[] = [];
  let word: Glyph[] = [];
  let before: Glyph | undefined;
  let spaces: number[] = [];
  const end = (isEnd: boolean): void => {
    const [first, last] = [word[0], word.at(-1)];
    if (!first || !last) return;
    const gap = before ? first.left - before.right : Number.POSITIVE_INFINITY;
    const isAlone = gap > gaps.column * size;
    if (isAlone) spaces = [];
    if (isEnd && figure.test(word.map(({ text }) => text).join(''))) {
      const isBold = ({ piece }: Glyph) => piece.style.bold;
      const isLoose = gap > 2 * greatest([0, ...spaces]) || (before && isBold(before) !== isBold(first));
      found.push({ first, left: first.left, right: last.right, isAlone, isLoose: isLoose === true });
    }
    if (!isAlone) spaces.push(gap);
    [before, word] = [last, []];
  };
  for (const { glyph, isAfterBlank } of shown) {
    const gap = glyph.left - (word.at(-1)?.right ?? glyph.left);
    if (isAfterBlank || gap > gaps.word * size) end(gap > gaps.column * size);
    word.push(glyph);
  }
  end(true);
  return found;
}
