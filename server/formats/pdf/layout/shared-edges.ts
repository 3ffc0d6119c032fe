import type { Rectangle } from '../geometry.ts';
import type { TextBlock } from '../text-block.ts';

/**
 * As shares of the font size: the maximum difference between edges that count as equal, and the maximum distance
 * between neighboring blocks of a column.
 */
const sameEdge = 0.3;
const maxBlockDistance = 5;
/**
 * The minimum number of other blocks with the same edge. Two labels, for example in the boxes of a diagram, may have
 * the same edge by chance.
 */
const minCompanions = 2;

/**
 * Marks each block that has the same aligned edge as at least two other blocks above or below it: the right edge of
 * right-aligned blocks, the left edge of others. Such an edge is visible, so a longer translation must not grow over
 * it. A single line that seems to be centered or aligned with the other edge gets the usual alignment if more blocks
 * have its start edge, because the line may be in the middle of its cell, or below another line, by chance. Changes the blocks, which must have one
 * direction.
 */
export function markSharedEdges(blocks: readonly TextBlock[], isRightToLeft: boolean): void {
  const companions = {
    left: companionsAt(blocks, ({ left }) => left),
    right: companionsAt(blocks, ({ right }) => right),
    center: companionsAt(blocks, ({ left, right }) => (left + right) / 2),
  };
  const start = isRightToLeft ? 'right' : 'left';
  for (const block of blocks) {
    const { alignment, lines } = block;
    if (alignment !== start && alignment !== 'justified' && lines.length === 1)
      if (companions[start].get(block)! >= Math.max(minCompanions, 1 + companions[alignment].get(block)!))
        block.alignment = start;
    const edge = block.alignment === 'justified' ? start : block.alignment;
    block.sharesEdge = edge !== 'center' && companions[edge].get(block)! >= minCompanions;
  }
}

/**
 * For each block, returns how many other blocks above and below have the same position, with no large gap between them.
 */
function companionsAt(
  blocks: readonly TextBlock[],
  placeOf: (box: Rectangle) => number,
): Map<TextBlock, number> {
  const companions = new Map<TextBlock, number>();
  let column: TextBlock[] = [];
  const close = () => {
    for (const run of runsOf(column)) for (const block of run) companions.set(block, run.length - 1);
    column = [];
  };
  for (const block of blocks.toSorted((one, other) => placeOf(one.box) - placeOf(other.box))) {
    const [first] = column;
    const size = Math.min(block.style.size, first?.style.size ?? 0);
    if (first && placeOf(block.box) - placeOf(first.box) >= sameEdge * size) close();
    column.push(block);
  }
  close();
  return companions;
}

/** Divides the blocks of a column at large vertical gaps. */
function runsOf(column: readonly TextBlock[]): TextBlock[][] {
  const runs: TextBlock[][] = [];
  let last: TextBlock | undefined;
  for (const block of column.toSorted((one, other) => other.box.top - one.box.top)) {
    const furthest = maxBlockDistance * Math.max(block.style.size, last?.style.size ?? 0);
    if (last && last.box.bottom - block.box.top <= furthest) runs.at(-1)!.push(block);
    else runs.push([block]);
    last = block;
  }
  return runs;
}
