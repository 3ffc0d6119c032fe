import type { Frame } from './fit.ts';

/** The maximum gap between neighboring rows of a list, in em. */
const maxGap = 1.5;

/**
 * Groups texts that have the same style and a common edge and that are close below each other. Such texts are the rows
 * of a list or a form, or the cells of a table column.
 */
export function rowsOf<T>(texts: readonly T[], frameOf: (text: T) => Frame): T[][] {
  const columns = Map.groupBy(texts, (text) => {
    const { alignment, box, style } = frameOf(text);
    const edge =
      alignment === 'right' ? box.right : alignment === 'center' ? (box.left + box.right) / 2 : box.left;
    return `${style} ${alignment === 'justified' ? 'left' : alignment} ${Math.round(edge)}`;
  });
  return [...columns.values()].flatMap((column) => {
    const rows: T[][] = [];
    for (const text of column.toSorted((one, other) => frameOf(other).baseline - frameOf(one).baseline)) {
      const list = rows.at(-1);
      const { box, size } = frameOf(text);
      if (list && frameOf(list.at(-1)!).box.bottom - box.top <= maxGap * size) list.push(text);
      else rows.push([text]);
    }
    return rows.filter((list) => list.length > 1);
  });
}
