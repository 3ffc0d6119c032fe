import type { DrawnAreas } from './drawn-areas.ts';
import type { Chain } from './line-links.ts';
import { least, median } from './statistics.ts';
import type { RowBreak } from './table-rows.ts';
import { isSameStyle, type TextLine } from './text-lines.ts';

/** The minimum and maximum distance between lines of a paragraph, as shares of the font size. */
const minLeading = 0.55;
const maxLeading = 2.6;
/** The factor by which a line distance in a paragraph may exceed the usual line distance of the page. */
const maxLeadingRatio = 1.35;
/** The minimum number of line distances from which the usual line distance is determined. */
const minLeadings = 4;
const minIndent = 0.5;
const maxIndent = 8;
/** The factor by which a line distance in a paragraph may exceed the line distances before and after it. */
const maxLeadingChange = 1.18;
const maxSizeRatio = 1.12;
/**
 * The minimum free space at the end of a line from which the line ends early, in addition to the width of the next
 * word, as a share of the font size. The second value applies after the end of a sentence.
 */
const minRoomAfterBreak = 1;
const minRoomAfterSentence = 0.5;
/**
 * As shares of the width of the paragraph: the minimum free space after a hard line break, and the length of a line
 * above which the line may continue in the next one.
 */
const minRoomOfHardBreak = 0.2;
const maxOfLine = 0.6;
/** How many lines above and below are used to determine the width of a paragraph. */
const nearbyLines = 6;

/** A text that starts with a bullet, a check box, or an option of a command. */
const bullet = /^(?:[•‣◦▪▫●○■◆◇►▶➢✓✔·*–—-]\s|[□√☐☑☒]|--?\p{L})/u;
const label =
  /^(?:\[\d{1,3}\]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivxlc]{1,5}[.)]|[IVX]{1,5}\.|\d{1,2}(?:\.\d{1,2})+\.?)\s/iu;
const sentenceEnd = /[.!?:;…。！？؟।۔：；]["'”’)\]»」』]*$/u;
const capitalStart = /^["'“‘(«]*[\p{Lu}\p{Nd}]/u;
const lowerStart = /^["'“‘(«]*\p{Ll}/u;
/**
 * A text in a script that has no capital letters at the start of a sentence, but has words that may be too long for the
 * end of a line.
 */
const spacedWithoutCase = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u;

/** Splits chains of lines into paragraphs. */
export class ParagraphBreaks {
  readonly #areas: DrawnAreas;
  readonly #rowBreak: (above: TextLine, below: TextLine) => RowBreak;

  readonly #maxLeading: number;

  /**
   * @param chains all chains of the page; the usual line distance is determined from them
   * @param rowBreak returns whether two lines are cells of different rows of a table without rules
   */
  constructor(
    chains: readonly Chain[],
    areas: DrawnAreas,
    rowBreak: (above: TextLine, below: TextLine) => RowBreak,
  ) {
    this.#areas = areas;
    this.#rowBreak = rowBreak;
    this.#maxLeading = Math.min(maxLeading, maxLeadingRatio * usualLeading(chains));
  }

  /** Splits a chain into paragraphs, headings and cells. */
  split(chain: Chain): TextLine[][] {
    const isRightToLeft = chain.filter((line) => line.isRightToLeft).length * 2 > chain.length;
    // Like right-to-left text, right-aligned text is measured from its right edge, at which its lines are aligned.
    const fromRight = isRightToLeft || isFlushRight(chain);
    const edges = chain.map(({ left, right }) =>
      fromRight ? { start: -right, end: -left } : { start: left, end: right },
    );
    const paragraphs: TextLine[][] = [];
    for (const [index, line] of chain.entries()) {
      const open = paragraphs.at(-1);
      if (!open || this.#breaks(chain, edges, index, open.length)) paragraphs.push([line]);
      else open.push(line);
    }
    return paragraphs;
  }

  /**
   * Whether a paragraph starts at a line of a chain.
   *
   * @param length the number of lines of the paragraph that ends directly before line `index`
   */
  #breaks(chain: Chain, edges: readonly Edges[], index: number, length: number): boolean {
    const [above, line] = [chain[index - 1]!, chain[index]!];
    if (this.#isApart(above, line) || hasWiderLeading(chain, index)) return true;
    const isCentred = areCentred(above, line);
    const room = roomFor(chain, edges, index, isCentred);
    const endsSentence = sentenceEnd.test(above.text);
    const word = isCentred ? Math.min(line.firstWordWidth, above.right - above.left) : line.firstWordWidth;
    const endsEarly = room > word + (endsSentence ? minRoomAfterSentence : minRoomAfterBreak) * line.size;
    const continues = lowerStart.test(line.text) && !endsSentence;
    if (changesStyle(above, line, length, endsEarly, continues)) return true;
    if (mixesNumbers(above, line, length, endsEarly)) return true;
    const isRow = this.#rowBreak(above, line);
    if (
      isRow === 'certain' ||
      (isRow === 'likely' && (endsEarly || !continues || isListOfWords(chain, index)))
    )
      return true;
    if (startsItem(above, line, edges, index, endsEarly)) return true;
    if (!isCentred && changesIndent(chain, edges, index, length, endsEarly)) return true;
    const isWide = above.right - above.left > maxOfLine * (above.right - above.left + room);
    if (length === 1 && !endsEarly && isLongestOfLines(chain, edges, index)) return true;
    const goesOn = continues || (spacedWithoutCase.test(line.text) && !endsSentence && isWide);
    return endsEarly && !(goesOn && !endedEarlyBefore(chain, edges, index, length));
  }

  /** Whether two lines are separated by a rule or a box, differ in size, or are too far apart. */
  #isApart(above: TextLine, line: TextLine): boolean {
    const size = Math.max(above.size, line.size);
    const isOtherSize = (one: number, other: number) =>
      Math.max(one, other) > maxSizeRatio * Math.min(one, other);
    if (
      isOtherSize(above.size, line.size) &&
      isOtherSize(above.edgeStyles.last.size, line.edgeStyles.first.size)
    )
      return true;
    const drop = above.baseline - line.baseline;
    if (drop < minLeading * size || drop > this.#maxLeading * size) return true;
    const common = { left: Math.max(above.left, line.left), right: Math.min(above.right, line.right) };
    if (
      this.#areas.hasRuleBetween(
        line.baseline + 0.4 * line.size,
        above.baseline + 0.1 * above.size,
        common,
        size,
      )
    )
      return true;
    return this.#areas.boxOf(above) !== this.#areas.boxOf(line);
  }
}

interface Edges {
  start: number;
  end: number;
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
      Math.abs(above.right - right) < 0.2 * size && Math.abs(above.left - left) > minIndent * size;
    if (isFlush) flush++;
    else others++;
  }
  return flush > 1 && flush > others;
}

/** Returns the usual distance between the baselines of consecutive lines, as a factor of the font size. */
function usualLeading(chains: readonly Chain[]): number {
  const leadings = chains.flatMap((chain) =>
    chain.slice(1).flatMap((line, index) => {
      const above = chain[index]!;
      const leading = (above.baseline - line.baseline) / Math.max(above.size, line.size);
      const isText = above.right - above.left > 8 * above.size && above.hasLetters;
      return isText && leading > minLeading && leading < maxLeading ? [leading] : [];
    }),
  );
  return leadings.length < minLeadings ? Math.max(1.2, median(leadings)) : median(leadings);
}

/** Whether the distance from a line to the previous line is greater than the distances before and after this one. */
function hasWiderLeading(chain: Chain, index: number): boolean {
  const dropTo = (at: number) => {
    const [above, line] = [chain[at - 1], chain[at]];
    return above && line ? above.baseline - line.baseline : Number.POSITIVE_INFINITY;
  };
  const { size } = chain[index]!;
  const neighbors = [index - 1, index + 1].filter((at) => {
    const other = chain[at === index - 1 ? at - 1 : at];
    return other && Math.abs(other.size - size) < 0.25 * size;
  });
  return dropTo(index) > maxLeadingChange * least(neighbors.map(dropTo)) + 0.4;
}

function areCentred(above: TextLine, line: TextLine): boolean {
  const size = Math.min(above.size, line.size);
  return (
    Math.abs(above.left + above.right - line.left - line.right) < 0.8 * size &&
    Math.abs(above.left - line.left) > 0.5 * size &&
    Math.abs(above.right - line.right) > 0.5 * size
  );
}

/**
 * Returns the free space at the end of the previous line, in points. It extends to the furthest end of nearby lines
 * that start at the same position. For centered lines, it is the difference from the width of the widest nearby line.
 */
function roomFor(chain: Chain, edges: readonly Edges[], index: number, isCentred: boolean): number {
  const [above, own] = [edges[index - 1]!, edges[index]!];
  const { size } = chain[index]!;
  let end = above.end;
  let width = above.end - above.start;
  for (let at = Math.max(0, index - nearbyLines); at < Math.min(chain.length, index + nearbyLines); at++) {
    const other = edges[at]!;
    if (Math.abs(chain[at]!.size - size) > 0.15 * size) continue;
    width = Math.max(width, other.end - other.start);
    const isAligned = [above, own].some(({ start }) => Math.abs(other.start - start) < minIndent * size);
    if (isAligned) end = Math.max(end, other.end);
  }
  return isCentred ? width - (above.end - above.start) : end - above.end;
}

/**
 * Whether a change of the style shows that a paragraph ends between two lines: for example a heading above its text, or
 * a bold label above a value. A few bold words in a paragraph are not such a change.
 */
function changesStyle(
  above: TextLine,
  line: TextLine,
  length: number,
  endsEarly: boolean,
  continues: boolean,
): boolean {
  if (isSameStyle(above.edgeStyles.last, line.edgeStyles.first)) return false;
  if (above.isUniform && line.isUniform)
    return endsEarly || !(continues || (length > 1 && !sentenceEnd.test(above.text)));
  const isHeading =
    length === 1 && above.isUniform && above.style.bold && !line.edgeStyles.first.bold && !continues;
  return isHeading || endsEarly || sentenceEnd.test(above.text);
}

/** Whether two lines, and a third one next to them, have only one word each. Such lines are cells, not running text. */
function isListOfWords(chain: Chain, index: number): boolean {
  const isWord = (at: number) => chain[at] !== undefined && !chain[at].text.includes(' ');
  return isWord(index - 1) && isWord(index) && (isWord(index - 2) || isWord(index + 1));
}

/**
 * Whether a line without letters, such as a number, separates paragraphs. It belongs to a paragraph only if it is in
 * the middle of one.
 */
function mixesNumbers(above: TextLine, line: TextLine, length: number, endsEarly: boolean): boolean {
  if (above.hasLetters === line.hasLetters) return false;
  if (above.hasLetters) return endsEarly || above.text.split(' ').length < 3;
  return length < 2;
}

function startsLikeItem(text: string): boolean {
  return bullet.test(text) || label.test(text);
}

function startsItem(
  above: TextLine,
  line: TextLine,
  edges: readonly Edges[],
  index: number,
  endsEarly: boolean,
): boolean {
  if (bullet.test(line.text)) return true;
  if (!label.test(line.text)) return false;
  const isShifted = Math.abs(edges[index]!.start - edges[index - 1]!.start) > 0.3 * line.size;
  return endsEarly || isShifted || sentenceEnd.test(above.text);
}

/** Whether a paragraph starts because its first line is indented, or because a group of indented lines ends. */
function changesIndent(
  chain: Chain,
  edges: readonly Edges[],
  index: number,
  length: number,
  endsEarly: boolean,
): boolean {
  const [above, line, next] = [edges[index - 1]!, edges[index]!, edges[index + 1]];
  const { size, text } = chain[index]!;
  const indent = line.start - above.start;
  if (Math.abs(indent) <= minIndent * size) return false;
  const isNextAligned = next !== undefined && Math.abs(next.start - line.start) < 0.3 * size;
  if (indent < 0) return length > 1 || -indent > maxIndent * size;
  const isHanging =
    length === 1 &&
    !endsEarly &&
    (isNextAligned || startsLikeItem(chain[index - 1]!.text) || (!next && lowerStart.test(text)));
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

/**
 * Whether the previous line is the longest of several lines with hard line breaks, as in an address. In this case no
 * other nearby line is as long, and the current line also ends early.
 */
function isLongestOfLines(chain: Chain, edges: readonly Edges[], index: number): boolean {
  const [above, line, next] = [chain[index - 1]!, chain[index]!, chain[index + 1]];
  if (!next || /[\p{P}]$/u.test(above.text) || !isSameStyle(line.style, next.style)) return false;
  if (!capitalStart.test(line.text) || !capitalStart.test(next.text)) return false;
  const around = edges.slice(Math.max(0, index - nearbyLines), index + nearbyLines);
  const { end } = edges[index - 1]!;
  if (around.filter((other) => other.end > end - line.size).length > 1) return false;
  return (
    roomFor(chain, edges, index + 1, areCentred(line, next)) >
    next.firstWordWidth + minRoomAfterBreak * line.size
  );
}

/**
 * Whether the last two lines of the paragraph clearly had hard line breaks. If so, a lower-case letter at the start of
 * the next line does not show that the sentence continues.
 */
function endedEarlyBefore(chain: Chain, edges: readonly Edges[], index: number, length: number): boolean {
  if (length < 2) return false;
  return [index - 1, index].every((at) => {
    const [above, line] = [chain[at - 1]!, chain[at]!];
    const room = roomFor(chain, edges, at, areCentred(above, line));
    return (
      room > line.firstWordWidth + minRoomAfterBreak * line.size &&
      room > minRoomOfHardBreak * (above.right - above.left + room)
    );
  });
}
