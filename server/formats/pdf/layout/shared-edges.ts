import type { Rectangle } from '../geometry.ts';
import type { TextBlock } from '../text-block.ts';

/**
 * As shares of the size: the maximum difference between equal edges, and the maximum distance between the blocks of a column.
 */
const sameEdge = 0.3;
const maxBlockDistance = 5;
/**
 * The minimum number of other blocks with the same edge. Two labels, for example in the boxes of a diagram, may have the same
 * edge by chance.
 */
const minCompanions = 2;

/**
 * Marks the blocks that start at the same position as two others above or below them (for right-aligned blocks: that end
 * there). Such an edge is visible, so a longer text must not grow over it. It also determines the alignment of a single line,
 * even if the line is in the middle of its cell by chance. Changes the blocks, which all have one direction.
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
      if (companions[start].get(block)! >= minCompanions && companions[alignment].get(block) === 0)
        block.alignment = start;
    const edge = block.alignment === 'justified' ? start : block.alignment;
    block.sharesEdge = edge !== 'center' && companions[edge].get(block)! >= minCompanions;
  }
}

/** Returns how many blocks above and below each block are at the same position, without a large distance between them. */
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
    const last = column.at(-1);
    if (last && placeOf(block.box) - placeOf(last.box) >= sameEdge * block.style.size) close();
    column.push(block);
  }
  close();
  return companions;
}

/** Divides the blocks of a column at large distances. */
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
