import type { Rectangle } from '../../geometry.ts';
import { greatest, least, median } from '../../statistics.ts';
import type { TextBlock } from '../../text-block.ts';
import type { Chain } from '../paragraphs/line-links.ts';
import type { TextLine } from '../paragraphs/text-lines.ts';
import type { TextArea } from './text-area.ts';

export type Alignment = TextBlock['alignment'];

/** The maximum difference between edges that count as equal, as a share of the font size. */
const sameEdge = 0.35;
/** The maximum difference between the edges of lines that are aligned at this edge, as a share of the font size. */
const exactEdge = 0.1;
/** The same for lines with one start or middle by design. */
const sameStart = 0.02;
const sameMiddle = 0.04;
/** The maximum difference between the sizes of the lines of a column, as a share of the font size. */
const sameSize = 0.05;
/** The minimum number of lines next to an object. */
const minNextTo = 3;
/**
 * The minimum difference between the widths of two lines from which their alignment is visible, as a share of the font
 * size. Lines of equal width look the same in every alignment.
 */
const otherWidth = 1;
/** The same for several lines with one middle. */
const minInset = 0.8;
/** The same for two lines with exactly the same middle that is not the middle of the page. */
const minExactWidth = 4;
/**
 * As shares of the width of the text area: the minimum margin of a centered line, and the minimum distance from the
 * left edge to the start of a right-aligned line, also of one behind another text.
 */
const minMargin = 0.15;
const [minShare, minShareBehind] = [0.55, 0.25];
/** The minimum gap between a right-aligned line and the text before it in its row, as a share of the font size. */
const minGapBefore = 3;

/** The maximum width of a line that is right-aligned in a container, as a share of its width. A wider one may be indented. */
const maxOfContainer = 0.8;

/** The number of lines with one left edge from which one of them has the middle of others, or of the page, only by chance. */
const minInColumn = 4;

/** The width of a box around a line from which it may be a row with several cells, as a factor of the width of the line. */
const minRowWidth = 5;

interface Surroundings {
  /** The column of lines to which the block belongs. */
  chain: Chain;
  /** The cell or box around the block; null if missing. */
  container: Rectangle | null;
  /** The page, in the block's space. */
  page: Rectangle;
  /** The area of all lines on the page that have the block's direction. */
  area: TextArea;
  /** Whether the block is the text of a list item, next to its bullet or number. */
  isItem: boolean;
}

/** Returns the alignment of a block's lines, and the indent of its first line in points. */
export function alignmentOf(
  lines: readonly TextLine[],
  surroundings: Surroundings,
): { alignment: Alignment; indent: number } {
  const isRightToLeft = lines.filter((line) => line.isRightToLeft).length * 2 > lines.length;
  const alignment =
    lines.length > 1
      ? ofLines(lines, surroundings, isRightToLeft)
      : ofLine(lines[0]!, surroundings, isRightToLeft);
  if (lines.length < 2 || alignment === 'center') return { alignment, indent: 0 };
  const starts = lines.map(({ left, right }) => (isRightToLeft ? -right : left));
  const near = sameEdge * lines[0]!.size;
  const indent = startBeside(starts, near) ? 0 : starts[0]! - median(starts.slice(1));
  const isRagged = alignment === (isRightToLeft ? 'left' : 'right');
  return { alignment, indent: isRagged || Math.abs(indent) < 0.25 * lines[0]!.size ? 0 : indent };
}

function ofLines(
  lines: readonly TextLine[],
  { area, chain }: Surroundings,
  isRightToLeft: boolean,
): Alignment {
  const near = sameEdge * lines[0]!.size;
  const start: Place = (line) => (isRightToLeft ? -line.right : line.left);
  const end: Place = (line) => (isRightToLeft ? -line.left : line.right);
  const starts = (lines.length > 2 ? lines.slice(1) : lines).map(start);
  const isJustifiedColumn = () => isEndOfColumn(lines[0]!, chain, [start, end], near);
  const exact = exactEdge * lines[0]!.size;
  if (haveSameMiddle(lines, exact)) return 'center';
  const isBeside = startBeside(lines.map(start), near);
  // The first line of an item with hanging lines starts where those of other items start.
  const startsColumn = lines.length === 2 && area.beginsAt(lines[0]!.left, exact) >= minInColumn;
  if (
    !isBeside &&
    !startsColumn &&
    spreadOf(lines.map(end)) < exact &&
    spreadOf(starts) > exact &&
    !isJustifiedColumn()
  )
    return isRightToLeft ? 'left' : 'right';
  const isStartEven = isEven(starts, near) || isBeside;
  const full = lines.slice(0, -1);
  const isEndEven = isEven(full.map(end), near);
  const isIndented = lines.length === 2 && !isStartEven && (startsColumn || isJustifiedColumn());
  if (isStartEven || isIndented) {
    const isJustified = full.length > 1 ? isEndEven || areStepped(full.map(end), near) : isJustifiedColumn();
    return isJustified ? 'justified' : isRightToLeft ? 'right' : 'left';
  }
  if (
    isEven(
      lines.map(({ left, right }) => left + right),
      2 * near,
    )
  )
    return 'center';
  if (isEven(lines.map(end), near)) return isRightToLeft ? 'left' : 'right';
  return isRightToLeft ? 'right' : 'left';
}

/**
 * Whether many lines of the column end at the same position as this line, as in justified text. If they start at almost
 * as many positions as there are lines, they are aligned only at their ends.
 */
function isEndOfColumn(
  line: TextLine,
  chain: Chain,
  [start, end]: readonly [Place, Place],
  near: number,
): boolean {
  const alike = chain.filter(({ size }) => Math.abs(size - line.size) < sameSize * line.size);
  const even = alike.filter((other) => Math.abs(end(other) - end(line)) < near);
  if (even.length < 4 || even.length < 0.4 * chain.length) return false;
  const starts = even.map(start).sort((one, other) => one - other);
  const exact = exactEdge * line.size;
  const positions = starts.filter((place, index) => index === 0 || place - starts[index - 1]! > exact);
  return 2 * positions.length <= even.length;
}

/** The position of an edge of a line. */
type Place = (line: TextLine) => number;

function spreadOf(values: readonly number[]): number {
  return greatest(values) - least(values);
}

function haveSameMiddle(lines: readonly TextLine[], exact: number): boolean {
  return (
    spreadOf(lines.map(({ left, right }) => left + right)) < exact &&
    spreadOf(lines.map(({ left }) => left)) > exact &&
    spreadOf(lines.map(({ right }) => right)) > exact
  );
}

/** Whether the first lines have one end and the others another one, as next to and below an object. */
function areStepped(ends: readonly number[], near: number): boolean {
  const step = ends.findIndex((end) => Math.abs(end - ends[0]!) >= near);
  return step >= minNextTo && spreadOf(ends.slice(step)) < near;
}

/** Whether the first lines start next to an object, and the others start further outwards below it. */
function startBeside(starts: readonly number[], near: number): boolean {
  return areStepped(starts, near) && starts[0]! > starts.at(-1)!;
}

/** Whether at least 85% of the values are equal, with differences below `near`. */
function isEven(values: readonly number[], near: number): boolean {
  const middle = median(values);
  const even = values.filter((value) => Math.abs(value - middle) < near);
  return even.length >= 0.85 * values.length;
}

function areCentred(chain: Chain, near: number): boolean {
  const areEven = (placeOf: (line: TextLine) => number, furthest: number) =>
    chain.every((line) => Math.abs(placeOf(line) - placeOf(chain[0]!)) < furthest);
  return (
    chain.length > 1 &&
    areEven(({ left, right }) => (left + right) / 2, near) &&
    !areEven(({ left }) => left, 2 * near)
  );
}

/**
 * Whether the lines next to a line in its column have the same middle, but other widths. One such line is enough if it
 * is in the middle of the page, or if both have exactly the same middle.
 */
function isCentredLikeNeighbors(line: TextLine, { area, chain, page }: Surroundings, near: number): boolean {
  const at = chain.indexOf(line);
  const hasMiddle = ({ left, right, size }: TextLine) =>
    Math.abs(left + right - line.left - line.right) < 2 * near * Math.min(1, (2 * size) / line.size);
  const widthOf = ({ left, right }: TextLine) => right - left;
  const others = [chain.slice(0, at).reverse(), chain.slice(at + 1)].flatMap((side) => {
    const end = side.findIndex((other) => !hasMiddle(other));
    return side
      .slice(0, end < 0 ? side.length : end)
      .filter(
        (other) => Math.abs(widthOf(other) - widthOf(line)) > minInset * Math.min(line.size, other.size),
      );
  });
  const isExact = (other: TextLine) =>
    Math.abs(other.left + other.right - line.left - line.right) < exactEdge * line.size &&
    Math.abs(widthOf(other) - widthOf(line)) > minExactWidth * line.size &&
    Math.min(line.left, other.left) - area.left > minMargin * (area.right - area.left);
  return (
    others.length > 1 ||
    others.some((other) => isInMiddle(other, page, 0.03) || isInMiddle(other, area, 0.01) || isExact(other))
  );
}

/**
 * Whether the middle of a line is the middle of an area.
 *
 * @param off the maximum of twice the distance between the two middles, as a share of the area's width
 */
function isInMiddle({ left, right }: TextLine, area: { left: number; right: number }, off: number): boolean {
  const width = area.right - area.left;
  return (
    Math.abs(left + right - area.left - area.right) < off * width && left - area.left > minMargin * width
  );
}

/**
 * Whether a line ends at the right end of the page's text and starts far to the right, such as a page number. At least
 * as many lines must end at its end as start at its start, or it is behind another text and no other line starts at its start.
 */
function isAtRightEdge(line: TextLine, area: TextArea, { length }: Chain): boolean {
  const { left, right, size } = line;
  const near = sameEdge * size;
  const share = (left - area.left) / (area.right - area.left);
  const isBehind =
    length === 1 &&
    share > minShareBehind &&
    area.endsAt(right, near) > 1 &&
    area.isBehindText(line, minGapBefore * size) &&
    area.beginsAt(left, sameStart * size) === 1;
  return (
    right > area.right - near &&
    (isBehind || (share > minShare && area.endsAt(right, near) >= area.beginsAt(left, near)))
  );
}

/**
 * Determines the alignment of a single line from its surroundings: its cell, the other lines of its column, and the
 * page.
 */
function ofLine(line: TextLine, surroundings: Surroundings, isRightToLeft: boolean): Alignment {
  const { area, chain, container, page, isItem } = surroundings;
  const { left, right, size } = line;
  const usual = isRightToLeft ? 'right' : 'left';
  if (isItem) return usual;
  const others = chain.filter(
    (other) =>
      other.baseline !== line.baseline &&
      Math.abs(other.right - other.left - right + left) > otherWidth * Math.min(size, other.size),
  );
  const near = 0.5 * sameEdge * size;
  if (areCentred(chain, 0.5 * sameEdge * least(chain.map((other) => other.size)))) return 'center';
  const count = (distance: (other: TextLine) => number, most = near) =>
    others.filter((other) => Math.abs(distance(other)) < most).length;
  const lefts = count((other) => other.left - left);
  const isInColumn = area.beginsAt(left, exactEdge * size) >= minInColumn;
  if (lefts === 0 && !isInColumn && isCentredLikeNeighbors(line, surroundings, near)) return 'center';
  const rights = count((other) => other.right - right);
  const middleOf = (other: TextLine) => (other.left + other.right - left - right) / 2;
  const middles = count(middleOf, isInColumn ? sameMiddle * size : near);
  const most = Math.max(lefts, rights > 1 ? rights : 0, middles > 1 ? middles : 0);
  const widest = greatest(chain.map((other) => other.right - other.left));
  // A line of almost the whole width looks the same in every alignment. Its alignment differs from the usual one only
  // if all other lines agree on this.
  const isFull = !container && chain.length > 1 && right - left > 0.8 * widest;
  if (isFull && lefts === 0 && isInMiddle(line, page, 0.005)) return 'center';
  if (isFull && (others.length < 2 || Math.max(middles, isRightToLeft ? lefts : rights) < others.length))
    return lefts === 0 && isAtRightEdge(line, area, chain) && !isRightToLeft ? 'right' : usual;
  if (container) {
    const [before, after] = [left - container.left, container.right - right];
    // In the box of a whole row, texts of different widths that start at one position are a column.
    const isRow = container.right - container.left > minRowWidth * (right - left);
    const isColumn = isRow && isInColumn && area.beginsAt(left, exactEdge * size) > area.endsAt(right, near);
    const isMiddle = !isColumn && Math.abs(before - after) < Math.max(2, 0.12 * (before + after));
    if (isMiddle && before > size && (most === 0 || middles >= most)) return 'center';
    const isWide = right - left > maxOfContainer * (container.right - container.left);
    if (!isWide && after < 0.4 * before && after < 1.5 * size && before > 2 * size) return 'right';
    if (before < 0.4 * after && before < 1.5 * size) return 'left';
  }
  if (most > 0) {
    if ((isRightToLeft ? rights : lefts) === most) return usual;
    if (middles === most) return 'center';
    if (isRightToLeft) return 'left';
    return area.endsAt(right, near) >= area.beginsAt(left, near) ? 'right' : usual;
  }
  if (!isInColumn && (isInMiddle(line, page, 0.03) || isInMiddle(line, area, 0.01))) return 'center';
  return isRightToLeft || !isAtRightEdge(line, area, chain) ? usual : 'right';
}
