import { Bands, type Rectangle } from '../geometry.ts';

/** The maximum distance between neighboring cells, and how far they may overlap each other, in points. */
const [maxNeighborDistance, overlap] = [8, 1];

/**
 * Returns which boxes around texts are cells of a table: those with another box directly next to them, above them or
 * below them. Boxes with the same edges count as one.
 */
export function findCells(boxes: readonly Rectangle[]): Set<Rectangle> {
  const places = Map.groupBy(boxes, ({ left, bottom, right, top }) =>
    [left, bottom, right, top].map(Math.round).join(' '),
  );
  const alone = [...places.values()].map(([box]) => box!);
  const bands = new Bands<Rectangle>();
  for (const box of alone) bands.add(box, box);
  const isCell = (box: Rectangle) => {
    const near = bands.near(box.bottom - maxNeighborDistance, box.top + maxNeighborDistance);
    return [...near].some((other) => areNeighbors(box, other));
  };
  return new Set([...places.values()].filter(([box]) => isCell(box!)).flat());
}

function areNeighbors(one: Rectangle, other: Rectangle): boolean {
  const isNext = (gap: number) => gap >= -overlap && gap <= maxNeighborDistance;
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  const narrow = Math.min(one.right - one.left, other.right - other.left);
  const low = Math.min(one.top - one.bottom, other.top - other.bottom);
  return (isNext(-width) && height > 0.5 * low) || (isNext(-height) && width > 0.5 * narrow);
}
