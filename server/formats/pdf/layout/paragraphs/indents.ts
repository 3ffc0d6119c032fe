import { lowerStart, sentenceEnd } from '../sentences.ts';
import { startsLikeItem } from './item-starts.ts';
import { edgesOf, minWidthOfText, wordSpace } from './line-ends.ts';
import type { Chain } from './line-links.ts';

/** The minimum indent, as a share of the font size. The first bracket of a Japanese line hangs over by a half. */
export const minIndent = 0.55;
const maxIndent = 8;
/** The minimum number of lines of a text next to an object, and the maximum difference between their edges, in em. */
const minLinesBeside = 3;
const sameEnd = 0.1;
/** How much shorter than the next line the only line of a paragraph is, as a share of the font size. */
const shorter = 1;
/** The end of a line whose number is in the next one. */
const numberEnd = /\s(?:Nos?|Nr|Vol|pp?)\.$/u;

/**
 * Whether a paragraph starts because its first line is indented, or because a group of indented lines ends.
 *
 * @param length the number of lines of the paragraph above line `index`
 * @param mayGoOn whether the text may continue at the line
 */
export function changesIndent(
  chain: Chain,
  index: number,
  length: number,
  endsEarly: boolean,
  mayGoOn: boolean,
): boolean {
  const edges = edgesOf(chain);
  const [above, line, next] = [edges[index - 1]!, edges[index]!, edges[index + 1]];
  const { size, text } = chain[index]!;
  const indent = line.start - above.start;
  const isAfter = (at: number) => edges[at] !== undefined && edges[at].start - line.start > minIndent * size;
  // Of a list with hanging lines, an item of one line is between hanging lines. A paragraph of one line may have the same
  // indent as the first line of the next paragraph.
  const isFirst = () =>
    next !== undefined &&
    line.start - next.start > minIndent * size &&
    next.end - above.end > shorter * size &&
    sentenceEnd.test(chain[index - 1]!.text);
  if (Math.abs(indent) <= minIndent * size)
    return length === 1 && !mayGoOn && ((isAfter(index - 2) && isAfter(index + 1)) || isFirst());
  const isNextAligned = next !== undefined && Math.abs(next.start - line.start) < 0.3 * size;
  // In a text with hanging lines, the next word has no room at the end of a line.
  const isNextWrapped =
    isNextAligned &&
    Math.max(above.end, next.end) - line.end < chain[index + 1]!.firstWordWidth + wordSpace * size;
  const upper = chain[index - 1]!;
  if (indent < 0) {
    // The lines next to an object start at one position, and the full line below it starts at another one.
    const isBelowObject =
      length >= minLinesBeside &&
      !endsEarly &&
      !sentenceEnd.test(upper.text) &&
      (mayGoOn || Math.abs(line.end - above.end) < sameEnd * size) &&
      edges.slice(index - length, index).every(({ start }) => Math.abs(start - above.start) < sameEnd * size);
    return !isBelowObject && (length > 1 || -indent > maxIndent * size);
  }
  const isUnfinished =
    upper.right - upper.left > minWidthOfText * size &&
    indent < maxIndent * size &&
    (!sentenceEnd.test(upper.text) || (numberEnd.test(upper.text) && /^\d/.test(text)));
  const isHanging =
    length === 1 &&
    !endsEarly &&
    (isNextWrapped || startsLikeItem(upper.text) || lowerStart.test(text) || isUnfinished);
  if (isHanging) return false;
  // Lines that end at the same position but start at different positions are right-aligned, so their starts do not show
  // an indent.
  const isFlushEnd = [above, next].every((other) => other && Math.abs(other.end - line.end) < 0.2 * size);
  const isRagged =
    isFlushEnd &&
    next !== undefined &&
    !isNextAligned &&
    Math.abs(next.start - above.start) > minIndent * size;
  return !isRagged;
}
