import type { Rectangle } from '../../geometry.ts';
import type { DrawnAreas } from '../drawn-areas.ts';
import { type FormFields, maxCheckBox } from '../form-fields.ts';
import { continues, isOpen, jointAtEnd, sentenceEnd, withoutCase } from '../sentences.ts';
import type { ColumnEnds } from './column-ends.ts';
import { minIndent } from './indents.ts';
import { hasSameLeading, type Leadings } from './leadings.ts';
import type { LineElements } from './line-elements.ts';
import { isRunning, type LineEnds, roomInChain, wordSpace } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { isCentredAt } from './line-links.ts';
import { continuesInIdeographs, hasWords, isListOfWords, isLong, isProse, runsOn } from './line-pairs.ts';
import type { TableRows } from './table-rows.ts';
import type { TextLine } from './text-lines.ts';

/**
 * The minimum free space at the end of a line from which the line ends early, in addition to the width of the next
 * word, as a share of the font size. The second value applies after the end of a sentence.
 */
const minRoomAfterBreak = 1;
const minRoomAfterSentence = 0.5;
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

/** The parts of a page by which paragraphs are found. */
export interface PageParts {
  areas: DrawnAreas;
  fields: FormFields;
  columns: ColumnEnds;
  table: TableRows;
  elements: LineElements;
  bullets: ReadonlySet<TextLine>;
  /** The lines after a drawn bullet. */
  bulleted: ReadonlySet<TextLine>;
  ends: LineEnds;
  leadings: Leadings;
}

/** Whether the line above line `index` of a chain ends because the next word does not fit. */
function isFullHere(chain: Chain, index: number, isCentred: boolean): boolean {
  const line = chain[index];
  return (
    line !== undefined && roomInChain(chain, index, isCentred) < line.firstWordWidth + wordSpace * line.size
  );
}

/**
 * Two lines below each other, and what they show about each other: whether a sentence continues (`goesOn`), or the text
 * may; whether the upper line ends before the end of its column, or before that of the nearby lines (`Here`). Each fact is
 * found when a rule first asks for it.
 */
export class LinePair {
  readonly chain: Chain;
  readonly index: number;
  /** The number of lines of the paragraph that ends with the upper line, if it ends there. */
  readonly length: number;
  readonly above: TextLine;
  readonly line: TextLine;
  readonly parts: PageParts;

  constructor(chain: Chain, index: number, length: number, parts: PageParts) {
    this.chain = chain;
    this.index = index;
    this.length = length;
    this.above = chain[index - 1]!;
    this.line = chain[index]!;
    this.parts = parts;
  }

  /** The first line of the paragraph, and its last lines. */
  get first() {
    return this.chain[this.index - this.length]!;
  }
  get linesAbove() {
    return this.chain.slice(Math.max(this.index - this.length, this.index - maxLinesAbove), this.index);
  }

  get relation() {
    return this.parts.elements.relation(this.above, this.line);
  }
  get isDeclaredOne() {
    return this.relation === 'same';
  }
  get areDeclaredApart() {
    return this.relation === 'other';
  }
  get areHeadings() {
    return this.parts.elements.areHeadings(this.above, this.line);
  }

  get isCentred() {
    return isCentredAt(this.chain, this.index);
  }
  get isInCell() {
    return this.cell !== null;
  }
  get width() {
    return this.above.right - this.above.left;
  }
  /** The distance between the baselines, in em. */
  get drop() {
    return (this.above.baseline - this.line.baseline) / this.line.size;
  }
  get isNear() {
    return this.drop < maxLineDistance;
  }
  /** Whether the lines are too near to each other, or too far away, for one paragraph. */
  get isSpread() {
    return this.parts.leadings.separate(this.chain, this.index);
  }
  get row() {
    return this.parts.table.breakBetween(this.above, this.line);
  }

  get most() {
    return this.cell ? this.cell.right - this.cell.left - this.width : Number.POSITIVE_INFINITY;
  }
  get roomHere() {
    return Math.min(this.most, roomInChain(this.chain, this.index, this.isCentred));
  }
  get wraps() {
    return !this.isCentred && this.parts.table.mayWrapItem(this.above, this.line, this.roomHere);
  }
  get room() {
    if (this.wraps || (this.isCentred && this.isInCell)) return this.roomHere;
    return Math.min(this.most, this.parts.ends.roomBefore(this.chain, this.index, this.isCentred));
  }
  /** The room from which the upper line ends early. */
  get enough() {
    const { firstWordWidth, size } = this.line;
    const word = this.isCentred ? Math.min(firstWordWidth, this.width) : firstWordWidth;
    const isFull = !this.endsSentence && this.isRunning;
    return word + (isFull ? minRoomAfterBreak : minRoomAfterSentence) * size;
  }
  get endsEarly() {
    return this.room > this.enough;
  }
  get endsEarlyHere() {
    return this.roomHere > this.enough;
  }
  get share() {
    return this.width / (this.width + this.room);
  }

  get isRunning() {
    return isRunning(this.chain, this.index, this.isCentred);
  }
  get endsSentence() {
    return sentenceEnd.test(this.above.text);
  }
  get goesOn() {
    return (this.length > 1 || this.above.hasLetters) && continues(this.above.text, this.line.text);
  }
  get isListed() {
    return (
      this.length > 1 && [this.above, this.chain[this.index - 2]!].every(({ text }) => text.endsWith(','))
    );
  }
  get mayGoOn() {
    return this.goesOn || this.isListed || isOpen(this.above.text, this.line.text, this.endsEarly);
  }
  get isFullText() {
    return !this.endsEarly && !this.endsSentence && hasWords([this.above], minWordsOfText);
  }
  get isFullLine() {
    return !this.endsEarly && !this.endsSentence && hasWords([this.above], minWordsOfSentence);
  }
  // A long title with a colon may continue in a line with another one.
  get isFullTitle() {
    return this.room <= 0 && !this.endsSentence && hasWords([this.above], minWordsOfTitle);
  }

  /** Whether two declared texts are one in prose. */
  get isPart() {
    return this.areDeclaredApart && isProse(this.first, this.line);
  }
  get isUnfinished() {
    const endsInJoint = jointAtEnd.test(this.above.text);
    const endsInComma =
      this.isPart && this.above.text.endsWith(',') && hasWords(this.linesAbove, minWordsOfLine);
    return (
      ((this.goesOn || endsInComma) && !this.endsEarlyHere) || (endsInJoint && (this.goesOn || this.isPart))
    );
  }
  get isOneText() {
    const { above, line } = this;
    return (
      this.isDeclaredOne ||
      (this.isUnfinished &&
        runsOn(this.linesAbove, line, this.isPart ? minWordsOfProse : minWordsOfSentence)) ||
      (this.isPart && !this.endsEarlyHere && continuesInIdeographs(above, line))
    );
  }
  // The lines of a centered sentence end where their author has broken them.
  get isCentredSentence() {
    return (
      this.isCentred && this.goesOn && this.isNear && runsOn([this.above], this.line, minWordsOfSentence)
    );
  }
  /** Whether two declared texts are a title or a heading in two lines. */
  get isTorn() {
    const { above, line } = this;
    const { ends, elements } = this.parts;
    const isTitle =
      ((this.isCentred && hasWords([above], minWordsOfSentence)) || ends.isTitle(line)) &&
      [above, line].every((one) => ends.shareOfColumn(one) > minOfTitle) &&
      elements.areParagraphs(above, line);
    return (!this.endsEarly && !this.endsSentence && isTitle) || (this.areHeadings && this.mayGoOn);
  }
  get isDeclaredWrongly() {
    const isNext =
      this.isNear ||
      (this.goesOn && this.drop < maxDistanceInSentence) ||
      this.parts.elements.haveLeadingOfText(this.above, this.line);
    const isSentence = this.isOneText && (this.isPart || hasWords(this.linesAbove, minWordsOfLine));
    return isNext && (this.isTorn || isSentence);
  }
  get maySpread() {
    const mayRun = (this.isNear || !this.endsSentence) && this.isRunning;
    return this.isOneText && (this.mayGoOn || mayRun);
  }
  /** Whether the upper line is full, or its author has ended it within a text. */
  get isFullOfWords() {
    if (
      !this.endsEarlyHere &&
      hasWords(isLong(this.above) ? this.linesAbove : [this.above], minWordsOfSentence)
    )
      return true;
    return (
      this.isNear &&
      hasWords(this.linesAbove, minWordsOfLine) &&
      isFullHere(this.chain, this.index + 1, this.isCentred)
    );
  }

  /**
   * Whether a line is at the same distance from the line above as this one from the row of a table before it. The cells
   * of the other columns may end before the last row.
   */
  get followsRows() {
    const { chain, index, length } = this;
    return (
      length === 1 &&
      index > 1 &&
      this.parts.table.breakBetween(chain[index - 2]!, chain[index - 1]!) === 'paired' &&
      hasSameLeading(chain, index, index - 1)
    );
  }

  /** Whether the upper line is a cell of another row, or of another pair of lines. */
  get isRow() {
    const { row } = this;
    const isRow =
      row === 'likely' || (row === 'paired' && (!this.isInCell || (this.endsSentence && isLong(this.above))));
    const isFull = this.isFullLine || (!this.endsSentence && withoutCase.test(this.line.text));
    const continuesRow = row === 'paired' ? this.mayGoOn || isFull : this.goesOn;
    return isRow && (this.endsEarlyHere || !continuesRow || isListOfWords(this.chain, this.index));
  }

  /** Whether a line starts next to a form field, or the line above ends at one, at dots or at a sign in a cell. */
  get startsField() {
    const { above, line, goesOn, mayGoOn, endsEarly } = this;
    const { fields, columns } = this.parts;
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

  /** The small cell between rules that contains two lines; null if missing. */
  get cell(): Rectangle | null {
    const { above, line } = this;
    const cell = this.parts.areas.container({
      left: Math.min(above.left, line.left),
      right: Math.max(above.right, line.right),
      bottom: line.baseline,
      top: above.baseline + 0.7 * above.size,
    });
    return cell && cell.top - cell.bottom < maxLinesOfCell * (above.baseline - line.baseline) ? cell : null;
  }

  /** Whether two lines are separated by a rule or a box. */
  get areSeparated() {
    const { above, line } = this;
    const common = { left: Math.max(above.left, line.left), right: Math.min(above.right, line.right) };
    if (
      this.parts.areas.hasRuleBetween(
        line.baseline + 0.4 * line.size,
        above.baseline + 0.1 * above.size,
        common,
        above,
      )
    )
      return true;
    return this.parts.areas.boxOf(above) !== this.parts.areas.boxOf(line);
  }

  static {
    // A fact is found once.
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(LinePair.prototype)))
      if (get)
        Object.defineProperty(LinePair.prototype, name, {
          get(this: LinePair) {
            const value: unknown = get.call(this);
            Object.defineProperty(this, name, { value });
            return value;
          },
        });
  }
}
