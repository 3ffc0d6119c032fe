import { greatest } from '../../statistics.ts';
import { continues, isOpen, lowerStart, sentenceEnd } from '../sentences.ts';
import { wordSpace } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { isNumberOfItem } from './list-labels.ts';
import type { TextLine } from './text-lines.ts';

/** The maximum length of a date, a time, a price or another value, in words and characters. */
const [maxWords, maxLength] = [6, 40];
/** The minimum share of values in a column. A price may be a word. */
const minValues = 0.75;
/** A number of a page or a line, and a count in a table. */
const pageNumber = /^\d{1,3}[.)]?$/u;
const minRows = 3;
/**
 * The maximum share of rows that start in the middle of a sentence or after a full line. More show that a margin column is
 * there by chance.
 */
const maxTorn = 0.25;
/** The number of columns at the side of a chain that are compared with a line. It limits the time. */
const openColumns = 8;

/** A line of a chain, and the text at its side. */
interface Row {
  index: number;
  line: TextLine;
  value: TextLine;
}

/** Whether a row starts at a line, because each line has a value (certain), or because some have one (likely). */
type ValueBreak = 'certain' | 'likely';

/**
 * Finds the rows of lists without rules: each text has a date, a time, a price or another value at its side. The value is
 * next to the first line of the text, or always next to its last line.
 */
export class ValueRows {
  readonly #breaks = new Map<TextLine, ValueBreak>();

  readonly #wrapped = new Set<TextLine>();

  /** @param besides returns the other lines of a line's row */
  constructor(chains: readonly Chain[], besides: (line: TextLine) => readonly TextLine[]) {
    const above = new Map(
      chains.flatMap((chain) => chain.slice(1).map((line, index) => [line, chain[index]!] as const)),
    );
    for (const chain of chains) {
      const columns: Row[][] = [];
      for (const [index, line] of chain.entries())
        for (const value of neighborsOf(line, besides(line))) {
          const row = { index, line, value };
          const own = columns.slice(-openColumns).find(([first]) => areAligned(first!.value, value));
          if (own) own.push(row);
          else columns.push([row]);
        }
      for (const column of columns) this.#addRows(chain, column, above);
    }
  }

  /** Returns the break of rows before a line; undefined if missing. */
  breakBefore(line: TextLine): ValueBreak | undefined {
    return this.#breaks.get(line);
  }

  /** Whether a line follows a full line of a list in which only some lines have values. */
  isWrapped(line: TextLine): boolean {
    return this.#wrapped.has(line);
  }

  #addRows(chain: Chain, column: readonly Row[], above: ReadonlyMap<TextLine, TextLine>): void {
    const rows = withValues(column);
    const values = new Set(rows.map(({ value }) => value));
    if (rows.length < minRows) return;
    const isPaired = rows.slice(1).every(({ value }) => {
      const before = above.get(value);
      return before === undefined || values.has(before);
    });
    if (!isPaired) return;
    const [first, last] = [rows[0]!.index, rows.at(-1)!.index];
    const isWhole = last - first + 1 === rows.length;
    const small = rows.filter(({ line }) => lowerStart.test(line.text));
    // A list may have only small letters.
    const hasCase = small.length < rows.length - 1;
    const widest = greatest(chain.slice(first, last + 1).map(({ left, right }) => right - left));
    const isFull = (index: number) => {
      const { left, right } = chain[index - 1]!;
      return widest - right + left < chain[index]!.firstWordWidth + wordSpace * chain[index]!.size;
    };
    const isTorn = (index: number) => {
      const [above, { text }] = [chain[index - 1]!, chain[index]!];
      if ((hasCase && continues(above.text, text)) || isOpen(above.text, text)) return true;
      return !isWhole && isFull(index) && !sentenceEnd.test(above.text);
    };
    const starts = rows.slice(1).map(({ index }) => index);
    const ends = rows.slice(0, -1).map(({ index }) => index + 1);
    const places = [starts, ends].find((all) => all.filter(isTorn).length <= maxTorn * all.length);
    if (!places) return;
    const isStart = new Set(places.filter((index) => !isTorn(index)));
    for (let index = 1; index < chain.length; index++)
      if (isStart.has(index)) this.#breaks.set(chain[index]!, isWhole ? 'certain' : 'likely');
      else if (!isWhole && isFull(index)) this.#wrapped.add(chain[index]!);
  }
}

/** Returns the rows from the first value of a column, which may have a header; none if neither side has values. */
function withValues(column: readonly Row[]): readonly Row[] {
  const sides: ((row: Row) => TextLine)[] = [({ value }) => value, ({ line }) => line];
  const isNumbered = (text: TextLine, other: TextLine) =>
    text.left < other.left ? isNumberOfItem(text.text) : pageNumber.test(text.text);
  if (column.every(({ line, value }) => isNumbered(line, value) || isNumbered(value, line))) return [];
  for (const sideOf of sides) {
    const rows = column.slice(column.findIndex((row) => isValue(sideOf(row))));
    if (rows.filter((row) => isValue(sideOf(row))).length >= minValues * rows.length) return rows;
  }
  return [];
}

/** Whether a text is short, a quarter of its words have digits, and it is not a part of a sentence. */
function isValue({ text }: TextLine): boolean {
  const words = text.split(' ');
  const isShort = words.length <= maxWords && text.length <= maxLength;
  const numbers = words.filter((word) => /\p{Nd}/u.test(word)).length;
  return isShort && numbers >= words.length / 4 && !/^\p{Ll}+,? \p{Ll}|\p{Lo}{5}/u.test(text);
}

/** Returns the nearest line on each side. */
function neighborsOf(line: TextLine, row: readonly TextLine[]): TextLine[] {
  const before = row.filter(({ right }) => right <= line.left).sort((one, other) => other.right - one.right);
  const after = row.filter(({ left }) => left >= line.right).sort((one, other) => one.left - other.left);
  return [before[0], after[0]].filter((one) => one !== undefined);
}

/** Whether two texts have the same left or right edge, or the same middle. */
export function areAligned(one: TextLine, other: TextLine): boolean {
  const near = 0.3 * Math.min(one.size, other.size);
  return (
    Math.abs(one.left - other.left) < near ||
    Math.abs(one.right - other.right) < near ||
    Math.abs(one.left + one.right - other.left - other.right) < 2 * near
  );
}
