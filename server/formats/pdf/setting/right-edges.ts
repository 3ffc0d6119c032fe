import type { Frame } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/** Blocks below each other with a larger gap are not of one column, in em. */
const largestGap = 5;
/** Left edges that differ by less are one, in points. */
const sameEdge = 2;

/**
 * Finds the right edges of left-aligned blocks that are set flush right and belong to a column of text or of a table. The blocks of
 * a column have one left edge and end anywhere: flush with their own right ends they would look torn, so they get the right end
 * of the widest one. A block alone is flush with the right end of its source.
 *
 * @returns by frame id
 */
export function rightEdges(frames: readonly Frame[]): Map<string, number> {
  const edges = new Map<string, number>();
  const columns = new Map<number, Frame[]>();
  for (const frame of frames) {
    if (frame.container) {
      if (frame.mirrored) edges.set(frame.id, frame.bounds.right);
    } else if (frame.alignment !== 'center') {
      const left = Math.round(frame.box.left / sameEdge);
      columns.set(left, [...(columns.get(left) ?? []), frame]);
    }
  }
  for (const column of columns.values())
    for (const group of partsOf(column)) {
      const edge = Math.max(...group.map(({ box }) => box.right));
      for (const { id, box, mirrored } of group) if (mirrored && edge > box.right) edges.set(id, edge);
    }
  return edges;
}

/**
 * Finds the blocks which begin at one edge with others above or below them. They do not grow against their alignment: the edge would
 * look torn.
 *
 * @returns ids of frames
 */
export function withSharedEdge(frames: readonly Frame[]): Set<string> {
  const columns = Map.groupBy(
    frames.filter(({ alignment }) => alignment !== 'center'),
    ({ alignment, box, rightToLeft }) =>
      alignment === 'right' || (alignment === 'justified' && rightToLeft)
        ? `right ${Math.round(box.right / sameEdge)}`
        : `left ${Math.round(box.left / sameEdge)}`,
  );
  const shared = [...columns.values()].flatMap(partsOf).filter((group) => group.length > 1);
  return new Set(shared.flat().map(({ id }) => id));
}

/** Divides blocks with one left edge where the distance between them is large. */
function partsOf(column: readonly Frame[]): Frame[][] {
  const parts: Frame[][] = [];
  for (const frame of column.toSorted((one, other) => other.box.top - one.box.top)) {
    const part = parts.at(-1);
    const last = part?.at(-1);
    if (part && last && last.box.bottom - frame.box.top <= largestGap * Math.max(last.size, frame.size))
      part.push(frame);
    else parts.push([frame]);
  }
  return parts;
}

/** Extends a frame to the right as far as is free, up to `edge`. */
export function extendRight(frame: Frame, edge: number, space: FreeSpace): Frame {
  const { box, id, size } = frame;
  const distance = 0.6 * size;
  const band = { ...box, bottom: box.bottom + 0.12 * size, top: box.top - 0.12 * size };
  const free = space.right(band, edge + distance, id) - distance;
  return { ...frame, box: { ...box, right: Math.max(box.right, Math.min(edge, free)) } };
}
