import type { Direction } from '../../typesetting/languages.ts';
import { type Rectangle, union } from '../geometry.ts';
import { textColumns, withBullets, withoutTallCells } from './word-columns.ts';
import { type Item, itemsOf, type PageOfItems } from './word-items.ts';

/** A part of the Word file: a table, entries of a list of contents, or a single text. */
export interface Region {
  kind: 'table' | 'entries' | 'text';
  box: Rectangle;
  size: number;
  rows: Item[][];
}

/** The minimum number of texts in a single row of a table. Rows below each other and rows with a number need one less. */
const minCells = 3;
/** The maximum distance between two rows of a table, as a factor of the height of the text. */
const maxRowGap = 2;
/** The number of lines from which a text is a paragraph, which needs cells around it to be in a row with one other text. */
const minParagraph = 4;
/** The maximum difference between the tops of two cells in one row, in points. */
const sameTop = 2;
/** The maximum number of texts in a row. Comparing all of them with each other would take long. */
const maxInRow = 120;

/**
 * Finds the tables in a column of text: rows of texts next to each other, below each other.
 *
 * @param column the texts in reading order
 * @returns tables and single texts in reading order
 */
export function findTables(column: readonly Item[]): Region[] {
  const rows = rowsOf(column.toSorted(fromTop));
  const isRow = rows.map((row, index) => isTableRow(row, [rows[index - 1], rows[index + 1]]));
  const regions: Region[] = [];
  let table: Region | undefined;
  let between: Item[][] = [];
  const close = () => {
    if (table) regions.push({ ...table, kind: isOfEntries(table) ? 'entries' : 'table' });
    for (const item of between.flat()) if (item.role !== 'leader') regions.push(regionOf([item]));
    table = undefined;
    between = [];
  };
  for (const [index, row] of rows.entries()) {
    if (!isRow[index]) {
      between.push(row);
      continue;
    }
    const region = regionOf(row);
    if (!table || !continues(table, region, between)) {
      close();
      table = { ...region, kind: 'table' };
    } else {
      for (const each of [...between, row]) table.rows.push(each);
      table.box = [...between.flat().map(({ box }) => box), region.box].reduce(union, table.box);
      between = [];
    }
  }
  close();
  return regions;
}

/** Whether a row belongs to the table above it. Single texts between both must be in the table's width. */
function continues(table: Region, row: Region, between: readonly Item[][]): boolean {
  const inside = between.flat();
  if (inside.some(({ isHeading }) => isHeading)) return false;
  const lowest = inside.reduce((bottom, { box }) => Math.min(bottom, box.bottom), table.box.bottom);
  if (between.length === 0) return table.box.bottom - row.box.top < maxRowGap * row.size;
  return (
    table.box.bottom - row.box.top < maxRowGap * row.size * (1 + between.length) &&
    lowest - row.box.top < maxRowGap * row.size &&
    inside.every(
      ({ box, lines }) => lines < minParagraph && table.box.left <= box.left && box.right <= table.box.right,
    )
  );
}

function regionOf(row: Item[]): Region {
  return {
    kind: 'text',
    box: row.map(({ box, cell }) => (row.length > 1 && cell) || box).reduce(union),
    size: Math.max(...row.map(({ size }) => size)),
    rows: [row],
  };
}

/** Whether a row with text is in a table, by the number of its texts. */
function isTableRow(row: readonly Item[], neighbors: readonly (readonly Item[] | undefined)[]): boolean {
  const cells = cellsOf(row);
  if (cells < 2) return false;
  const isInTable = row.some(({ cell }) => cell);
  if (!isInTable && row.every(({ label, role }) => label !== null && role === 'text')) return false;
  if (cells >= minCells) return isInTable || row.every(({ lines }) => lines < minParagraph);
  if (
    row.some(({ lines, isHeading }) => lines >= minParagraph || (isHeading && !isInTable && !hasNumber(row)))
  )
    return false;
  if (hasNumber(row) || row.length > cells) return true;
  return neighbors.some((other) => other && cellsOf(other) > 1 && isNear(row, other));
}

/** Returns the number of texts in a row, of which those in one cell count once. */
function cellsOf(row: readonly Item[]): number {
  const own = row.filter(({ role }) => role !== 'leader');
  return own.filter((item, index) => index === 0 || !isSameCell(item, own[index - 1]!)).length;
}

function hasNumber(row: readonly Item[]): boolean {
  return row.some(({ role, runs }) => role === 'sign' && runs.some(({ text }) => /\p{N}/u.test(text)));
}

function isNear(one: readonly Item[], other: readonly Item[]): boolean {
  const [a, b] = [regionOf([...one]), regionOf([...other])];
  const gap = Math.max(a.box.bottom - b.box.top, b.box.bottom - a.box.top);
  return gap < maxRowGap * Math.max(a.size, b.size);
}

/** Whether the rows have dots between a text and a number. */
function isOfEntries({ rows }: Region): boolean {
  const dotted = rows.filter((row) => row.some(({ role }) => role === 'leader')).length;
  return dotted > 0 && (2 * dotted > rows.length || rows.every((row) => row.at(-1)!.role === 'sign'));
}

function fromTop(one: Item, other: Item): number {
  return placeOf(other).top - placeOf(one).top || placeOf(one).left - placeOf(other).left;
}

function placeOf({ box, cell }: Item): Rectangle {
  return cell ?? box;
}

function isSameCell({ cell }: Item, { cell: other }: Item): boolean {
  return cell !== null && other !== null && cell.left === other.left && cell.top === other.top;
}

function rowsOf(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  let band = { bottom: 0, top: 0 };
  for (const item of items) {
    const row = rows.at(-1);
    const place = placeOf(item);
    const isBilingual =
      row &&
      row.length < maxInRow &&
      row.every(
        (other) =>
          isSameCell(item, other) ||
          placeOf(other).right <= place.left + sameTop ||
          place.right <= placeOf(other).left + sameTop,
      );
    if (isBilingual && isAtHeight(item, row, band)) {
      row.push(item);
      const isLower = item.cell !== null || row.some(({ cell }) => cell);
      band = isLower
        ? { bottom: Math.max(band.bottom, place.bottom), top: band.top }
        : { bottom: Math.min(band.bottom, place.bottom), top: Math.max(band.top, place.top) };
    } else {
      rows.push([item]);
      band = place;
    }
  }
  for (const row of rows)
    row.sort((one, other) => placeOf(one).left - placeOf(other).left || other.box.top - one.box.top);
  return rows;
}

function isAtHeight(item: Item, row: readonly Item[], band: Pick<Rectangle, 'bottom' | 'top'>): boolean {
  const other = row.find(({ cell }) => cell)?.cell;
  if (item.cell && other) return Math.abs(item.cell.top - other.top) <= sameTop;
  const shared = Math.min(band.top, item.box.top) - Math.max(band.bottom, item.box.bottom);
  return shared > 0.5 * Math.min(band.top - band.bottom, item.box.top - item.box.bottom);
}

/**
 * Returns the places of the texts of a page that are in a table or a list, by the ids of their blocks: `table 1, row 3,
 * column 2`. The tables and lists are those of the Word file. They are counted from the top of the page.
 *
 * @param direction the reading direction of the source
 */
export function placesOf(page: PageOfItems, direction: Direction): Map<string, string> {
  const places = new Map<string, string>();
  const set = ({ id }: Item, place: string): unknown => id && places.set(id, place);
  const items = withBullets(withoutTallCells(itemsOf(page, new Map(), direction)));
  let [tables, lists, count] = [0, 0, 0];
  let list: Item | undefined;
  for (const { kind, rows } of textColumns(items).flatMap(findTables)) {
    const item = rows[0]![0]!;
    for (const grid of kind === 'table' ? gridsOf(rows) : []) {
      const columns = columnsOf(grid);
      if (grid.length < 2 || columns.length < 2) continue;
      tables++;
      for (const [row, cells] of grid.entries())
        for (const cell of cells)
          set(cell, `table ${tables}, row ${row + 1}, column ${1 + nearestTo(placeOf(cell), columns)}`);
    }
    if (kind === 'text' && item.label && !item.isHeading) {
      if (!list || !numberOf(list) !== !numberOf(item)) [lists, count, list] = [lists + 1, 0, item];
      count++;
      set(item, `list ${lists}, item ${numberOf(item) ?? count}`);
      continue;
    }
    // A text that is indented as the items are is the next paragraph of an item.
    if (kind !== 'text' || !list || item.isHeading || item.start < list.start + list.size / 2)
      list = undefined;
  }
  return places;
}

/** Returns the number or letter of an item; undefined for a bullet. */
function numberOf({ label }: Item): string | undefined {
  return /(?!o$)[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u.exec(label ?? '')?.[0];
}

/** Divides tables below each other that have rules at different places, or of which only one has rules. */
function gridsOf(rows: readonly Item[][]): Item[][][] {
  const grids: Item[][][] = [];
  let [edges, bottom] = [new Set<number>(), Infinity];
  for (const row of rows) {
    const cells = row.flatMap(({ cell }) => cell ?? []);
    const isBelow = cells.every(({ top }) => bottom - top > sameTop);
    const isOther =
      cells.length > 0
        ? isBelow && cells.some(({ left }) => !edges.has(Math.round(left / sameTop)))
        : edges.size > 0 && row.length > 1;
    if (isOther || grids.length === 0) {
      grids.push([]);
      [edges, bottom] = [new Set(), Infinity];
    }
    grids.at(-1)!.push(row);
    for (const { left, right, bottom: end } of cells) {
      bottom = Math.min(bottom, end);
      for (const edge of [left, right])
        for (const shift of [-1, 0, 1]) edges.add(Math.round(edge / sameTop) + shift);
    }
  }
  return grids;
}

/** Returns the places of the columns of a table: those of its row with the most cells. */
function columnsOf(rows: readonly Item[][]): Rectangle[] {
  const cells = rows.map((row) =>
    row.filter(({ role }, at) => role !== 'leader' && !(at > 0 && isSameCell(row[at - 1]!, row[at]!))),
  );
  return cells.reduce((most, row) => (row.length > most.length ? row : most)).map(placeOf);
}

/** Returns the index of the column whose left or right edge or middle is the nearest to that of a cell. */
function nearestTo({ left, right }: Rectangle, columns: readonly Rectangle[]): number {
  const distances = columns.map((column) => {
    const [before, after] = [column.left - left, column.right - right];
    return Math.min(Math.abs(before), Math.abs(after), Math.abs(before + after) / 2);
  });
  return distances.indexOf(Math.min(...distances));
}
