import type { Rectangle } from '../geometry.ts';
import type { Frame } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/** The maximum vertical gap between blocks of one column, in em. */
const maxGap = 10;
/**
 * The maximum difference between the right edges of paragraphs of one column, in em. Lines that are not justified end
 * at different positions.
 */
const otherWidth = 8;
/** The maximum difference between left edges that count as equal, in points. */
const sameEdge = 2;
/** The maximum indent of a text in a column, in em. */
const maxIndent = 6;

/**
 * The maximum number of columns in which indented texts are searched. The columns with the most paragraphs are used.
 * Real pages have few columns of paragraphs.
 */
const maxColumns = 40;

/**
 * Blocks below each other with the same left edge. The right edge of the column is that of its widest paragraph or
 * table cell.
 */
interface Column extends Rectangle {
  frames: Frame[];
  /** The number of paragraphs of running text: blocks with several lines that are not in a table. */
  paragraphs: number;
}

/** The edges of a text that is right-aligned although its source is left-aligned. */
type MirroredEdges = Pick<Rectangle, 'left' | 'right'>;

/**
 * Determines the edges of left-aligned blocks that become right-aligned and belong to a column of text or of a table.
 *
 * The blocks of a column have the same left edge, but their right ends differ. Their translations must not have
 * different right edges, so all of them get the right end of the column's widest paragraph or cell. Indented text in a
 * column, such as a list, keeps its indent: the translation is as far from the column's right edge as the source is
 * from its left edge. A block that is not in the result keeps the right end of its source.
 *
 * @returns the edges by frame id
 */
export function mirroredEdges(frames: readonly Frame[]): Map<string, MirroredEdges> {
  const edges = new Map<string, MirroredEdges>();
  const free: Frame[] = [];
  for (const frame of frames) {
    if (!frame.container) {
      if (frame.alignment !== 'center') free.push(frame);
    } else if (frame.mirrored) edges.set(frame.id, { left: frame.box.left, right: frame.bounds.right });
  }
  const byLeft = Map.groupBy(free, ({ box }) => Math.round(box.left / sameEdge));
  const columns = [...byLeft.values()].flatMap(columnsOf);
  const ofText = columns
    .filter(({ paragraphs }) => paragraphs > 0)
    .sort((one, other) => other.paragraphs - one.paragraphs)
    .slice(0, maxColumns);
  for (const column of columns)
    for (const frame of column.frames) {
      if (!frame.mirrored) continue;
      const holding = frame.isCell ? [] : ofText.filter((other) => isIndentedIn(column, frame, other));
      const around = holding.find((other) => distance(other, frame) < maxGap * frame.size) ?? holding[0];
      const { left, right } = around ?? column;
      const { box } = frame;
      const mirrored = { left: left + right - box.right, right: right - Math.max(0, box.left - left) };
      if (around || right > box.right) edges.set(frame.id, mirrored);
    }
  return edges;
}

function isIndentedIn(own: Column, { box, size }: Frame, column: Column): boolean {
  const indent = box.left - column.left;
  return (
    column.paragraphs >= own.paragraphs &&
    indent > -sameEdge &&
    indent < maxIndent * size &&
    box.right < column.right + sameEdge
  );
}

function distance({ bottom, top }: Column, { box }: Frame): number {
  return Math.max(bottom - box.top, box.bottom - top);
}

/**
 * Divides blocks with the same left edge into columns: at large vertical gaps, and between paragraphs with very
 * different right edges.
 */
function columnsOf(frames: readonly Frame[]): Column[] {
  const columns: Column[] = [];
  for (const frame of frames.toSorted((one, other) => other.box.top - one.box.top)) {
    const { box, isCell, makesColumn, singleLine, size } = frame;
    let column = columns.at(-1);
    const last = column?.frames.at(-1);
    const isParagraph = !singleLine && !isCell;
    const isApart = last && last.box.bottom - box.top > maxGap * Math.max(last.size, size);
    const isOtherWidth =
      isParagraph &&
      column &&
      column.paragraphs > 0 &&
      Math.abs(column.right - box.right) > otherWidth * size;
    if (!column || isApart || isOtherWidth) {
      column = { ...box, right: Number.NEGATIVE_INFINITY, frames: [], paragraphs: 0 };
      columns.push(column);
    }
    column.frames.push(frame);
    column.bottom = Math.min(column.bottom, box.bottom);
    if (makesColumn) column.right = Math.max(column.right, box.right);
    if (isParagraph) column.paragraphs++;
  }
  return columns;
}

/** Moves the edges of a frame to the mirrored edges, as far as no obstacle is in the way. */
export function mirror(frame: Frame, { left, right }: MirroredEdges, space: FreeSpace): Frame {
  const { box, id, size } = frame;
  const distance = 0.6 * size;
  const band = { ...box, bottom: box.bottom + 0.12 * size, top: box.top - 0.12 * size };
  if (right >= box.right) {
    const free = space.right(band, right + distance, id) - distance;
    return { ...frame, box: { ...box, right: Math.max(box.right, Math.min(right, free)) } };
  }
  const free = space.left(band, left - distance, id) + distance;
  return { ...frame, box: { ...box, left: Math.min(box.left, Math.max(left, free)), right } };
}
