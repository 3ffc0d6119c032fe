/** Which texts of two files are compared: those near the lines between landmarks. */

/** Texts are compared up to this far from the line between two landmarks: a share of all, within these limits. */
const reach = { share: 0.02, least: 60, most: 100 };

/** A number of texts of both sides. */
export type Place = [source: number, target: number];

/** A part of both files that is aligned separately, and the landmarks in it. */
interface Block {
  start: Place;
  end: Place;
  inner: Place[];
}

/**
 * Divides the files at landmarks between which one file has many more texts than the other, such as a chapter that the other
 * one lacks: the way from one landmark to the next one is then a block.
 */
export function blocksOf(marks: readonly Place[], end: Place): Block[] {
  const blocks: Block[] = [{ start: [0, 0], end, inner: [] }];
  let before: Place = [0, 0];
  for (const mark of [...marks, end]) {
    const block = blocks.at(-1)!;
    const [rows, columns] = [mark[0] - before[0], mark[1] - before[1]];
    if (Math.abs(columns - rows) > reach.least / 2) {
      block.end = before;
      blocks.push({ start: before, end: mark, inner: [] }, { start: mark, end, inner: [] });
    } else if (mark !== end) block.inner.push(mark);
    before = mark;
  }
  return blocks.filter(({ start, end }) => start[0] < end[0] || start[1] < end[1]);
}

/** Returns the band of columns that are compared in each row: around the lines between the landmarks. */
export function bandOf(
  [rows, columns]: Place,
  landmarks: readonly Place[],
): { first: Int32Array; width: number } {
  const share = reach.share * Math.max(rows, columns);
  const half = Math.ceil(
    Math.max(Math.min(Math.max(reach.least, share), reach.most), (2 * columns) / Math.max(1, rows)),
  );
  const first = new Int32Array(rows + 1);
  const points: Place[] = [[0, 0], ...landmarks, [rows, columns]];
  for (let index = 1; index < points.length; index++) {
    const [[row, column], [nextRow, nextColumn]] = [points[index - 1]!, points[index]!];
    for (let at = row; at <= nextRow; at++)
      first[at] =
        Math.round(column + ((at - row) * (nextColumn - column)) / Math.max(1, nextRow - row)) - half;
  }
  return { first, width: 2 * half + 1 };
}

/**
 * Leaves out landmarks that lie apart from their neighbors on both sides: two texts can have a number in common by chance.
 * Those around a chapter that one file lacks agree with the neighbors on one side.
 */
export function smoothed(points: readonly Place[]): Place[] {
  const offset = ([row, column]: Place) => column - row;
  return points.filter((point, index) => {
    const isNear = (others: readonly Place[]) =>
      others.filter((other) => Math.abs(offset(point) - offset(other)) <= reach.least / 2).length >= 2;
    return isNear(points.slice(Math.max(0, index - 3), index)) || isNear(points.slice(index + 1, index + 4));
  });
}
