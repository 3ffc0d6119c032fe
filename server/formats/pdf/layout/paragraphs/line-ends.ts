import { append, firstFrom, greatest } from '../../statistics.ts';
import { continues, isFigures, sentenceEnd, withoutCase } from '../sentences.ts';
import type { ColumnEnds } from './column-ends.ts';
import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';

/** How many lines above and below are used to determine the width of a paragraph. */
const nearbyLines = 6;
/** As shares of the font size: the maximum difference between equal starts, and between equal sizes. */
const sameStart = 0.5;
const sameSize = 0.15;
/** The width of a space between words, and the tolerance for the end of a line, as shares of the font size. */
export const wordSpace = 0.2;
/** The minimum width of running text, as a factor of the font size. Narrower text needs more evidence. */
export const minWidthOfText = 18;
/**
 * The maximum difference between the ends of justified lines, as a share of the font size, and the minimum number of
 * lines with this end. Three wide lines have the same end by chance only rarely.
 */
const sameEnd = 0.05;
const minJustified = 3;
/** The minimum number of ends of running text from which the end of a column is determined. */
const minEnds = 3;
/** The font size from which a text counts as a title, as a factor of the usual font size of the page. */
const titleSize = 1.25;

/** A text in capitals. Figures and codes may be next to its words, but not instead of them. */
const inCapitals = /^(?=\P{Ll}*$)(?:\P{Lu}*\p{Lu}{2,}(?![-\d])){2}/u;

/** The start and the end of a line in reading direction, in points; negative coordinates are measured from the right. */
export interface Edges {
  start: number;
  end: number;
}

/**
 * Determines how much longer each line of a chain could be. The end of a column is seen from its running text, in which
 * lines end because the next word does not fit. A stack of short lines does not show it, not even by its longest line.
 * Such a stack ends at the side of its cell, at the next text, or at the edge of the page.
 */
export class LineEnds {
  readonly #columns: ColumnEnds;
  readonly #usualSize: number;
  /** The ends of lines in which a sentence continues in the next line, by the start of these lines. */
  readonly #ends = new Map<number, number[]>();

  /** @param chains all chains of the page, with the edges of their lines */
  constructor(chains: readonly Chain[], columns: ColumnEnds) {
    this.#columns = columns;
    this.#usualSize = usualSize(chains);
    for (const chain of chains) {
      const edges = edgesOf(chain);
      for (let index = 1; index < chain.length; index++) {
        if (!continues(chain[index - 1]!.text, chain[index]!.text)) continue;
        append(this.#ends, startKey(edges[index]!.start), edges[index - 1]!.end);
      }
    }
    for (const ends of this.#ends.values()) ends.sort((one, other) => other - one);
  }

  /** Returns the free space at the end of the line above line `index`, in points. */
  roomBefore(chain: Chain, index: number, isCentred: boolean): number {
    const edges = edgesOf(chain);
    const near = roomInChain(chain, index, isCentred);
    const above = chain[index - 1]!;
    if (this.isTitle(above) || withoutCase.test(above.text)) return near;
    if (isRunning(chain, index, isCentred) && (isCentred || hasNeighbor(chain, index))) return near;
    const { left, right } = this.#columns.rangeOf(above);
    if (isCentred) {
      const middle = (above.left + above.right) / 2;
      return Math.max(near, 2 * Math.min(middle - left, right - middle) - (above.right - above.left));
    }
    const { start, end } = edges[index - 1]!;
    const limit = start < 0 && start === -above.right ? -left : right;
    const known = Math.max(...[start, edges[index]!.start].map((place) => this.#furthestEnd(place, limit)));
    return Math.max(near, (known > end - above.size ? known : limit) - end);
  }

  /** Returns the width of a line as a share of its column. */
  shareOfColumn(line: TextLine): number {
    const { left, right } = this.#columns.rangeOf(line);
    return (line.right - line.left) / (right - left);
  }

  isTitle({ size }: TextLine): boolean {
    return size > titleSize * this.#usualSize;
  }

  /** Returns the furthest end of running text that starts at a position; minus infinity if missing. */
  #furthestEnd(start: number, limit: number): number {
    const key = startKey(start);
    const ends = [key - 1, key, key + 1].flatMap((at) => {
      const own = this.#ends.get(at) ?? [];
      const first = firstFrom(own, (end) => end > limit);
      return own.slice(first, first + minEnds);
    });
    return ends.length < minEnds ? Number.NEGATIVE_INFINITY : greatest(ends);
  }
}

const known = new WeakMap<Chain, Edges[]>();

/** Returns the starts and ends of the lines. Right-to-left and right-aligned lines are measured from their right edges. */
export function edgesOf(chain: Chain): readonly Edges[] {
  const edges = known.get(chain) ?? findEdges(chain);
  known.set(chain, edges);
  return edges;
}

function findEdges(chain: Chain): Edges[] {
  const isRightToLeft = chain.filter((line) => line.isRightToLeft).length * 2 > chain.length;
  const fromRight = isRightToLeft || isFlushRight(chain);
  return chain.map(({ left, right }) =>
    fromRight ? { start: -right, end: -left } : { start: left, end: right },
  );
}

/**
 * Returns the free space at the end of the line above line `index`, in points. It extends to the furthest end of nearby
 * lines that start at the same position. A line that ends where other wide lines end is full, even if another line
 * is longer than its column. For centered lines, it is the difference from the width of the widest nearby
 * line.
 */
export function roomInChain(chain: Chain, index: number, isCentred: boolean): number {
  const edges = edgesOf(chain);
  const [above, own] = [edges[index - 1]!, edges[index]!];
  const { size } = chain[index]!;
  let end = above.end;
  let width = above.end - above.start;
  let justified = 0;
  for (let at = Math.max(0, index - nearbyLines); at < Math.min(chain.length, index + nearbyLines); at++) {
    const other = edges[at]!;
    if (Math.abs(chain[at]!.size - size) > sameSize * size) continue;
    width = Math.max(width, other.end - other.start);
    const isWide = other.end - other.start > minWidthOfText * size;
    if (isWide && Math.abs(other.end - above.end) < sameEnd * size) justified++;
    const isAligned = [above, own].some(({ start }) => Math.abs(other.start - start) < sameStart * size);
    if (isAligned) end = Math.max(end, other.end);
  }
  if (justified >= minJustified) return 0;
  return isCentred ? width - (above.end - above.start) : end - above.end;
}

/** Whether the end of a third line near line `index` shows how long these lines can be, because they start at one place. */
function hasNeighbor(chain: Chain, index: number): boolean {
  const edges = edgesOf(chain);
  const { size } = chain[index]!;
  const starts = [edges[index - 1]!.start, edges[index]!.start];
  return chain.some(
    (other, at) =>
      at >= index - nearbyLines &&
      at < index + nearbyLines &&
      at !== index &&
      at !== index - 1 &&
      Math.abs(other.size - size) <= sameSize * size &&
      starts.some((start) => Math.abs(edges[at]!.start - start) < sameStart * size),
  );
}

/** Whether the lines near line `index` are running text, whose lines end because the next word does not fit. */
export function isRunning(chain: Chain, index: number, isCentred: boolean): boolean {
  const edges = edgesOf(chain);
  const { size } = chain[index]!;
  let [wraps, breaks, continued, capitals] = [0, 0, 0, 0];
  let width = 0;
  for (
    let at = Math.max(1, index - nearbyLines + 1);
    at < Math.min(chain.length, index + nearbyLines);
    at++
  ) {
    const [above, line] = [chain[at - 1]!, chain[at]!];
    if (Math.abs(above.size - size) > sameSize * size || Math.abs(line.size - size) > sameSize * size)
      continue;
    const room = roomInChain(chain, at, isCentred);
    width = Math.max(width, room + edges[at - 1]!.end - edges[at - 1]!.start);
    if (isFigures(above.text) || isFigures(line.text)) breaks++;
    else if (room > line.firstWordWidth + wordSpace * size) breaks += sentenceEnd.test(above.text) ? 0 : 1;
    else {
      wraps++;
      if (continues(above.text, line.text) || withoutCase.test(line.text)) continued++;
      if (inCapitals.test(above.text)) capitals++;
    }
  }
  return (
    wraps > 1 &&
    wraps > breaks &&
    (width > minWidthOfText * size ? continued > 0 || (wraps > 2 && capitals > 2) : continued > 1)
  );
}

/**
 * Whether the lines of a chain are right-aligned: most of them end at the same position as the previous line, but start
 * at another position.
 */
function isFlushRight(chain: Chain): boolean {
  let [flush, others] = [0, 0];
  for (const [index, { left, right, size }] of chain.entries()) {
    const above = chain[index - 1];
    if (!above) continue;
    const isFlush =
      Math.abs(above.right - right) < 0.2 * size && Math.abs(above.left - left) > sameStart * size;
    if (isFlush) flush++;
    else others++;
  }
  const isShort = chain.every(({ left, right, size }) => right - left < minWidthOfText * size);
  return flush > (isShort ? 0 : 1) && flush > others;
}

function usualSize(chains: readonly Chain[]): number {
  const counts = new Map<number, number>();
  let best = 0;
  let most = 0;
  for (const { size, text } of chains.flat()) {
    const count = (counts.get(size) ?? 0) + text.length;
    counts.set(size, count);
    if (count > most) [best, most] = [size, count];
  }
  return best;
}

function startKey(start: number): number {
  return Math.round(start / 4);
}
