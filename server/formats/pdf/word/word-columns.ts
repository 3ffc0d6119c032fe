import { columnsInReadingOrder } from '../layout/reading-order.ts';
import { firstFrom, runsOf } from '../statistics.ts';
import type { Item } from './word-items.ts';

/** The maximum difference between the heights of two lines next to each other, as a factor of the font size. */
const sameHeight = 0.15;
/** The minimum width of a column of prose, as a factor of the font size. */
const minProseWidth = 8;
/** The minimum number of lines of prose in an area between rules. */
const minLinesInCell = 4;
/** The maximum difference between the tops of the cells in a row, in points. */
const sameTop = 2;
/** The minimum share of lines with a neighbor for which columns are those of a table. */
const minNeighbors = 0.7;
/** As `minNeighbors`, for columns of which two or more have prose, and the minimum number of rows of such a table. */
const minNeighborsOfProse = 0.9;
const minRowsOfProse = 4;

/**
 * Divides the texts of a page into columns in reading order. A table is in one column, although it also has gutters:
 * the lines in its columns are next to each other, while text columns have lines at different heights.
 */
export function textColumns(items: readonly Item[]): Item[][] {
  return columnsInReadingOrder(items, {
    isRightToLeft: false,
    hasRule: cellEdges(items),
    isCell: () => false,
    isRow,
    isGrid,
  });
}

/** The minimum share of a width that the edges of cells take if they separate what is above and below them. */
const minEdges = 0.6;

/** Returns a function that finds the upper and lower edges of table cells between two heights. */
function cellEdges(items: readonly Item[]): Parameters<typeof columnsInReadingOrder>[1]['hasRule'] {
  const cells = new Map(items.flatMap(({ cell }) => (cell ? [[`${cell.left} ${cell.top}`, cell]] : [])));
  const edges = [...cells.values()]
    .flatMap(({ left, right, top, bottom }) =>
      [top, bottom].map((height, side) => ({ left, right, height, side })),
    )
    .sort((one, other) => one.height - other.height);
  return (bottom, top, across) => {
    const widths = new Map<string, number>();
    const first = firstFrom(edges, ({ height }) => height < bottom);
    for (let at = first; at < edges.length && edges[at]!.height <= top; at++) {
      const { left, right, height, side } = edges[at]!;
      const width = Math.min(right, across.right) - Math.max(left, across.left);
      // The bottom of a cell and the top of the next one are one edge.
      const edge = `${Math.round(height)} ${side}`;
      widths.set(edge, (widths.get(edge) ?? 0) + Math.max(0, width));
    }
    return [...widths.values()].some((width) => width > minEdges * (across.right - across.left));
  };
}

/** The minimum number of texts on one baseline that are a row of a table. */
const minInRow = 3;

function isRow(band: readonly Item[]): boolean {
  return (
    band.length >= minInRow && band.every(({ lines }) => lines === 1) && sameBaselines(band).length === 1
  );
}

function isGrid(columns: readonly Item[][]): boolean {
  const items = columns.flat();
  if (items.every(({ cell }) => cell && Math.abs(cell.top - items[0]!.cell!.top) < sameTop)) return true;
  if (columns.filter((column) => column.every(({ label }) => label !== null)).length > 1) return false;
  const withProse = columns.filter((column) => column.some(isProse)).length;
  const { share, rows } = neighborsIn(columns);
  if (withProse > 1) return share >= minNeighborsOfProse && rows >= minRowsOfProse;
  return share >= minNeighbors;
}

function isProse({ box, size, lines, cell, role }: Item): boolean {
  return (
    role === 'text' && lines >= (cell ? minLinesInCell : 2) && box.right - box.left > minProseWidth * size
  );
}

/**
 * Counts the texts whose first line is next to a text of another column. The column with the most texts is not counted,
 * because a table may have rows with only one cell.
 */
function neighborsIn(columns: readonly Item[][]): { share: number; rows: number } {
  const longest = columns.reduce((most, column) => (column.length > most.length ? column : most));
  const columnOf = new Map(columns.flatMap((column) => column.map((item) => [item, column] as const)));
  let [counted, matched, rows] = [0, 0, 0];
  for (const row of sameBaselines(columns.flat())) {
    const isRow = row.some((item) => columnOf.get(item) !== columnOf.get(row[0]!));
    const own = row.filter((item) => columnOf.get(item) !== longest).length;
    counted += own;
    if (isRow) matched += own;
    if (isRow) rows++;
  }
  return { share: matched / Math.max(1, counted), rows };
}

/** Groups texts whose first lines are on one baseline, from the top of the page. */
function sameBaselines(items: readonly Item[]): Item[][] {
  const sorted = items.toSorted((one, other) => other.baseline - one.baseline);
  return runsOf(sorted, ([first], { baseline }) => first!.baseline - baseline <= sameHeight * first!.size);
}

/** The maximum distance between a bullet and its text, as a factor of the font size. */
const maxBulletDistance = 3;

/** Makes the bullets on a page the labels of the texts behind them. */
export function withBullets(items: readonly Item[]): Item[] {
  return sameBaselines(items).flatMap(joinBullets);
}

function joinBullets(row: readonly Item[]): Item[] {
  const joined: Item[] = [];
  for (const item of row.toSorted((one, other) => one.box.left - other.box.left)) {
    const bullet = joined.at(-1);
    const isBullet =
      bullet?.role === 'sign' &&
      item.role === 'text' &&
      item.label === null &&
      bullet.runs.every(({ text }) => /^[^\p{L}\p{N}]$/u.test(text)) &&
      item.box.left - bullet.box.right < maxBulletDistance * item.size;
    if (!isBullet) joined.push(item);
    else
      joined[joined.length - 1] = {
        ...item,
        label: bullet.runs[0]!.text,
        start: bullet.box.left,
        isHeading: false,
      };
  }
  return joined;
}

/** The number of rows from which an area between rules is a column of a table. */
const minRowsInArea = 3;

/**
 * Removes the areas of texts that are not cells but whole columns of a table, in which rows have no rules between them:
 * their texts have neighbors in other areas, row by row.
 */
export function withoutTallCells(items: readonly Item[]): Item[] {
  const keyOf = ({ cell }: Item): string => (cell ? `${cell.left} ${cell.top}` : '');
  const rows = new Map<string, number>();
  for (const row of sameBaselines(items)) {
    const keys = new Set(row.map(keyOf));
    if (keys.size > 1) for (const key of keys) rows.set(key, (rows.get(key) ?? 0) + 1);
  }
  return items.map((item) => ((rows.get(keyOf(item)) ?? 0) < minRowsInArea ? item : { ...item, cell: null }));
}
