import { type Rectangle, union } from '../geometry.ts';
import { type Frame, growsLeft, lastBaselineOf, sourceLinesOf } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/**
 * The maximum distance between the last baseline of a paragraph and the first baseline of the next one in the same
 * column, as a factor of the leading.
 */
const maxDrop = 2.2;
/**
 * The minimum width that two paragraphs below each other must have in common, as a share of the width of the narrower
 * one.
 */
const minCommonWidth = 0.8;
/** The maximum width and height of a label next to a paragraph, and its maximum distance from the paragraph, in em. */
const label = { width: 3, height: 3, distance: 3 };
/** The maximum difference between baselines that count as the same line, in em. */
const sameBaseline = 0.15;

/**
 * Groups the paragraphs of each column of running text. The paragraphs of a group may move up and down within the
 * column, so there must be no other object between them, and no label next to one of them. Every other frame is a group
 * of one.
 *
 * @param frames in reading order
 * @param space the visible content of the page, before translated text is placed
 */
export function columnsOf(frames: readonly Frame[], space: FreeSpace): Frame[][] {
  const columns: Frame[][] = [];
  for (const frame of frames) {
    const column = columns.at(-1);
    if (column && continues(column, frame) && isClear(column, frame, space)) column.push(frame);
    else columns.push([frame]);
  }
  const rows = Map.groupBy(frames, ({ baseline }) => Math.round(baseline));
  return columns.flatMap((column) =>
    isRunningText(column) && !isPartOfTable(column, rows) ? [column] : column.map((frame) => [frame]),
  );
}

/** Returns the area of a column's source texts. */
export function areaOf(column: readonly Frame[]): Rectangle {
  return column.map(({ box }) => box).reduce(union);
}

function continues(column: readonly Frame[], frame: Frame): boolean {
  const last = column.at(-1)!;
  if (!last.flows || !frame.flows || last.style !== frame.style) return false;
  if (growsLeft(last) !== growsLeft(frame) || last.isItem !== frame.isItem) return false;
  if (!isSame(last.container, frame.container)) return false;
  const drop = lastBaselineOf(last) - frame.baseline;
  if (drop < 0.8 * frame.size || drop > maxDrop * Math.max(last.leading.normal, frame.leading.normal))
    return false;
  const [one, other] = [last.box, frame.box];
  const common = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return common >= minCommonWidth * Math.min(one.right - one.left, other.right - other.left);
}

function isSame(one: Rectangle | null, other: Rectangle | null): boolean {
  if (!one || !other) return one === other;
  return (['left', 'bottom', 'right', 'top'] as const).every(
    (edge) => Math.abs(one[edge] - other[edge]) < 0.5,
  );
}

/**
 * Whether no other object is between the last paragraph of a column and the next one, inside one of them, or next to
 * one of them as a label.
 */
function isClear(column: readonly Frame[], frame: Frame, space: FreeSpace): boolean {
  const last = column.at(-1)!;
  const owners = new Set([last.id, frame.id]);
  if (!space.isFree(inner(union(last.box, frame.box), frame.size), owners)) return false;
  return [last, frame].every(({ baseline, box, id, size }) => {
    const isLabel = ({ left, bottom, right, top }: Rectangle): boolean =>
      right - left <= label.width * size && top - bottom <= label.height * size;
    const [near, firstLine] = [label.distance * size, { bottom: baseline, top: baseline + 0.5 * size }];
    const before = { ...firstLine, left: box.left - near, right: box.left };
    const behind = { ...firstLine, left: box.right, right: box.right + near };
    return ![before, behind].some((side) => space.inside(side, id).some(isLabel));
  });
}

/** Returns a box that is smaller at each edge, because the boxes of tightly spaced lines overlap. */
export function inner({ left, bottom, right, top }: Rectangle, size: number): Rectangle {
  const edge = 0.2 * size;
  return { left: left + edge, bottom: bottom + edge, right: right - edge, top: top - edge };
}

/**
 * Whether a column consists of list items with bullets, or most of its lines are part of paragraphs with several lines.
 * Otherwise the column is an address or a form.
 */
function isRunningText(column: readonly Frame[]): boolean {
  if (column.length < 2) return false;
  if (column[0]!.isItem) return true;
  const all = column.reduce((sum, frame) => sum + sourceLinesOf(frame), 0);
  const single = column.filter(({ singleLine }) => singleLine).length;
  return single <= all / 2;
}

/**
 * Whether at least half of the paragraphs after the first start on the same baseline as another text, like the cells of
 * a table.
 */
function isPartOfTable(column: readonly Frame[], rows: ReadonlyMap<number, readonly Frame[]>): boolean {
  const others = column.slice(1);
  const adjacent = others.filter((frame) => {
    const row = Math.round(frame.baseline);
    const near = [row - 1, row, row + 1].flatMap((place) => rows.get(place) ?? []);
    return near.some(
      ({ baseline, id }) =>
        id !== frame.id && Math.abs(baseline - frame.baseline) < sameBaseline * frame.size,
    );
  });
  return adjacent.length >= Math.max(1, others.length / 2);
}
