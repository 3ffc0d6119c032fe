import type { RebuildOptions, SegmentTranslation } from '../document.ts';
import { type NewRun, newDocument, paragraphXml } from '../docx/new-document.ts';
import type { InlineContent } from '../inline-content.ts';
import { selectPages } from '../page-ranges.ts';
import { findBlocks } from './find-blocks.ts';
import { type Rectangle, transformRectangle, union } from './geometry.ts';
import type { KeptText } from './layout/kept-text.ts';
import { inReadingOrder, type Placed } from './layout/reading-order.ts';
import type { OpenPdf, ReadPage } from './open-pdf.ts';
import { markRunningHeaders } from './running-headers.ts';
import type { GlyphRange, TextBlock, TextStyle } from './text-block.ts';

/**
 * Writes the text of a PDF as a Word file: the translated blocks and the kept texts between them, such as numbers, in
 * reading order. Headings, list items, tables and emphasis keep their role; positions, pictures and running headers are
 * left out.
 *
 * @param options only the selected pages are written
 */
export async function writeWordText(
  pdf: OpenPdf,
  translations: readonly SegmentTranslation[],
  { pages: selection, targetLanguage: language }: RebuildOptions,
): Promise<Uint8Array> {
  const targets = new Map(translations.map(({ regionId, target }) => [regionId, target]));
  const pages: PageOfItems[] = [];
  for (const number of selectPages(selection, pdf.pageCount)) {
    const page = await pdf.readPage(number);
    const { blocks, kept } = findBlocks(page);
    const own = blocks.flatMap((block) => block.label?.glyphs ?? []);
    const labels = new Set(own.map(({ text }) => text));
    pages.push({
      box: page.box,
      rotation: page.rotation,
      // The glyphs of the blocks are dropped, because a document has too many of them to keep in memory.
      blocks: blocks.map((block) => ({
        ...block,
        glyphs: [],
        label: block.label && { ...block.label, glyphs: [] },
      })),
      kept: kept.flatMap((text) => keptItem(text, page, labels)),
    });
  }
  markRunningHeaders(pages);
  const regions = pages.flatMap((page) => orderedRegions(page, targets));
  const levels = headingLevels(regions.flatMap(({ rows }) => rows.flat()));
  const body = regions.map(({ rows, box }) =>
    rows.length > 1 || rows[0]!.length > 1
      ? tableXml(rows, box, language)
      : itemXml(rows[0]![0]!, levels, language),
  );
  return newDocument({ title: pdf.document.getTitle() ?? '', language, body: body.join('') });
}

interface PageOfItems {
  box: Rectangle;
  rotation: ReadPage['rotation'];
  blocks: TextBlock[];
  kept: Item[];
}

/** A text of the Word file. */
interface Item {
  /** The place of the text on the page as displayed, in points; y points upwards. */
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
  align: 'center' | 'right' | undefined;
}

/** The reasons of kept texts that a reader sees and needs. */
const readable = new Set<KeptText['reason']>(['number', 'label', 'identifier', 'address', 'formula', 'code']);

function keptItem(
  { reason, text, box, glyphs }: KeptText,
  page: ReadPage,
  labels: ReadonlySet<unknown>,
): Item[] {
  if (!readable.has(reason) || text.trim() === '' || glyphs.some((range) => labels.has(range.text)))
    return [];
  const isCode = reason === 'code';
  return [
    {
      box: displayed(box, page.rotation),
      size: box.top - box.bottom,
      isLine: !isCode,
      isCell: false,
      isSign: reason === 'number' || reason === 'label',
      isHeading: false,
      label: null,
      runs: [isCode ? { text: linesOf(glyphs), properties: codeFont } : { text: text.trim() }],
      align: undefined,
    },
  ];
}

/** Returns the text of a listing with its line ends. Blanks at the start of a line are not in the file. */
function linesOf(glyphs: readonly GlyphRange[]): string {
  const lines = new Map<number, string>();
  for (const { text, from, to } of glyphs) {
    const height = Math.round(text.matrix[5]);
    const own = text.glyphs.slice(from, to).map((glyph) => glyph.text);
    lines.set(height, (lines.get(height) ?? '') + own.join(''));
  }
  return [...lines]
    .sort(([one], [other]) => other - one)
    .map(([, line]) => line)
    .join('\n');
}

function orderedRegions(
  { blocks, kept, box, rotation }: PageOfItems,
  targets: ReadonlyMap<string, InlineContent>,
): Region[] {
  const translated = blocks
    .filter(({ kind }) => kind !== 'header' && kind !== 'footer')
    .map((block): Item => {
      return {
        box: displayed(transformRectangle(block.matrix, block.box), rotation),
        size: block.style.size,
        isLine: block.lines.length === 1,
        isCell: block.kind === 'table_cell',
        isSign: false,
        isHeading: block.kind === 'heading',
        label: block.label?.text.trim() ?? null,
        runs: runsOf(targets.get(block.id) ?? block.content, block),
        align: block.alignment === 'center' || block.alignment === 'right' ? block.alignment : undefined,
      };
    });
  const regions = withTables([...translated, ...kept], displayed(box, rotation));
  return inReadingOrder(regions, false, () => false);
}

/** A table, or a single text outside of tables. */
interface Region extends Placed {
  rows: Item[][];
}

/**
 * Finds the tables of a page: rows of texts next to each other, below each other. The layout marks only the cells
 * between rules, so other rows are recognized by their number of texts.
 */
function withTables(items: readonly Item[], page: Rectangle): Region[] {
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

/** Turns a rectangle of a page as the page is displayed. */
function displayed({ left, bottom, right, top }: Rectangle, rotation: ReadPage['rotation']): Rectangle {
  switch (rotation) {
    case 90:
      return { left: bottom, right: top, bottom: -right, top: -left };
    case 180:
      return { left: -right, right: -left, bottom: -top, top: -bottom };
    case 270:
      return { left: -top, right: -bottom, bottom: left, top: right };
    default:
      return { left, bottom, right, top };
  }
}

function runsOf(content: InlineContent, { style, spans, kind }: TextBlock): NewRun[] {
  const open: TextStyle[] = [];
  const runs: NewRun[] = [];
  for (const item of content) {
    if (typeof item === 'string')
      runs.push({ text: item, properties: runProperties(open.at(-1) ?? style, kind) });
    else if (item.type === 'open') open.push(spans.get(item.tag) ?? style);
    else if (item.type === 'close') open.pop();
    else if (item.text) runs.push({ text: item.text });
  }
  return runs;
}

const codeFont = '<w:rFonts w:ascii="Consolas" w:hAnsi="Consolas" w:cs="Consolas"/>';

/** Returns the run properties of a style. Headings are bold by their style. */
function runProperties({ bold, italic, rise, family }: TextStyle, kind: TextBlock['kind']): string {
  return [
    family === 'mono' ? codeFont : '',
    bold && kind !== 'heading' ? '<w:b/><w:bCs/>' : '',
    italic ? '<w:i/><w:iCs/>' : '',
    rise === 0 ? '' : `<w:vertAlign w:val="${rise > 0 ? 'superscript' : 'subscript'}"/>`,
  ].join('');
}

/** Returns the level of each size of a heading: the largest size has level 1, and there are three levels. */
function headingLevels(items: readonly Item[]): Map<number, number> {
  const sizes = [...new Set(items.filter(({ isHeading }) => isHeading).map(({ size }) => Math.round(size)))];
  return new Map(
    sizes.sort((one, other) => other - one).map((size, index) => [size, Math.min(3, index + 1)]),
  );
}

/** Groups consecutive items that are next to each other. */
function rowsOf(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  let band = { bottom: 0, top: 0 };
  for (const item of items) {
    const row = rows.at(-1);
    const shared = Math.min(band.top, item.box.top) - Math.max(band.bottom, item.box.bottom);
    const height = Math.min(band.top - band.bottom, item.box.top - item.box.bottom);
    const isBeside = row?.every(({ box }) => box.right <= item.box.left || item.box.right <= box.left);
    if (row && isBeside && shared > 0.5 * height) {
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
const gridColumns = 48;
const columnWidth = Math.floor(textWidth / gridColumns);

/**
 * Returns the XML of a table. A cell begins at the position of its text and extends to the next text of its row, so a
 * text outside of the columns never makes a column narrow.
 */
function tableXml(rows: readonly Item[][], box: Rectangle, language: string): string {
  const columnOf = ({ box: { left } }: Item): number =>
    Math.round((gridColumns * (left - box.left)) / (box.right - box.left));
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
      const content = items.map((item) => cellXml(item, language)).join('') || '<w:p/>';
      return `<w:tc><w:tcPr><w:tcW w:w="${span * columnWidth}" w:type="dxa"/><w:gridSpan w:val="${span}"/></w:tcPr>${content}</w:tc>`;
    });
    return `<w:tr>${written.join('')}</w:tr>`;
  });
  const borders = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV']
    .map((side) => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="BFBFBF"/>`)
    .join('');
  return (
    `<w:tbl><w:tblPr><w:tblW w:w="${gridColumns * columnWidth}" w:type="dxa"/><w:tblBorders>${borders}</w:tblBorders>` +
    `<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>${`<w:gridCol w:w="${columnWidth}"/>`.repeat(gridColumns)}</w:tblGrid>` +
    `${xml.join('')}</w:tbl><w:p/>`
  );
}

/** The minimum width of a cell, in columns of the grid. */
const minSpan = 3;

/** The size of text in a table in half points, so that cells have room for their texts. */
const cellTextSize = 17;

function cellXml(item: Item, language: string): string {
  const size = `<w:sz w:val="${cellTextSize}"/><w:szCs w:val="${cellTextSize}"/>`;
  const bold = item.isHeading ? '<w:b/><w:bCs/>' : '';
  const runs = contentOf(item).map(({ text, properties = '' }) => {
    // The schema requires the size in front of the vertical alignment.
    const [own, rise] = properties.split(/(?=<w:vertAlign)/);
    return { text, properties: bold + own + size + (rise ?? '') };
  });
  return paragraphXml(runs, language);
}

function itemXml(item: Item, levels: ReadonlyMap<number, number>, language: string): string {
  const { label, align, isHeading, size } = item;
  if (isHeading)
    return paragraphXml(contentOf(item), language, { style: `Heading${levels.get(Math.round(size))}` });
  return paragraphXml(contentOf(item), language, {
    ...(label ? { hanging: 20 } : {}),
    ...(align ? { align } : {}),
  });
}

function contentOf({ label, runs }: Item): NewRun[] {
  return label ? [{ text: `${label}\t` }, ...runs] : runs;
}
