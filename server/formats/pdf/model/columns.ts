import { type Frame, growsLeft, isLabel, lastBaselineOf, sourceLinesOf } from '../fitting/fit.ts';
import type { FreeSpace } from '../fitting/free-space.ts';
import { Bands, type Rectangle, union, widen } from '../geometry.ts';
import { sentenceEnd } from '../layout/sentences.ts';
import { isOnLine } from './marks.ts';

/**
 * The maximum distance between the last baseline of a text and the first baseline of the next one in the same column,
 * as a factor of the leading. The second value applies next to a heading.
 */
const maxDrop = { text: 2.2, heading: 3.5 };
/**
 * The minimum width that two texts below each other must have in common, as a share of the width of the narrower one.
 */
const minCommonWidth = 0.8;
/** The maximum width and height of a label next to a text, and its maximum distance from the text, in em. */
const label = { width: 3, height: 3, distance: 3 };
/** The maximum share of single lines that are not items. The entries of a curriculum vitae have up to three each. */
const maxHeadings = 0.6;
/** The average number of lines from which the texts of a column are paragraphs, and not cells. */
const linesOfParagraph = 4;
/** The width from which a single line is a sentence, and not a heading or a line of an address, in em. */
const longLine = 25;
/** The share of their width at which condensed letters are seen. */
const visiblyNarrow = 0.9;
/** The number of columns to which a text may belong. */
const maxOpen = 4;
/** The maximum difference between edges that are equal, in points. */
const sameEdge = 1;
/** The maximum distance between the baselines of lines next to an entry, in em. */
const stackDrop = 2;
/** The maximum difference between baselines that count as the same line, in em. */
const sameBaseline = 0.15;

interface Column {
  frames: Frame[];
  area: Rectangle;
  /** The ids of all texts of the column. */
  owners: Set<string>;
}

/**
 * Groups the texts of each column of running text: paragraphs, headings and the items of lists. The texts of a group move
 * up and down together with their bullets and rules, so there must be no other object between them, and no other label
 * next to one of them. Every other frame is a group of one.
 *
 * @param frames in reading order
 * @param space the visible content of the page, before translated text is placed
 */
export function columnsOf(frames: readonly Frame[], space: FreeSpace): Frame[][] {
  const columns: Column[] = [];
  const mated = withMates(frames, space);
  for (const frame of mated) {
    // The items of two lists that are side by side may alternate.
    const column = columns
      .slice(-maxOpen)
      .reverse()
      .find((column) => continues(column, frame) && isClear(column, frame, space));
    if (column) {
      column.frames.push(frame);
      column.area = union(column.area, areaOf([frame]));
      for (const id of ownersOf([frame])) column.owners.add(id);
    } else columns.push({ frames: [frame], area: areaOf([frame]), owners: ownersOf([frame]) });
  }
  const rows = Map.groupBy(mated, ({ baseline }) => Math.round(baseline));
  return columns.flatMap(({ frames: column }) =>
    isRunningText(column) && !isPartOfTable(column, rows)
      ? [likeParagraphs(column)]
      : column.map((frame) => [frame]),
  );
}

/** Gives single lines the distance between lines and the indent that the paragraphs of their style have in the column. */
function likeParagraphs(column: readonly Frame[]): Frame[] {
  const paragraphs = Map.groupBy(
    column.filter(({ singleLine }) => !singleLine),
    ({ style }) => style,
  );
  return column.map((frame) => {
    const leadings = paragraphs.get(frame.style)?.map(({ leading }) => leading);
    if (!frame.singleLine || !leadings) return frame;
    const { box: own, rightToLeft } = frame;
    const leading = leadings.toSorted((one, other) => one.normal - other.normal)[leadings.length >> 1]!;
    const others = paragraphs.get(frame.style)!;
    const below = others.filter(({ box }) => Math.abs(box.left - own.left) < sameEdge);
    const isHanging = below.length > 0 && below.every(({ indent }) => indent < 0) && frame.indent === 0;
    if (isHanging && !rightToLeft) return { ...frame, leading, indent: below[0]!.indent };
    const indented = others.find(
      ({ box, indent, size }) => indent > 0 && Math.abs(box.left + indent * size - own.left) < sameEdge,
    );
    if (!indented || rightToLeft) return { ...frame, leading };
    const { alignment, indent } = indented;
    return { ...frame, leading, alignment, indent, box: { ...frame.box, left: indented.box.left } };
  });
}

/**
 * Attaches single lines to the text before them on the same line, such as the date after the name of an employer. A text
 * that is also above or below a text of another column is in that column.
 */
function withMates(frames: readonly Frame[], space: FreeSpace): Frame[] {
  const single = frames.filter(({ flows, isItem, singleLine }) => flows && singleLine && !isItem);
  const owners = new Map<Frame, Frame[]>();
  const taken = new Set<Frame>();
  const bands = new Bands<Frame>();
  for (const frame of frames) bands.add(frame.box, frame);
  const near = ({ box, size }: Frame) => {
    const reach = maxDrop.text * size;
    return [...bands.near(box.bottom - reach, box.top + reach)];
  };
  const pairs = [...Map.groupBy(single, ({ baseline }) => Math.round(baseline)).values()].flatMap((row) => {
    const sorted = row.toSorted((one, other) => one.box.left - other.box.left);
    // An entry may have a short label before it, such as a degree.
    const [first, second] = sorted.slice(-2) as [Frame, Frame];
    if (sorted.length !== 2 && !(sorted.length === 3 && isLabel(sorted[0]!) && !first.isCell)) return [];
    const isApart =
      second.box.left > first.box.right && !growsLeft(first) && isSame(first.container, second.container);
    // The cells of a table have numbers between or behind them.
    const isTable =
      first.isCell &&
      (space.right(first.box, second.box.left, first.id) < second.box.left ||
        space.right(second.box, second.bounds.right, second.id) < second.bounds.right);
    return isApart && !isTable ? [{ first, second, labels: sorted.slice(0, -2) }] : [];
  });
  const ends = new Set(pairs.map(({ second }) => second));
  const stackable = new Set(single).difference(
    new Set(pairs.flatMap(({ first, second }) => [first, second])),
  );
  for (const { first, second, labels } of pairs) {
    const others = near(second).filter(
      (other) => !ends.has(other) && !(stackable.has(other) && isSameEdge(other, second)),
    );
    if (others.some((other) => isAboveOrBelow(other, second) && !isAboveOrBelow(other, first))) continue;
    const mates = [second];
    taken.add(second);
    // Further lines below it, such as a place and a period, which are next to the items of the entry.
    const isNext = (frame: Frame): boolean => {
      const drop = mates.at(-1)!.baseline - frame.baseline;
      const isFree = stackable.has(frame) && !taken.has(frame);
      const isBelow = drop > 0.5 * frame.size && drop < stackDrop * frame.size;
      return isFree && isBelow && isSameEdge(frame, second);
    };
    for (let next = near(second).find(isNext); next; next = near(next).find(isNext)) {
      mates.push(next);
      taken.add(next);
    }
    for (const label of labels) taken.add(label);
    owners.set(first, [...mates, ...labels]);
  }
  return frames
    .filter((frame) => !taken.has(frame))
    .map((frame) => {
      const { bounds, box, size } = frame;
      const mates = owners.get(frame);
      // The lines below the first mate are next to other texts, too. The boxes of close lines overlap.
      const beside = [...bands.near(box.bottom, box.top)].filter(
        (other) => taken.has(other) && other.box.left > box.right && isOnLine(other.box, box),
      );
      const right = Math.min(
        bounds.right,
        ...beside.map((other) => other.box.left - (growsLeft(other) ? 2 : 1) * size),
      );
      return {
        ...frame,
        ...(mates && { mates }),
        bounds: { ...bounds, right: Math.max(box.right, right) },
      };
    });
}

/** Whether two texts are aligned at the same edge. */
function isSameEdge(one: Frame, other: Frame): boolean {
  if (growsLeft(one) !== growsLeft(other)) return false;
  const edge = growsLeft(one) ? 'right' : 'left';
  return Math.abs(one.box[edge] - other.box[edge]) < sameEdge;
}

/** Whether a text is one of the next lines above or below another one. */
function isAboveOrBelow({ box }: Frame, { box: own, size }: Frame): boolean {
  const isBeside = box.left < own.right && box.right > own.left;
  const gap = Math.max(box.bottom - own.top, own.bottom - box.top);
  return isBeside && gap > -0.5 * size && gap < maxDrop.text * size;
}

/** Returns the area of a column's source texts with their labels and rules. */
export function areaOf(column: readonly Frame[]): Rectangle {
  return column
    .flatMap(({ below, box, labelLeft, mates = [] }) => [
      { ...box, left: Math.min(box.left, labelLeft ?? box.left) },
      ...(below ? [below] : []),
      ...mates.slice(0, 1).map(({ box }) => box),
    ])
    .reduce(union);
}

function continues({ frames, area: one }: Column, frame: Frame): boolean {
  const last = frames.at(-1)!;
  if (!movesInColumn(last) || !movesInColumn(frame)) return false;
  if (growsLeft(last) !== growsLeft(frame)) return false;
  if (!isSame(last.container, frame.container)) return false;
  const drop = lastBaselineOf(last) - frame.baseline;
  const gap = (last.below?.bottom ?? lastBaselineOf(last)) - frame.baseline;
  const most = last.style === frame.style ? maxDrop.text : maxDrop.heading;
  if (drop < 0.8 * frame.size || gap > most * Math.max(last.leading.normal, frame.leading.normal))
    return false;
  const other = areaOf([frame]);
  const common = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  // The label before a heading can be outside of the text below it.
  const widths = [one, last.box, frame.box].map(({ left, right }) => right - left);
  return common >= minCommonWidth * Math.min(...widths);
}

/** Whether a text can be part of a column. Of cells, only the items of a list and the lines of an entry can. */
function movesInColumn({ flows, isCell, isItem, mates }: Frame): boolean {
  return flows && (!isCell || isItem || mates !== undefined);
}

function isSame(one: Rectangle | null, other: Rectangle | null): boolean {
  if (!one || !other) return one === other;
  return (['left', 'bottom', 'right', 'top'] as const).every(
    (edge) => Math.abs(one[edge] - other[edge]) < 0.5,
  );
}

/**
 * Whether no other object is within the area of a column and its next text, or next to that text or the last one as a
 * label. The area of the column itself is clear, so it is examined again only if it becomes wider.
 */
function isClear(column: Column, frame: Frame, space: FreeSpace): boolean {
  const last = column.frames.at(-1)!;
  const area = union(column.area, areaOf([frame]));
  const owners = [column.owners, ownersOf([frame])];
  const isWider = area.left < column.area.left || area.right > column.area.right;
  const added = isWider ? area : { ...area, top: Math.min(area.top, column.area.bottom + last.size) };
  if (!space.isFree(inner(added, last.size), ...owners)) return false;
  const ends = [last, frame];
  return ends.every(({ baseline, box, id, size }) => {
    const isLabel = ({ left, bottom, right, top }: Rectangle): boolean =>
      right - left <= label.width * size && top - bottom <= label.height * size;
    const [near, firstLine] = [label.distance * size, { bottom: baseline, top: baseline + 0.5 * size }];
    const before = { ...firstLine, left: box.left - near, right: box.left };
    const behind = { ...firstLine, left: box.right, right: box.right + near };
    return ![before, behind].some((side) =>
      space
        .inside(side, id)
        .some((object) => isLabel(object) && !owners.some((ids) => ids.has(object.owner ?? ''))),
    );
  });
}

/** Returns the ids of the texts of a column. */
export function ownersOf(column: readonly Frame[]): Set<string> {
  return new Set(column.flatMap(({ id, mates = [] }) => [id, ...mates.map((mate) => mate.id)]));
}

/** Returns a box that is smaller at each edge, because the boxes of tightly spaced lines overlap. */
export function inner(box: Rectangle, size: number): Rectangle {
  return widen(box, -0.2 * size);
}

/**
 * Whether a good part of a column's lines are part of paragraphs with several lines, or of items of a list. The others
 * are its headings. Otherwise the column is an address or a form. If a sentence needs a second line, or very
 * narrow letters, the sentences of the column are paragraphs too.
 */
function isRunningText(column: readonly Frame[]): boolean {
  if (column.length < 2) return false;
  const all = column.reduce((sum, frame) => sum + sourceLinesOf(frame), 0);
  const single = column.filter(({ isItem, singleLine }) => singleLine && !isItem);
  const isLong = ({ box, size, text }: Frame) =>
    box.right - box.left > longLine * size && sentenceEnd.test(text.runs.map((run) => run.text).join(''));
  const grows = ({ bounds, box, size, stretch, text }: Frame) =>
    visiblyNarrow * size * stretch * text.paragraphs[0]!.width > bounds.right - box.left;
  const hasParagraphs = single.some((frame) => isLong(frame) && grows(frame));
  const others = hasParagraphs ? single.filter((frame) => !isLong(frame)) : single;
  return others.length <= maxHeadings * all;
}

/**
 * Whether at least half of the texts after the first start on the same baseline as another text, like the cells of a
 * table. The items of two lists that are side by side are not cells, nor are long paragraphs.
 */
function isPartOfTable(column: readonly Frame[], rows: ReadonlyMap<number, readonly Frame[]>): boolean {
  const lines = column.reduce((sum, frame) => sum + sourceLinesOf(frame), 0);
  if (lines >= linesOfParagraph * column.length) return false;
  const others = column.slice(1);
  const adjacent = others.filter((frame) => {
    const row = Math.round(frame.baseline);
    const near = [row - 1, row, row + 1].flatMap((place) => rows.get(place) ?? []);
    return near.some(
      ({ baseline, id, isItem }) =>
        id !== frame.id &&
        !(isItem && frame.isItem) &&
        Math.abs(baseline - frame.baseline) < sameBaseline * frame.size,
    );
  });
  return adjacent.length >= Math.max(1, others.length / 2);
}
