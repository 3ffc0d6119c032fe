/** A rectangle on a page as it is shown, in points, from the top left corner. */
export type Box = [left: number, top: number, right: number, bottom: number];

export function areaOf([left, top, right, bottom]: Box): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top);
}

export function centerOf([left, top, right, bottom]: Box): [x: number, y: number] {
  return [(left + right) / 2, (top + bottom) / 2];
}

export function heightOf(box: Box): number {
  return box[3] - box[1];
}

/** The smallest rectangle around all boxes. */
export function around(boxes: readonly Box[]): Box {
  const all: Box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    all[0] = Math.min(all[0], box[0]);
    all[1] = Math.min(all[1], box[1]);
    all[2] = Math.max(all[2], box[2]);
    all[3] = Math.max(all[3], box[3]);
  }
  return all;
}

/** Moves all edges outwards, or inwards if the distance is negative. */
export function grow([left, top, right, bottom]: Box, distance: number): Box {
  return [left - distance, top - distance, right + distance, bottom + distance];
}

export function contains([left, top, right, bottom]: Box, [x, y]: readonly [number, number]): boolean {
  return x >= left && x <= right && y >= top && y <= bottom;
}

/** The common area of two boxes divided by the area that at least one of them covers (intersection over union). */
export function iouOf(one: Box, other: Box): number {
  const common = areaOf([
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]);
  const union = areaOf(one) + areaOf(other) - common;
  return union === 0 ? 1 : common / union;
}

/** How far a point is outside of a box, in points; 0 inside. */
export function distanceTo([left, top, right, bottom]: Box, [x, y]: readonly [number, number]): number {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
}

/** Whether two boxes have about the same height on the page, as words of one line have. */
export function areOnOneLine(one: Box, other: Box): boolean {
  const common = Math.min(one[3], other[3]) - Math.max(one[1], other[1]);
  return common > 0.5 * Math.min(heightOf(one), heightOf(other));
}

/** The blank between two boxes that are side by side; negative if they overlap. */
export function gapBetween(one: Box, other: Box): number {
  return Math.max(other[0] - one[2], one[0] - other[2]);
}
