import { type NewRun, paragraphXml } from '../docx/new-document.ts';
import { directionOf } from '../typesetting/languages.ts';
import { type Rectangle, union } from './geometry.ts';
import type { Placed } from './layout/reading-order.ts';

/** A text of the Word file, with its place on the page. */
export interface Item {
  /**
   * The place of the text on the page as displayed, in points; y points upwards. x points in the direction in which the
   * source is read, so that rows are in reading order.
   */
  box: Rectangle;
  size: number;
  /** Whether the text has one line. */
  isLine: boolean;
  isCell: boolean;
  /** Whether the text is a number or sign that the file keeps. */
  isSign: boolean;
  isHeading: boolean;
  /** The bullet or number of a list item. */
  label: string | null;
  runs: NewRun[];
  /** `right` stands for the side at which lines end, also in right-to-left text. */
  align: 'center' | 'right' | undefined;
}

/** A table, or a single text outside of tables. */
export interface Region extends Placed {
  rows: Item[][];
}

/**
 * Finds the tables of a page: rows of texts next to each other, below each other. The layout marks only the cells
 * between rules, so other rows are recognized by their number of texts.
 */
export function withTables(items: readonly Item[], page: Rectangle): Region[] {
  const inRows = items.filter(({ isLine, isCell }) => isLine || isCell).toSorted(fromTop);
  const tables: Region[] = [];
  for (const row of rowsOf(inRows)) {
    if (row.length < (row.some(({ isSign }) => isSign) ? minCells - 1 : minCells)) continue;
    const region = regionOf(row);
    const last = tables.at(-1);
    if (last && last.box.bottom - region.box.top < maxRowGap * region.size) {
      last.rows.push(row);
      last.box = union(last.box, region.box);
    } else tables.push(region);
  }
  const inTables = new Set(tables.flatMap(({ rows }) => rows.flat()));
  for (const item of items) {
    if (inTables.has(item)) continue;
    const around = tables.find(({ box }) => contains(box, item.box));
    if (around) around.rows.push([item]);
    else if (!item.isSign || isContent(item, page)) tables.push(regionOf([item]));
  }
  for (const { rows } of tables) rows.sort(([one], [other]) => fromTop(one!, other!));
  return tables;
}

/** The minimum number of texts in a row of a table. A row with a number needs one less. */
const minCells = 3;
/** The maximum distance between two rows of a table, as a factor of the height of the text. */
const maxRowGap = 2;

/** The height of the margins that contain page numbers, as a share of the page's height. */
const margin = 0.1;

/** Whether a number or sign outside of tables belongs to the text. Page numbers and decorations do not. */
function isContent({ box, runs }: Item, page: Rectangle): boolean {
  const height = page.top - page.bottom;
  const isInMargin = box.bottom > page.top - margin * height || box.top < page.bottom + margin * height;
  return !isInMargin && runs.some(({ text }) => /\p{N}/u.test(text));
}

function regionOf(row: Item[]): Region {
  return {
    box: row.map(({ box }) => box).reduce(union),
    size: Math.max(...row.map(({ size }) => size)),
    isCell: false,
    rows: [row],
  };
}

function contains(outer: Rectangle, { left, bottom, right, top }: Rectangle): boolean {
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  return x > outer.left && x < outer.right && y > outer.bottom && y < outer.top;
}

function fromTop(one: Item, other: Item): number {
  return other.box.top - one.box.top || one.box.left - other.box.left;
}

/** Groups consecutive items that are next to each other. */
function rowsOf(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  let band = { bottom: 0, top: 0 };
  for (const item of items) {
    const row = rows.at(-1);
    const shared = Math.min(band.top, item.box.top) - Math.max(band.bottom, item.box.bottom);
    const height = Math.min(band.top - band.bottom, item.box.top - item.box.bottom);
    // A row with more texts than the grid has columns is not part of it, and comparing all of them would take long.
    const isBeside =
      row &&
      row.length < gridColumns &&
      row.every(({ box }) => box.right <= item.box.left || item.box.right <= box.left);
    if (isBeside && shared > 0.5 * height) {
      row.push(item);
      band = { bottom: Math.min(band.bottom, item.box.bottom), top: Math.max(band.top, item.box.top) };
    } else {
      rows.push([item]);
      band = item.box;
    }
  }
  for (const row of rows) row.sort((one, other) => one.box.left - other.box.left);
  return rows;
}

/** The width of the text on a page of the Word file, in twentieths of a point. */
const textWidth = 9026;
/** The number of columns of the grid to which the cells of all tables are aligned. */
const gridColumns = 120;
const columnWidth = Math.floor(textWidth / gridColumns);
/** The minimum width of a cell, in columns of the grid. */
const minSpan = 7;
/** The space between a text and the sides of its cell, in twentieths of a point. */
const cellMargin = 40;

/**
 * Returns the XML of a table. A cell begins at the position of its text and extends to the next text of its row, so a
 * text outside of the columns never makes a column narrow.
 */
export function tableXml({ rows, box }: Region, language: string): string {
  const scale = textWidth / 20 / Math.max(1, box.right - box.left);
  const starts = startsOf(rows, cellMargin / 20 / scale);
  const size = cellTextSize(rows, scale);
  const columnOf = (item: Item): number =>
    Math.round((20 * scale * (starts.get(item)! - box.left)) / columnWidth);
  const xml = rows.map((row) => {
    const cells: { start: number; items: Item[] }[] = [];
    for (const item of row) {
      const start = Math.min(columnOf(item), gridColumns - minSpan);
      const last = cells.at(-1);
      if (last && start - last.start < minSpan) last.items.push(item);
      else cells.push({ start, items: [item] });
    }
    if (cells[0]!.start < minSpan) cells[0]!.start = 0;
    else cells.unshift({ start: 0, items: [] });
    const written = cells.map(({ start, items }, index) => {
      const span = (cells[index + 1]?.start ?? gridColumns) - start;
      const content = items.map((item) => cellXml(item, size, language)).join('') || '<w:p/>';
      return `<w:tc><w:tcPr><w:tcW w:w="${span * columnWidth}" w:type="dxa"/><w:gridSpan w:val="${span}"/></w:tcPr>${content}</w:tc>`;
    });
    return `<w:tr>${written.join('')}</w:tr>`;
  });
  const borders = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV']
    .map((side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="BFBFBF"/>`)
    .join('');
  const margins = ['left', 'right'].map((side) => `<w:${side} w:w="${cellMargin}" w:type="dxa"/>`).join('');
  // In a right-to-left table, the first cell of a row is on the right.
  const direction = directionOf(language) === 'rtl' ? '<w:bidiVisual/>' : '';
  return (
    `<w:tbl><w:tblPr>${direction}<w:tblW w:w="${gridColumns * columnWidth}" w:type="dxa"/><w:tblBorders>${borders}</w:tblBorders>` +
    `<w:tblLayout w:type="fixed"/><w:tblCellMar>${margins}</w:tblCellMar></w:tblPr>` +
    `<w:tblGrid>${`<w:gridCol w:w="${columnWidth}"/>`.repeat(gridColumns)}</w:tblGrid>${xml.join('')}</w:tbl><w:p/>`
  );
}

/** The maximum distance between the ends of numbers in one column, in points. */
const sameEnd = 2;

/**
 * Returns the positions at which the cells of a table begin, before their texts. Numbers that end at the same position
 * are a column, and begin together with the longest of them.
 *
 * @param space the space before the text of a cell, in points of the page
 */
function startsOf(rows: readonly Item[][], space: number): Map<Item, number> {
  const numbers = rows.flatMap((row) => row.filter(({ isSign }) => isSign));
  const lefts = new Map<Item, number>();
  let column: Item[] = [];
  for (const item of [...numbers.toSorted((one, other) => one.box.right - other.box.right), undefined]) {
    const last = column.at(-1);
    if (last && (!item || item.box.right - last.box.right > sameEnd)) {
      const left = column.reduce((least, { box }) => Math.min(least, box.left), Infinity);
      for (const each of column) lefts.set(each, left);
      column = [];
    }
    if (item) column.push(item);
  }
  const starts = new Map<Item, number>();
  for (const row of rows)
    for (const [index, item] of row.entries()) {
      const before = row[index - 1]?.box.right ?? -Infinity;
      const wanted = (lefts.get(item) ?? item.box.left) - space;
      starts.set(item, Math.min(item.box.left, Math.max(before, wanted)));
    }
  return starts;
}

/** The minimum and maximum size of text in a table in half points. The maximum leaves room for longer translations. */
const [minCellText, maxCellText] = [13, 17];

/** Returns the size of text in a table in half points: the usual size on the page, as far as the table is scaled. */
function cellTextSize(rows: readonly Item[][], scale: number): number {
  const sizes = rows.flatMap((row) => row.map(({ size }) => size)).sort((one, other) => one - other);
  const usual = sizes[Math.floor(sizes.length / 2)]!;
  return Math.round(Math.min(maxCellText, Math.max(minCellText, 2 * scale * usual)));
}

function cellXml(item: Item, cellSize: number, language: string): string {
  const size = `<w:sz w:val="${cellSize}"/><w:szCs w:val="${cellSize}"/>`;
  const bold = item.isHeading ? '<w:b/><w:bCs/>' : '';
  const runs = contentOf(item).map(({ properties = '', ...run }) => {
    // The schema requires bold after the fonts, and the size in front of the vertical alignment.
    const [, fonts, own, rise] = /^(<w:rFonts[^>]*>)?(.*?)(<w:vertAlign.*)?$/s.exec(properties)!;
    return { ...run, properties: (fonts ?? '') + bold + own + size + (rise ?? '') };
  });
  return paragraphXml(runs, language);
}

/** Returns the label and the text of an item. */
export function contentOf({ label, runs }: Item): NewRun[] {
  return label ? [{ text: `${label}\t` }, ...runs] : runs;
}
