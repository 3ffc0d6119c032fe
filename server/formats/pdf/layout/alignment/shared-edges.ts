import { plainText } from '../../../inline-content.ts';
import type { Rectangle } from '../../geometry.ts';
import { greatest, least, runsOf } from '../../statistics.ts';
import type { TextBlock } from '../../text-block.ts';

/**
 * As shares of the font size: the maximum difference between edges that count as equal, and the maximum distance
 * between neighboring blocks of a column.
 */
const sameEdge = 0.3;
const maxBlockDistance = 5;
const exactEdge = 0.02;
/**
 * The minimum number of other blocks with the same edge. Two labels, for example in the boxes of a diagram, may have
 * the same edge by chance.
 */
const minCompanions = 2;
/**
 * As shares of the font size: the maximum distance between the middles of centered texts, and the minimum difference
 * between the widths of some of them, because cells of equal width look the same in every alignment.
 */
const sameMiddle = 0.1;
const otherWidth = 2;

/** The minimum gap between a text at the end of a row and the text before it, as a share of the font size. */
const minGapBefore = 3;

/** The start of an amount. */
const amount = /^[-–−+]?\s?\p{Sc}?\s?\d+(?:[.,]\d+)*\s/u;

/**
 * Marks each block that has the same aligned edge as at least two other blocks above or below it, and each single line
 * with the edge of two others of its style: the right edge of right-aligned blocks, the left edge of others. Such an
 * edge is visible, so a longer translation must not grow over
 * it. A single line that seems to be centered or aligned with the other edge gets the usual alignment if more blocks
 * have its start edge, because the line may be in the middle of its cell, or below another line, by chance. If the text
 * ends at the end of its box by chance, one block with its start is enough. In reverse, a single line is aligned with
 * its end if far more blocks have its end than its start, and a text in the middle of its cell is centered if the cells
 * above and below are, or if it shares only its middle with others that have different starts, such as
 * the items of a centered list. Changes the blocks, which must have one direction.
 */
export function markSharedEdges(blocks: readonly TextBlock[], isRightToLeft: boolean): void {
  const companions = {
    left: companionsAt(blocks, ({ left }) => left),
    right: companionsAt(blocks, ({ right }) => right),
    center: companionsAt(blocks, ({ left, right }) => (left + right) / 2),
  };
  const alike = { left: alikeAt(blocks, ({ left }) => left), right: alikeAt(blocks, ({ right }) => right) };
  // Texts that are equally wide, such as one place in several entries, have both edges in common.
  const unlike = {
    left: alikeAt(
      blocks,
      ({ left }) => left,
      ({ right }) => right,
    ),
    right: alikeAt(
      blocks,
      ({ right }) => right,
      ({ left }) => left,
    ),
  };
  const start = isRightToLeft ? 'right' : 'left';
  const opposite = isRightToLeft ? 'left' : 'right';
  const rows = Map.groupBy(blocks, ({ lines }) => Math.round(lines[0]!.baseline));
  const isBehindText = ({ box, lines, style }: TextBlock) =>
    rows.get(Math.round(lines[0]!.baseline))!.some(({ box: other }) => {
      const gap = isRightToLeft ? other.left - box.right : box.left - other.right;
      return gap > minGapBefore * style.size;
    });
  const isAlone = (block: TextBlock) => companions[start].get(block) === 0;
  const stacks = columnsAt(blocks, ({ left, right }) => left + right, 2 * sameMiddle)
    .flatMap(stacksOf)
    .filter((run) => run.length > minCompanions + 1 && 2 * run.filter(isAlone).length > run.length);
  const inStack = new Set(stacks.flat());
  // Their boxes start at the other lines of their paragraphs.
  const indents = Map.groupBy(
    blocks.filter(({ lines }) => lines.length > 1),
    ({ lines }) => Math.round(lines[0]!.left),
  );
  const isIndented = ({ box }: TextBlock) =>
    (indents.get(Math.round(box.left))?.length ?? 0) >= minCompanions;
  const centered = centeredCells(blocks, (block) =>
    Math.max(companions.left.get(block)!, companions.right.get(block)!),
  );
  for (const block of blocks) {
    const { alignment, lines } = block;
    if (alignment !== start && alignment !== 'justified' && lines.length === 1) {
      const fewest = alignment === opposite && block.container ? 1 : minCompanions;
      if (companions[start].get(block)! >= Math.max(fewest, 1 + companions[alignment].get(block)!))
        block.alignment = start;
    }
    const [starts, ends] = [companions[start].get(block)!, companions[opposite].get(block)!];
    const isAmount = ends > starts && amount.test(plainText(block.content));
    const isAtEnd =
      isBehindText(block) &&
      unlike[opposite].get(block)! >= minCompanions &&
      !unlike[start].get(block) &&
      starts === 0;
    const sharesEnd =
      isAtEnd || (isAmount ? ends >= minCompanions : ends > minCompanions && ends > 3 * starts);
    if (alignment === start && lines.length === 1 && sharesEnd && !isIndented(block))
      block.alignment = opposite;
    const startsAlone = starts + ends === 0 && !unlike[start].get(block);
    const isCentered = alignment === start && lines.length === 1 && startsAlone && inStack.has(block);
    if (centered.has(block) || isCentered) block.alignment = 'center';
    const edge = block.alignment === 'justified' ? start : block.alignment;
    block.sharesEdge =
      edge !== 'center' &&
      (companions[edge].get(block)! >= minCompanions || (alike[edge].get(block) ?? 0) >= minCompanions);
  }
  // A title and the line below it are enough if their edges are equal by design.
  const exact = columnsAt(blocks, ({ [start]: edge }) => edge, exactEdge).flatMap(stacksOf);
  for (const run of exact)
    if (run.length > 1)
      for (const block of run)
        if (block.kind === 'heading' && block.alignment === start) block.sharesEdge = true;
  // A title is far above its text.
  for (const column of columnsAt(blocks, ({ [start]: edge }) => edge, sameEdge)) {
    const paragraphs = column.filter(({ lines, kind }) => lines.length > 1 && kind !== 'table_cell');
    if (paragraphs.length < minCompanions) continue;
    for (const block of column)
      if (block.kind === 'heading' && block.alignment === start) block.sharesEdge = true;
  }
}

/** Returns the blocks in the middle of their cells that are in columns of such cells with texts of different widths. */
function centeredCells(
  blocks: readonly TextBlock[],
  companionsAtEdge: (block: TextBlock) => number,
): Set<TextBlock> {
  const middleOf = ({ left, right }: Pick<Rectangle, 'left' | 'right'>) => (left + right) / 2;
  const inMiddle = blocks.filter(({ box, container, lines, style }) => {
    const middle = middleOf(box);
    const isNear = (place: number, most: number) => Math.abs(place - middle) < most * style.size;
    return (
      container &&
      isNear(middleOf(container), 2 * sameMiddle) &&
      lines.every((line) => isNear(middleOf(line), sameMiddle))
    );
  });
  const widthOf = ({ box, style }: TextBlock) => (box.right - box.left) / style.size;
  const columns = columnsAt(inMiddle, middleOf, sameMiddle)
    .flatMap(stacksOf)
    .filter((column) => {
      const widths = column.map(widthOf);
      return column.length > minCompanions && greatest(widths) - least(widths) > otherWidth;
    });
  return new Set(
    columns.flatMap((column) => column.filter((block) => column.length - 1 > companionsAtEdge(block))),
  );
}

/**
 * For each block, returns how many other blocks above and below have the same position, with no large gap between them.
 */
function companionsAt(
  blocks: readonly TextBlock[],
  placeOf: (box: Rectangle) => number,
): Map<TextBlock, number> {
  return new Map(
    columnsAt(blocks, placeOf, sameEdge)
      .flatMap(stacksOf)
      .flatMap((run) => run.map((block) => [block, run.length - 1] as const)),
  );
}

/**
 * For each single line, returns how many others of its style have the same position, wherever they are on the page.
 *
 * @param otherOf another position, which must differ
 */
function alikeAt(
  blocks: readonly TextBlock[],
  placeOf: (box: Rectangle) => number,
  otherOf?: (box: Rectangle) => number,
): Map<TextBlock, number> {
  const single = blocks.filter(({ lines }) => lines.length === 1);
  const styles = Map.groupBy(single, ({ style: { family, bold, size } }) => `${family} ${bold} ${size}`);
  return new Map(
    [...styles.values()]
      .flatMap((own) => columnsAt(own, placeOf, sameMiddle))
      .flatMap((column) => {
        const keyOf = (block: TextBlock): unknown => (otherOf ? Math.round(otherOf(block.box)) : block);
        const equal = Map.groupBy(column, keyOf);
        return column.map((block) => [block, column.length - equal.get(keyOf(block))!.length] as const);
      }),
  );
}

/** Groups blocks above each other that have the same position. */
function columnsAt(
  blocks: readonly TextBlock[],
  placeOf: (box: Rectangle) => number,
  furthest: number,
): TextBlock[][] {
  const sorted = blocks.toSorted((one, other) => placeOf(one.box) - placeOf(other.box));
  return runsOf(
    sorted,
    ([first], { box, style }) =>
      placeOf(box) - placeOf(first!.box) < furthest * Math.min(style.size, first!.style.size),
  );
}

/** Divides the blocks of a column at large vertical gaps. */
function stacksOf(column: readonly TextBlock[]): TextBlock[][] {
  const sorted = column.toSorted((one, other) => other.box.top - one.box.top);
  return runsOf(sorted, (run, { box, style }) => {
    const last = run.at(-1)!;
    return last.box.bottom - box.top <= maxBlockDistance * Math.max(style.size, last.style.size);
  });
}
