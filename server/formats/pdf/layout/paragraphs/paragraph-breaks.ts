import type { Rectangle } from '../../geometry.ts';
import { runsOf } from '../../statistics.ts';
import type { DrawnAreas } from '../drawn-areas.ts';
import { type FormFields, maxCheckBox } from '../form-fields.ts';
import {
  capitalStart,
  contactAtStart,
  continues,
  isAddress,
  isOpen,
  jointAtEnd,
  labelStart,
  sentenceEnd,
  withoutCase,
} from '../sentences.ts';
import { continuesAddress } from './addresses.ts';
import type { ColumnEnds } from './column-ends.ts';
import { differInNumbers, isBoldLikeStart, isListOfLines, startsEntry } from './entries.ts';
import { changesIndent, isNextItem, minIndent, startsItem, startsLabel, startsLikeItem } from './indents.ts';
import { hasSameLeading, Leadings } from './leadings.ts';
import type { LineElements } from './line-elements.ts';
import { isRunning, LineEnds, roomInChain, wordSpace } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { isCentredAt } from './line-links.ts';
import {
  changesScript,
  changesStyle,
  continuesInIdeographs,
  hasWords,
  isAmongShort,
  isDisplayed,
  isHeadingOf,
  isListOfWords,
  isLong,
  isOtherSize,
  isProse,
  mixesNumbers,
  runsOn,
} from './line-pairs.ts';
import { isNumberOfItem } from './list-labels.ts';
import type { RowBreak, TableRows } from './table-rows.ts';
import type { TextLine } from './text-lines.ts';

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
/** The minimum width of both lines of a title, as a share of the column. A date below a title is shorter. */
const minOfTitle = 0.5;
const minWordsOfText = 8;
const minWordsOfSentence = 6;
const minWordsOfTitle = 10;
/**
 * The minimum number of words of a text from which its sentence continues, although the file declares two texts: of any
 * text, and of prose (`isProse`). The maximum distance of the next line, as a factor of the font size.
 */
const minWordsOfLine = 12;
const minWordsOfProse = 5;
const maxLineDistance = 1.6;
/** The same for a sentence that continues: the distance of one and a half lines in common fonts is up to 1.83. */
const maxDistanceInSentence = 1.85;
/**
 * The maximum distance of a form field from the text after it, and of a label from the field after it, as factors of the
 * font size.
 */
const maxFieldDistance = 2.5;
const maxFieldReach = 12;
/** The maximum difference between the distances of check boxes and of their labels, as a factor of the font size. */
const maxShiftOfBox = 0.4;
/** The maximum number of lines above in which the words of a text are counted. */
const maxLinesAbove = 12;
/** The maximum height of a cell that contains only one text, as a factor of the line distance. */
const maxLinesOfCell = 8;

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
  elements: LineElements;
  bullets: ReadonlySet<TextLine>;
  /** The lines after a drawn bullet, and after a larger icon. */
  bulleted: ReadonlySet<TextLine>;
  icons: ReadonlySet<TextLine>;
}

/**
 * The signs by which a text continues from one line to the next, or does not: whether a sentence continues (`goesOn`), or
 * the text may; whether the upper line ends before the end of its column, or before that of the nearby lines (`Here`).
 */
type Join = { row: RowBreak } & Record<
  'goesOn' | 'mayGoOn' | 'endsEarly' | 'endsEarlyHere' | 'endsSentence' | 'isCentred' | 'isInCell' | 'wraps',
  boolean
>;

/** Whether the line above line `index` of a chain ends because the next word does not fit. */
function isFullHere(chain: Chain, index: number, isCentred: boolean): boolean {
  const line = chain[index];
  return (
    line !== undefined && roomInChain(chain, index, isCentred) < line.firstWordWidth + wordSpace * line.size
  );
}

/** Splits chains of lines into paragraphs. */
export class ParagraphBreaks {
  readonly #parts: PageParts;
  readonly #ends: LineEnds;
  readonly #leadings: Leadings;

  /** @param chains all chains of the page */
  constructor(chains: readonly Chain[], parts: PageParts) {
    this.#parts = parts;
    this.#ends = new LineEnds(chains, parts.columns);
    this.#leadings = new Leadings(chains);
  }

  /** Splits a chain into paragraphs, headings and cells. */
  split(chain: Chain): TextLine[][] {
    return runsOf(chain, ({ length }, _line, index) => !this.#breaks(chain, index, length));
  }

  /**
   * Whether a paragraph starts at a line of a chain.
   *
   * @param length the number of lines of the paragraph that ends directly before line `index`
   */
  #breaks(chain: Chain, index: number, length: number): boolean {
    const [above, line] = [chain[index - 1]!, chain[index]!];
    const relation = this.#parts.elements.relation(above, line);
    if (isDisplayed(above, line) || this.#parts.bullets.has(line)) return true;
    if (isNumberOfItem(above.text) && isNumberOfItem(line.text)) return true;
    if (relation !== 'same' && differInNumbers(above, line)) return true;
    // In a declared paragraph, rules and boxes are underlines, shading or a watermark.
    if (relation !== 'same' && this.#areSeparated(above, line)) return true;
    if (relation !== 'same' && this.#parts.bulleted.has(line)) return true;
    const isCentred = isCentredAt(chain, index);
    const cell = this.#commonCell(above, line);
    const isInCell = cell !== null;
    const most = cell ? cell.right - cell.left - above.right + above.left : Number.POSITIVE_INFINITY;
    const roomHere = Math.min(most, roomInChain(chain, index, isCentred));
    const wraps = !isCentred && this.#parts.table.mayWrapItem(above, line, roomHere);
    const isKnown = wraps || (isCentred && isInCell);
    const room = isKnown ? roomHere : Math.min(most, this.#ends.roomBefore(chain, index, isCentred));
    const endsSentence = sentenceEnd.test(above.text);
    const word = isCentred ? Math.min(line.firstWordWidth, above.right - above.left) : line.firstWordWidth;
    const isFull = !endsSentence && isRunning(chain, index, isCentred);
    const enough = word + (isFull ? minRoomAfterBreak : minRoomAfterSentence) * line.size;
    const endsEarly = room > enough;
    const endsEarlyHere = roomHere > enough;
    // A long title with a colon may continue in a line with another one.
    const isFullTitle = room <= 0 && !endsSentence && hasWords([above], minWordsOfTitle);
    const goesOn = (length > 1 || above.hasLetters) && continues(above.text, line.text);
    const isListed = length > 1 && [above, chain[index - 2]!].every(({ text }) => text.endsWith(','));
    const mayGoOn = goesOn || isListed || isOpen(above.text, line.text, endsEarly);
    if (relation !== 'same' && endsEarly && !isCentred && this.#isEntry(above, line)) return true;
    if (relation === 'same' && endsSentence && this.#startsHeading(chain, index, isCentred)) return true;
    if (isOtherSize(above, line, mayGoOn, endsEarly)) return true;
    const linesAbove = chain.slice(Math.max(index - length, index - maxLinesAbove), index);
    const isPart = relation === 'other' && isProse(chain[index - length]!, line);
    const endsInJoint = jointAtEnd.test(above.text);
    const endsInComma = isPart && above.text.endsWith(',') && hasWords(linesAbove, minWordsOfLine);
    const isUnfinished = ((goesOn || endsInComma) && !endsEarlyHere) || (endsInJoint && (goesOn || isPart));
    const drop = (above.baseline - line.baseline) / line.size;
    // The lines of a centered sentence end where their author has broken them.
    const isCentredSentence =
      isCentred && goesOn && drop < maxLineDistance && runsOn([above], line, minWordsOfSentence);
    if (relation === 'other' && isCentredSentence) return false;
    const isOneText =
      relation === 'same' ||
      (isUnfinished && runsOn(linesAbove, line, isPart ? minWordsOfProse : minWordsOfSentence)) ||
      (isPart && !endsEarlyHere && continuesInIdeographs(above, line));
    const isNear = drop < maxLineDistance;
    if (endsEarly && !isNear && !isCentred && room > above.right - above.left) return true;
    const { elements } = this.#parts;
    const isTitle =
      ((isCentred && hasWords([above], minWordsOfSentence)) || this.#ends.isTitle(line)) &&
      [above, line].every((one) => this.#ends.shareOfColumn(one) > minOfTitle) &&
      elements.areParagraphs(above, line);
    const areHeadings = elements.areHeadings(above, line);
    const isTorn = (!endsEarly && !endsSentence && isTitle) || (areHeadings && mayGoOn);
    const isNext =
      isNear || (goesOn && drop < maxDistanceInSentence) || elements.haveLeadingOfText(above, line);
    const isSentence = isOneText && (isPart || hasWords(linesAbove, minWordsOfLine));
    if (relation === 'other' && !(isNext && (isTorn || isSentence))) return true;
    const mayRun = (isNear || !endsSentence) && isRunning(chain, index, isCentred);
    const maySpread = isOneText && (mayGoOn || mayRun);
    if (!maySpread && this.#leadings.separate(chain, index)) return true;
    if (continuesAddress(chain, index)) return false;
    if (!mayGoOn && this.#endsContact(above, line, isCentred)) return true;
    if (this.#startsField(above, line, goesOn, mayGoOn, endsEarly)) return true;
    if (isAddress(line.text) && (/[.!?:]$/u.test(above.text) || isAddress(above.text))) return true;
    if (!isFullTitle && startsLabel(chain[index - length]!, above, line, length)) return true;
    const row = this.#parts.table.breakBetween(above, line);
    if (row === 'certain') return true;
    if (!(isOneText && !endsEarly) && startsItem(chain, index, length, endsEarly)) return true;
    if (isNextItem(chain[index - length]!.text, line.text)) return true;
    if (!mayGoOn && isHeadingOf(above, line, length)) return true;
    const join = { row, goesOn, mayGoOn, endsEarly, endsEarlyHere, endsSentence, isCentred, isInCell, wraps };
    if (!isOneText && this.#looksApart(chain, index, length, join)) return true;
    if (!endsEarly || mayGoOn || (relation === 'same' && areHeadings && !endsSentence)) return false;
    if (relation === 'same' && !endsSentence && !labelStart.test(line.text)) {
      const words = isLong(above) ? linesAbove : [above];
      if (!endsEarlyHere && hasWords(words, minWordsOfSentence)) return false;
      // An author has ended a line within a text.
      if (isNear && hasWords(linesAbove, minWordsOfLine) && isFullHere(chain, index + 1, isCentred))
        return false;
    }
    if (isAmongShort(chain, index, isCentred)) return true;
    const share = (above.right - above.left) / (above.right - above.left + room);
    if (spacedWithoutCase.test(line.text) && !endsSentence && share > maxOfLine) return false;
    const isText = hasWords([above], minWordsOfText) || startsLikeItem(chain[index - length]!.text);
    return endsSentence || share < minOfItem || !isText;
  }

  /** Whether the style, the place or the words of a line look like those of another text. */
  #looksApart(chain: Chain, index: number, length: number, join: Join): boolean {
    const [above, line] = [chain[index - 1]!, chain[index]!];
    const { row, goesOn, mayGoOn, endsEarly, endsEarlyHere, endsSentence, isCentred, isInCell } = join;
    if (!mayGoOn) {
      const runs = isRunning(chain, index, isCentred);
      if (!isCentred && !join.wraps && isListOfLines(chain, index, runs)) return true;
      if (!runs && startsEntry(chain, index, this.#ends.isTitle(line))) return true;
      if (isBoldLikeStart(chain[index - length]!, above, line)) return true;
    }
    if (changesScript(above, line)) return true;
    if (changesStyle(above, line, length, mayGoOn ? endsEarlyHere : endsEarly, mayGoOn, goesOn)) return true;
    if (!mayGoOn && mixesNumbers(above, line, length, endsEarly)) return true;
    const isFullText = !endsEarly && !endsSentence && hasWords([above], minWordsOfText);
    const mayFollow =
      row === 'none' && !mayGoOn && !join.wraps && !isFullText && !withoutCase.test(line.text);
    if (mayFollow && this.#followsRows(chain, index, length)) return true;
    const isRow = row === 'likely' || (row === 'paired' && (!isInCell || (endsSentence && isLong(above))));
    const isFullLine = !endsEarly && !endsSentence && hasWords([above], minWordsOfSentence);
    const continuesRow = row === 'paired' ? mayGoOn || isFullLine : goesOn;
    const mayBeRow = endsEarlyHere || !continuesRow || isListOfWords(chain, index);
    if (isRow && mayBeRow) return true;
    return !isCentred && changesIndent(chain, index, length, endsEarly && !mayGoOn, mayGoOn);
  }

  /**
   * Whether a line is at the same distance from the line above as this one from the row of a table before it. The cells
   * of the other columns may end before the last row.
   */
  #followsRows(chain: Chain, index: number, length: number): boolean {
    return (
      length === 1 &&
      index > 1 &&
      this.#parts.table.breakBetween(chain[index - 2]!, chain[index - 1]!) === 'paired' &&
      hasSameLeading(chain, index, index - 1)
    );
  }

  /** Whether two lines are next to icons, or each next to its own label. */
  #isEntry(above: TextLine, line: TextLine): boolean {
    const { icons, table } = this.#parts;
    return icons.has(above) || icons.has(line) || table.haveLabels(above, line);
  }

  /** Whether a line ends with a number or an address after its label, or is an address or a label of centred lines. */
  #endsContact(above: TextLine, line: TextLine, isCentred: boolean): boolean {
    const isLabel = isCentred && above.text.endsWith(':') && !this.#ends.isTitle(line);
    const isContact = contactAtStart.test(above.text) || (isCentred && isAddress(above.text));
    return isContact || (isLabel && capitalStart.test(line.text));
  }

  /** Whether a line starts next to a form field, or the line above ends at one, at dots or at a sign in a cell. */
  #startsField(
    above: TextLine,
    line: TextLine,
    goesOn: boolean,
    mayGoOn: boolean,
    endsEarly: boolean,
  ): boolean {
    const { fields, columns } = this.#parts;
    const [upper, lower] = [fields.nextTo(above), fields.nextTo(line)];
    const [textsAbove, texts] = [columns.textsBeside(above), columns.textsBeside(line)];
    const near = maxFieldDistance * line.size;
    const [boxAbove, box] = [upper.left, lower.left];
    if (box && box !== boxAbove && line.left - box.right < near) {
      const isCheckBox = box.right - box.left <= maxCheckBox * line.size;
      const shift = boxAbove ? boxAbove.top - box.top - above.baseline + line.baseline : 0;
      // The boxes of a table are not next to the lines of a text at its side.
      const isOfTable = Math.abs(shift) > maxShiftOfBox * line.size;
      const isAligned = !endsEarly && Math.abs(line.left - above.left) < minIndent * line.size;
      const isOneText = isCheckBox ? goesOn && isOfTable : goesOn || isAligned;
      if (!isOneText && !(texts.left && texts.left.right > box.right)) return true;
    }
    const after = textsAbove.right;
    const isInCell = !(goesOn && !endsEarly) && /^[\p{Lu}\p{N}]$/u.test(after?.text ?? '');
    const isFilled = after && (after.isLeader || isInCell);
    if (isFilled && after.left - above.right < near) return true;
    return (
      !mayGoOn &&
      upper.right !== undefined &&
      upper.right !== lower.right &&
      upper.right.left - above.right < maxFieldReach * line.size &&
      !(after && after.left < upper.right.left)
    );
  }

  /** Whether a line is a bold heading between regular lines, although the file declares one text. */
  #startsHeading(chain: Chain, index: number, isCentred: boolean): boolean {
    const [above, line, next] = [chain[index - 1]!, chain[index]!, chain[index + 1]];
    const isBold = line.isUniform && line.style.bold && !above.edgeStyles.last.bold;
    if (!isBold || !next || next.edgeStyles.first.bold) return false;
    return roomInChain(chain, index + 1, isCentred) > next.firstWordWidth + minRoomAfterBreak * line.size;
  }

  /** Returns the small cell between rules that contains two lines; null if missing. */
  #commonCell(above: TextLine, line: TextLine): Rectangle | null {
    const cell = this.#parts.areas.container({
      left: Math.min(above.left, line.left),
      right: Math.max(above.right, line.right),
      bottom: line.baseline,
      top: above.baseline + 0.7 * above.size,
    });
    return cell && cell.top - cell.bottom < maxLinesOfCell * (above.baseline - line.baseline) ? cell : null;
  }

  /** Whether two lines are separated by a rule or a box. */
  #areSeparated(above: TextLine, line: TextLine): boolean {
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
