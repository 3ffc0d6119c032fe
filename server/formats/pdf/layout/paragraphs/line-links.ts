import { continues } from '../sentences.ts';
import type { TextLine } from './text-lines.ts';

/** Lines below each other with no text next to them, from the top: a column, a cell, or a part of one. */
export type Chain = TextLine[];

/** The maximum distance between the baselines of linked lines, as a factor of the font size. */
const maxDistanceBelow = 3;
/**
 * The maximum indent of the first line of a paragraph, of which the last word may be completely to the left, and the
 * minimum width of such a line; the distance of the last word. As factors of the font size.
 */
const [maxIndent, minFirstLine] = [5, 24];
const [minDistanceOfWord, maxDistanceOfWord] = [0.8, 1.7];
/** The maximum number of lines, in the order of the page, after which the last word of a line follows. */
const maxLinesToWord = 8;
/** The maximum number of lines that are compared with one line. It limits the time if many lines overlap each other. */
const maxCompared = 200;

interface Links {
  below: TextLine | null;
  above: TextLine | null;
}

/**
 * Groups lines into chains. A line is linked with the nearest line below it, if there is no other line at the same
 * height below it. A line above two columns is therefore linked with neither of them.
 *
 * @param lines the lines of the page by rows, from the top
 * @returns the chains; each line is in exactly one of them
 */
export function chainLines(lines: readonly TextLine[]): Chain[] {
  const links = new Map<TextLine, Links>(lines.map((line) => [line, { below: null, above: null }]));
  const candidates = new Map<TextLine, TextLine[]>(lines.map((line) => [line, []]));
  for (const [index, line] of lines.entries()) {
    const found: TextLine[] = [];
    for (let at = index + 1; at < lines.length && at <= index + maxCompared; at++) {
      const other = lines[at]!;
      const drop = line.baseline - other.baseline;
      if (drop > maxDistanceBelow * Math.max(line.size, 4)) break;
      if (drop < 0.35 * Math.min(line.size, other.size) || other.isLeader || !overlap(line, other)) continue;
      found.push(other);
    }
    if (line.isLeader) continue;
    const below = nearest(line, found);
    links.get(line)!.below = below.length === 1 ? below[0]! : null;
    for (const other of below) candidates.get(other)!.push(line);
  }
  for (const [line, found] of candidates) {
    const above = nearest(line, found.reverse());
    if (above.length === 1) links.get(line)!.above = above[0]!;
  }
  for (const [index, line] of lines.entries()) {
    const word = lines.slice(index + 1, index + 1 + maxLinesToWord).find((other) => isLastWord(line, other));
    if (!word || candidates.get(word)!.length > 0) continue;
    const { below } = links.get(line)!;
    if (below && below.baseline > word.baseline - word.size) continue;
    links.get(line)!.below = word;
    links.get(word)!.above = line;
  }
  return lines.filter((line) => !isContinuation(line, links)).map((line) => follow(line, links));
}

function isContinuation(line: TextLine, links: ReadonlyMap<TextLine, Links>): boolean {
  const { above } = links.get(line)!;
  return above !== null && links.get(above)!.below === line;
}

function follow(first: TextLine, links: ReadonlyMap<TextLine, Links>): Chain {
  const chain = [first];
  for (let line = first; ; ) {
    const { below } = links.get(line)!;
    if (!below || links.get(below)!.above !== line) return chain;
    chain.push(below);
    line = below;
  }
}

function overlap(one: TextLine, other: TextLine): boolean {
  const common = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return common > 0.2 * Math.min(one.right - one.left, other.right - other.left);
}

/** Whether a line below an indented one is the end of its sentence, and starts at the edge of its column. */
function isLastWord(first: TextLine, { baseline, left, right, isRightToLeft, text }: TextLine): boolean {
  const { size } = first;
  const indent = isRightToLeft ? right - first.right : first.left - left;
  const isIndented = indent > 0 && indent < maxIndent * size && first.isRightToLeft === isRightToLeft;
  const drop = (first.baseline - baseline) / size;
  const isNear = drop > minDistanceOfWord && drop < maxDistanceOfWord;
  const isWide = first.right - first.left > minFirstLine * size;
  return isIndented && isNear && isWide && continues(first.text, text);
}

/**
 * Returns the nearest of the found lines, and those at the same height. Scraps of a formula and signs between two lines
 * are skipped if a full line is near.
 */
function nearest(line: TextLine, found: readonly TextLine[]): TextLine[] {
  const distance = (other: TextLine) => Math.abs(line.baseline - other.baseline);
  const full = found.filter((other) => !isScrap(other, line));
  const [first] = full;
  const isFullNear = first !== undefined && distance(first) < 1.6 * line.size;
  const [closest] = isFullNear ? full : found;
  if (!closest) return [];
  return (isFullNear ? full : found).filter(
    (other) => Math.abs(other.baseline - closest.baseline) < 0.5 * Math.min(other.size, closest.size),
  );
}

/** Whether a line is only a sign or a few signs, and is short compared with another line. */
function isScrap({ left, right, size, text, hasLetters }: TextLine, wide: TextLine): boolean {
  const width = right - left;
  if (width < 2 * size && (!hasLetters || text.length === 1) && wide.right - wide.left > 3 * size)
    return true;
  return (
    width < 4 * size &&
    wide.right - wide.left > 10 * wide.size &&
    !/\p{L}{3}/u.test(text) &&
    !/[.,;:]$/.test(text)
  );
}

/**
 * Whether a line and the line above it are centered. Lines of almost equal width are, if the lines next to them are.
 * Lines of a left-aligned text may have the same middle by chance.
 */
export function isCentredAt(chain: Chain, index: number): boolean {
  const [above, line] = [chain[index - 1]!, chain[index]!];
  if (areCentred(above, line)) return !startsBelowOthers(chain, index);
  const size = Math.min(above.size, line.size);
  return (
    Math.abs(above.left + above.right - line.left - line.right) < 0.3 * size &&
    Math.abs(above.left - line.left) > 0.1 * size &&
    [index - 1, index + 1].some(
      (at) => at > 0 && chain[at] && areCentred(chain[at - 1]!, chain[at]) && !startsBelowOthers(chain, at),
    )
  );
}

/** Whether a line, or the line above it, starts exactly where lines near it start that have another middle. */
function startsBelowOthers(chain: Chain, index: number): boolean {
  const pair = [chain[index - 1]!, chain[index]!];
  return [...chain.slice(Math.max(0, index - 3), index - 1), ...chain.slice(index + 1, index + 3)].some(
    (other) =>
      pair.some(
        ({ left, right, size }) =>
          Math.abs(other.left - left) < 0.05 * size && Math.abs(other.right - right) > size,
      ),
  );
}

function areCentred(above: TextLine, line: TextLine): boolean {
  const size = Math.min(above.size, line.size);
  return (
    Math.abs(above.left + above.right - line.left - line.right) < 0.8 * size &&
    Math.abs(above.left - line.left) > 0.5 * size &&
    Math.abs(above.right - line.right) > 0.5 * size
  );
}
