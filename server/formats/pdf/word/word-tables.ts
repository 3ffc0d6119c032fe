import { type NewRun, paragraphXml } from '../../docx/new-document.ts';
import { directionOf } from '../../typesetting/languages.ts';
import type { Item } from './word-items.ts';
import type { Region } from './word-rows.ts';

/** The width of the text on a page of the Word file, in twentieths of a point. */
const textWidth = 9026;
/** The number of columns of the grid to which the cells of all tables are aligned. */
const gridColumns = 120;
const columnWidth = Math.floor(textWidth / gridColumns);
/** The minimum width of a cell, in columns of the grid. */
const minSpan = 7;
/** The minimum width of a cell between rules, in columns of the grid. */
const minCellSpan = 3;
/** The space between a text and the sides of its cell, in twentieths of a point. */
const cellMargin = 40;

/**
 * Returns the XML of a table. A cell begins at the position of its text and extends to the next text of its row, so a
 * text outside of the columns never makes a column narrow.
 */
export function tableXml({ rows: all, box }: Region, language: string): string {
  const rows = all.map((row) => row.filter(({ role }) => role !== 'leader')).filter((row) => row.length > 0);
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
      if (last && start - last.start < (item.cell ? minCellSpan : minSpan)) last.items.push(item);
      else cells.push({ start, items: [item] });
    }
    if (cells[0]!.start < (cells[0]!.items[0]!.cell ? minCellSpan : minSpan)) cells[0]!.start = 0;
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
  const numbers = rows.flatMap((row) => row.filter(({ role }) => role === 'sign'));
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
      if (item.cell) {
        starts.set(item, item.cell.left);
        continue;
      }
      const before = row[index - 1]?.box.right ?? -Infinity;
      const wanted = (lefts.get(item) ?? item.box.left) - space;
      starts.set(item, Math.min(item.box.left, Math.max(before, wanted)));
    }
  return starts;
}

/** The minimum size of text in a table in half points, and the maximum sizes of a table with and without free space. */
const minCellText = 13;
const maxCellText = 17;
const maxFreeText = 20;
/** The factor by which a table is wider than its texts if it has free space for longer translations. */
const freeSpace = 1.25;

/** Returns the size of text in a table in half points: the usual size on the page, as far as the table is scaled. */
function cellTextSize(rows: readonly Item[][], scale: number): number {
  const sizes = rows.flatMap((row) => row.map(({ size }) => size)).sort((one, other) => one - other);
  const natural = 2 * scale * sizes[Math.floor(sizes.length / 2)]!;
  const size = Math.max(Math.min(maxCellText, natural), Math.min(maxFreeText, natural / freeSpace));
  return Math.round(Math.max(minCellText, size));
}

function cellXml(item: Item, cellSize: number, language: string): string {
  const size = `<w:sz w:val="${cellSize}"/><w:szCs w:val="${cellSize}"/>`;
  const runs = contentOf(item).map(({ properties = '', ...run }) => {
    // The schema requires the size in front of the vertical alignment.
    const [, own, rise = ''] = /^(.*?)(<w:vertAlign.*)?$/s.exec(
      item.isHeading ? withBold(properties) : properties,
    )!;
    return { ...run, properties: own + size + rise };
  });
  return paragraphXml(runs, language);
}

function contentOf({ label, runs }: Item): NewRun[] {
  return label ? [{ text: `${label}\t` }, ...runs] : runs;
}

/**
 * Returns the XML of entries with page numbers, such as those of a list of contents: one paragraph for each, with dots
 * between its text and its number.
 */
export function entriesXml({ rows, box }: Region, language: string): string {
  const scale = Math.min(1, textWidth / 20 / Math.max(1, box.right - box.left));
  return rows
    .map((row) => {
      const texts = row.filter(({ role }) => role !== 'leader');
      if (texts.length === 0) return '';
      const dots = row.findLastIndex(({ role }) => role === 'leader');
      const isNumbered = texts.length > 1 && texts.at(-1)!.role === 'sign';
      const end = dots > 0 ? texts.length - (row.length - 1 - dots) : texts.length - (isNumbered ? 1 : 0);
      const join = (items: readonly Item[]): NewRun[] =>
        items.flatMap((item, index) => [
          { text: `${index > 0 ? ' ' : ''}${item.label ? `${item.label} ` : ''}` },
          ...item.runs.map(({ properties = '', ...run }) => ({
            ...run,
            properties: item.isHeading ? withBold(properties) : properties,
          })),
        ]);
      const tab = end < texts.length || dots > 0 ? [{ text: '\t' }] : [];
      const start = Math.max(0, Math.min(...texts.map((item) => item.start)) - box.left);
      return paragraphXml([...join(texts.slice(0, end)), ...tab, ...join(texts.slice(end))], language, {
        indent: { left: Math.min(maxIndent, scale * start) },
        dottedTab: textWidth,
      });
    })
    .join('');
}

/** The maximum indent of an entry, in points. */
const maxIndent = 120;

/** Adds bold to run properties. The schema requires it after the fonts. */
function withBold(properties: string): string {
  const [, fonts = '', other] = /^(<w:rFonts[^>]*>)?(.*)$/s.exec(properties)!;
  return `${fonts}<w:b/><w:bCs/>${other}`;
}
