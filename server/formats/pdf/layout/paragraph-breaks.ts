import type { ColumnEnds } from './column-ends.ts';
import type { DrawnAreas } from './drawn-areas.ts';
import { startsEntry } from './entries.ts';
import type { FormFields } from './form-fields.ts';
import { startsWithSign } from './item-signs.ts';
import { type Edges, edgesOf, isRunning, LineEnds, roomInChain } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { capitalStart, continues, isOpen, labelStart, lowerStart, sentenceEnd } from './sentences.ts';
import { least, median } from './statistics.ts';
import type { TableRows } from './table-rows.ts';
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
/** The same factor relative to the lines between which a sentence continues, and the minimum number of such lines. */
const maxLeadingOfText = 1.3;
const minSentences = 3;
const maxSizeRatio = 1.12;
/**
 * The minimum free space at the end of a line from which the line ends early, in addition to the width of the next
 * word, as a share of the font size. The second value applies after the end of a sentence.
 */
const minRoomAfterBreak = 1;
const minRoomAfterSentence = 0.5;
/**
 * The length of a line, as a share of the longest possible line, above which the line may continue in the next one. The
 * second value applies to items of lists and to lines with many words.
 */
const maxOfLine = 0.6;
const minOfItem = 0.75;
const minWordsOfText = 8;
/**
 * The maximum distance of a form field from the text after it, the maximum width of a check box, and the maximum
 * distance of a label from the field after it, as factors of the font size.
 */
const maxFieldDistance = 2.5;
const maxCheckBox = 3;
const maxFieldReach = 12;
/** The maximum height of a cell that contains only one text, as a factor of the line distance. */
const maxLinesOfCell = 8;

const itemNumber =
  /^(?:\[\d{1,3}\]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivxlc]{1,5}[.)]|[IVX]{1,5}\.|\d{1,2}(?:\.\d{1,2})+\.?)\s/iu;
/**
 * A text in a script that has no capital letters at the start of a sentence, but has words that may be too long for the
 * end of a line.
 */
const spacedWithoutCase = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Thai}]/u;

/** The parts of a page by which paragraphs are found. */
export interface PageParts {
  areas: DrawnAreas;
  fields: FormFields;
  columns: ColumnEnds;
  table: TableRows;
}

/** Splits chains of lines into paragraphs. */
export class ParagraphBreaks {
  readonly #parts: PageParts;
  readonly #ends: LineEnds;
  readonly #maxLeading: number;

  /** @param chains all chains of the page; the usual line distance is determined from them */
  constructor(chains: readonly Chain[], parts: PageParts) {
    this.#parts = parts;
    this.#ends = new LineEnds(chains, parts.columns);
    this.#maxLeading = Math.min(maxLeading, maxLeadingRatio * usualLeading(chains));
  }

  /** Splits a chain into paragraphs, headings and cells. */
  split(chain: Chain): TextLine[][] {
    const edges = edgesOf(chain);
    const paragraphs: TextLine[][] = [];
    const leading = leadingOfSentences(chain);
    for (const [index, line] of chain.entries()) {
      const open = paragraphs.at(-1);
      const isFar = open && open.at(-1)!.baseline - line.baseline > maxLeadingOfText * leading * line.size;
      if (!open || isFar || this.#breaks(chain, edges, index, open.length)) paragraphs.push([line]);
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
    const isInCell = this.#areInOneCell(above, line);
    const roomHere = roomInChain(chain, edges, index, isCentred);
    const room = isCentred && isInCell ? roomHere : this.#ends.roomBefore(chain, edges, index, isCentred);
    const endsSentence = sentenceEnd.test(above.text);
    const word = isCentred ? Math.min(line.firstWordWidth, above.right - above.left) : line.firstWordWidth;
    const enough = word + (endsSentence ? minRoomAfterSentence : minRoomAfterBreak) * line.size;
    const endsEarly = room > enough;
    const endsEarlyHere = roomHere > enough;
    const goesOn = continues(above.text, line.text);
    const mayGoOn = goesOn || isOpen(above.text, line.text);
    if (this.#startsField(above, line, goesOn, mayGoOn)) return true;
    if (startsLabel(chain[index - length]!, above, line, length)) return true;
    if (
      !mayGoOn &&
      startsEntry(chain, index, this.#ends.isTitle(line)) &&
      !isRunning(chain, edges, index, isCentred)
    )
      return true;
    if (changesStyle(above, line, length, mayGoOn ? endsEarlyHere : endsEarly, mayGoOn, goesOn)) return true;
    if (!mayGoOn && mixesNumbers(above, line, length, endsEarly)) return true;
    const row = this.#parts.table.breakBetween(above, line);
    const isRow = row === 'likely' || (row === 'paired' && (!isInCell || (endsSentence && isLong(above))));
    const mayBeRow = endsEarlyHere || !(row === 'paired' ? mayGoOn : goesOn) || isListOfWords(chain, index);
    if (row === 'certain' || (isRow && mayBeRow)) return true;
    if (startsItem(chain, edges, index, length, endsEarly)) return true;
    if (!isCentred && changesIndent(chain, edges, index, length, endsEarly && !mayGoOn)) return true;
    if (!endsEarly || mayGoOn) return false;
    const share = (above.right - above.left) / (above.right - above.left + room);
    if (spacedWithoutCase.test(line.text) && !endsSentence && share > maxOfLine) return false;
    const isText = above.text.split(' ').length >= minWordsOfText || this.#isItem(chain[index - length]!);
    return endsSentence || share < minOfItem || !isText;
  }

  /** Whether a line is the first line of an item of a list. */
  #isItem(line: TextLine): boolean {
    const field = this.#parts.fields.nextTo(line).left;
    const isAtField = field !== undefined && line.left - field.right < maxFieldDistance * line.size;
    return isAtField || this.#parts.table.isLabeled(line) || startsLikeItem(line.text);
  }

  /** Whether a line starts next to a form field, or the line above ends at one or at dots up to a page number. */
  #startsField(above: TextLine, line: TextLine, goesOn: boolean, mayGoOn: boolean): boolean {
    const { fields, columns } = this.#parts;
    if (fields.isBetween(above, line)) return true;
    const [upper, lower] = [fields.nextTo(above), fields.nextTo(line)];
    const [textsAbove, texts] = [columns.textsBeside(above), columns.textsBeside(line)];
    const near = maxFieldDistance * line.size;
    const startsAtField =
      lower.left !== undefined &&
      lower.left !== upper.left &&
      line.left - lower.left.right < near &&
      !(goesOn && lower.left.right - lower.left.left > maxCheckBox * line.size) &&
      !(texts.left && texts.left.right > lower.left.right);
    if (startsAtField) return true;
    const after = textsAbove.right;
    if (after?.isLeader && after.left - above.right < near) return true;
    return (
      !mayGoOn &&
      upper.right !== undefined &&
      upper.right !== lower.right &&
      upper.right.left - above.right < maxFieldReach * line.size &&
      !(after && after.left < upper.right.left)
    );
  }

  /** Whether two lines are in the same small cell between rules. */
  #areInOneCell(above: TextLine, line: TextLine): boolean {
    const cell = this.#parts.areas.container({
      left: Math.min(above.left, line.left),
      right: Math.max(above.right, line.right),
      bottom: line.baseline,
      top: above.baseline + 0.7 * above.size,
    });
    return cell !== null && cell.top - cell.bottom < maxLinesOfCell * (above.baseline - line.baseline);
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
      this.#parts.areas.hasRuleBetween(
        line.baseline + 0.4 * line.size,
        above.baseline + 0.1 * above.size,
        common,
        above,
      )
    )
      return true;
    return this.#parts.areas.boxOf(above) !== this.#parts.areas.boxOf(line);
  }
}

/**
 * Returns the usual distance between lines of a chain between which a sentence continues, as a factor of the font size;
 * infinity if there are too few of them.
 */
function leadingOfSentences(chain: Chain): number {
  const leadings = chain.slice(1).flatMap((line, index) => {
    const above = chain[index]!;
    return continues(above.text, line.text) ? [(above.baseline - line.baseline) / line.size] : [];
  });
  return leadings.length < minSentences ? Number.POSITIVE_INFINITY : median(leadings);
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
 * Whether a change of the style shows that a paragraph ends between two lines: for example a heading above its text, or
 * a bold label above a value. A few bold words in a paragraph are not such a change.
 *
 * @param mayGoOn whether the text may continue at the line
 * @param goesOn whether a sentence continues at the line
 */
function changesStyle(
  above: TextLine,
  line: TextLine,
  length: number,
  endsEarly: boolean,
  mayGoOn: boolean,
  goesOn: boolean,
): boolean {
  if (goesOn && !(above.isUniform && line.isUniform)) return false;
  if (isSameStyle(above.edgeStyles.last, line.edgeStyles.first)) return false;
  if (above.isUniform && line.isUniform)
    return endsEarly || !(mayGoOn || (length > 1 && !sentenceEnd.test(above.text)));
  const isHeading =
    length === 1 && above.isUniform && above.style.bold && !line.edgeStyles.first.bold && !mayGoOn;
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
  return startsWithSign(text) || itemNumber.test(text);
}

/**
 * Whether a label with a colon starts at a line: after another label, or after a line that is only a label. A label in
 * the middle of a paragraph is a part of it.
 *
 * @param first the first line of the paragraph that ends at the line above
 */
function startsLabel(first: TextLine, above: TextLine, line: TextLine, length: number): boolean {
  if (length === 1 && /^[^:]{1,40}:$/u.test(above.text) && capitalStart.test(line.text)) return true;
  return labelStart.test(line.text) && (labelStart.test(first.text) || labelStart.test(above.text));
}

function startsItem(
  chain: Chain,
  edges: readonly Edges[],
  index: number,
  length: number,
  endsEarly: boolean,
): boolean {
  const [above, line] = [chain[index - 1]!, chain[index]!];
  if (startsWithSign(line.text) || startsWithMark(line)) return true;
  if (!itemNumber.test(line.text)) return false;
  const isShifted = Math.abs(edges[index]!.start - edges[index - 1]!.start) > 0.3 * line.size;
  const isNext = shapeOf(line.text) === shapeOf(chain[index - length]!.text);
  // A number in square brackets may also be a citation in a sentence, after a name such as Lee et al.
  const isCitation = line.text.startsWith('[');
  return endsEarly || isShifted || isNext || (!isCitation && sentenceEnd.test(above.text));
}

/** Returns the form of an item number: the same for `1.` and `22.`, another one for `1)` and `a.`. */
function shapeOf(text: string): string | undefined {
  return itemNumber
    .exec(text)?.[0]
    .replaceAll(/\d+/g, '1')
    .replaceAll(/\p{Lu}+/gu, 'A')
    .replaceAll(/\p{Ll}+/gu, 'a');
}

/** Whether a line has enough words for a sentence. */
function isLong({ text }: TextLine): boolean {
  return text.split(' ').length > 3;
}

/** Whether a line starts with a superscript: the mark of a note or of an affiliation. */
function startsWithMark({ characters, rises }: TextLine): boolean {
  const first = characters[0]?.glyph;
  return first !== null && first !== undefined && (rises.get(first.piece) ?? 0) > 0;
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
    (isNextAligned || startsLikeItem(chain[index - 1]!.text) || lowerStart.test(text));
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
