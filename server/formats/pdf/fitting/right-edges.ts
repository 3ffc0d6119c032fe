import type { Frame } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/** The maximum gap between blocks of one column, in em. */
const maxGap = 10;
/** The maximum difference between the right edges of one column, in em, even if its lines are not justified. */
const otherWidth = 8;
/** The maximum difference between left edges that count as equal, in points. */
const sameEdge = 2;
/** The maximum indent of a part of a column, in em. */
const maxIndent = 6;

/** The maximum number of columns to compare, those with the most paragraphs. Real pages have few columns of paragraphs. */
const maxColumns = 40;

/** Blocks below each other with the same left edge. The right edge is that of the widest paragraph or table cell. */
interface Column {
  left: number;
  right: number;
  bottom: number;
  top: number;
  frames: Frame[];
  /** The number of paragraphs of text, which have several lines and are not in a table. */
  paragraphs: number;
}

/** The edges of a text that is right-aligned, unlike its source. */
export interface MirroredEdges {
  left: number;
  right: number;
}

/**
 * Finds the edges of left-aligned blocks that become right-aligned and belong to a column of text or of a table. The blocks of
 * a column have the same left edge and different ends. They must not be aligned with their different right ends, so they get
 * the right end of the widest paragraph or cell. Indented text in a column, such as a list, keeps its distance: it is as far
 * from the right edge as its source was from the left one. All other blocks are aligned with the right end of their source.
 *
 * @returns by frame id
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

/** Divides blocks with one left edge at large distances, and between text over several columns and text of a single column. */
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

/** Moves a frame to its edges, as far as the page is free. */
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
