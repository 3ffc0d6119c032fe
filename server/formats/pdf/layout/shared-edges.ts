import type { Rectangle } from '../geometry.ts';
import type { TextBlock } from '../text-block.ts';

/** As shares of the size: edges so near are one, and blocks so far apart are not of one column. */
const sameEdge = 0.3;
const furthestBlock = 5;
/** Two labels, as in the boxes of a diagram, may begin at one place by chance. */
const fewestCompanions = 2;

/**
 * Marks the blocks that begin (end, if they are flush right) where two others above or below them do: readers see such an edge, so a longer
 * text must not grow over it. A single line that begins where two others do begins there for that reason, even if it ends up in the
 * middle of its cell. Changes the blocks, which are all of one direction.
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
      if (companions[start].get(block)! >= fewestCompanions && companions[alignment].get(block) === 0)
        block.alignment = start;
    const edge = block.alignment === 'justified' ? start : block.alignment;
    block.sharesEdge = edge !== 'center' && companions[edge].get(block)! >= fewestCompanions;
  }
}

/** How many blocks above and below each block are at the same place, without a large distance between them. */
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

/** Divides the blocks of a column where the distance between them is large. */
function runsOf(column: readonly TextBlock[]): TextBlock[][] {
  const runs: TextBlock[][] = [];
  let last: TextBlock | undefined;
  for (const block of column.toSorted((one, other) => other.box.top - one.box.top)) {
    const furthest = furthestBlock * Math.max(block.style.size, last?.style.size ?? 0);
    if (last && last.box.bottom - block.box.top <= furthest) runs.at(-1)!.push(block);
    else runs.push([block]);
    last = block;
  }
  return runs;
}
