import type { RebuildOptions, RebuiltDocument, SegmentTranslation } from '../document.ts';
import { type NewRun, newDocument, paragraphXml } from '../docx/new-document.ts';
import type { InlineContent } from '../inline-content.ts';
import { selectPages } from '../page-ranges.ts';
import { clip } from '../text.ts';
import { type Direction, directionOf } from '../typesetting/languages.ts';
import { findBlocks } from './find-blocks.ts';
import { type Rectangle, transformRectangle } from './geometry.ts';
import type { KeptText } from './layout/kept-text.ts';
import { inReadingOrder } from './layout/reading-order.ts';
import { isRunningHeader, LeftOut } from './left-out.ts';
import { asDict, get } from './objects.ts';
import type { OpenPdf, ReadPage } from './open-pdf.ts';
import { textOf } from './page-tally.ts';
import { markRunningHeaders } from './running-headers.ts';
import type { GlyphRange, TextBlock, TextStyle } from './text-block.ts';
import { webLinks } from './web-links.ts';
import { contentOf, type Item, type Region, tableXml, withTables } from './word-tables.ts';

/**
 * Writes the text of a PDF as a Word file: the translated blocks and the kept texts between them, such as numbers, in
 * reading order. Headings, list items, tables, emphasis and links to web pages keep their role; positions, pictures and
 * running headers are left out.
 *
 * @param options only the selected pages are written
 * @returns the file, and a finding with the content that it does not have
 */
export async function writeWordText(
  pdf: OpenPdf,
  translations: readonly SegmentTranslation[],
  { pages: selection, sourceLanguage, targetLanguage: language }: RebuildOptions,
): Promise<RebuiltDocument> {
  const targets = new Map(translations.map(({ regionId, target }) => [regionId, target]));
  const pages: PageOfItems[] = [];
  const leftOut = new LeftOut();
  for (const number of selectPages(selection, pdf.pageCount)) {
    const page = await pdf.readPage(number);
    const { blocks, kept } = findBlocks(page);
    const links = webLinks(pdf.document.getPage(number - 1).node);
    const own = blocks.flatMap((block) => block.label?.glyphs ?? []);
    const labels = new Set(own.map(({ text }) => text));
    const unlinked = page.annotations.filter(({ kind, index }) => kind === 'link' && !links.has(index!));
    leftOut.add('links', unlinked.length);
    leftOut.addPage(
      page,
      kept.filter(({ reason }) => !readable.has(reason)),
    );
    pages.push({
      box: page.box,
      rotation: page.rotation,
      // The glyphs of the blocks are dropped, because a document has too many of them to keep in memory.
      blocks: blocks.map((block) => ({
        ...block,
        glyphs: [],
        label: block.label && { ...block.label, glyphs: [] },
      })),
      kept: kept.flatMap((text) => keptItem(text, page, labels, linkUnder(text.box, page, links))),
      links,
    });
  }
  markRunningHeaders(pages);
  for (const { blocks } of pages) leftOut.addHeaders(blocks);
  const direction = directionOf(sourceLanguage);
  const ordered = pages.map((page) => orderedRegions(page, targets, direction));
  const regions = ordered.flatMap(({ regions }) => regions);
  leftOut.add(
    'signs',
    ordered.reduce((sum, { signs }) => sum + signs, 0),
  );
  const levels = headingLevels(regions.flatMap(({ rows }) => rows.flat()));
  const body = regions.map((region) =>
    region.rows.length > 1 || region.rows[0]!.length > 1
      ? tableXml(region, language)
      : itemXml(region.rows[0]![0]!, levels, language),
  );
  return {
    bytes: await newDocument({ title: titleOf(pdf), language, body: body.join('') }),
    findings: leftOut.findings(),
  };
}

/** The maximum length of a title. In a hostile file, it may be as long as the file. */
const maxTitle = 250;

/** Returns the title in the properties of a PDF; '' if it has none. */
function titleOf({ document }: OpenPdf): string {
  const information = asDict(document.context.lookup(document.context.trailerInfo.Info));
  return clip(textOf(get(information, 'Title')), maxTitle);
}

interface PageOfItems {
  box: Rectangle;
  rotation: ReadPage['rotation'];
  blocks: TextBlock[];
  kept: Item[];
  /** The URLs of the links, by the position of the annotation. */
  links: ReadonlyMap<number, string>;
}

/** The reasons of kept texts that a reader sees and needs. */
const readable = new Set<KeptText['reason']>(['number', 'label', 'identifier', 'address', 'formula', 'code']);

function keptItem(
  { reason, text, box, glyphs }: KeptText,
  page: ReadPage,
  labels: ReadonlySet<unknown>,
  link: string | undefined,
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
      runs: [isCode ? { text: linesOf(glyphs), properties: codeFont } : { text: text.trim(), link }],
      align: undefined,
    },
  ];
}

/** Returns the URL of the link over a text that is not translated, such as an address; undefined if there is none. */
function linkUnder(
  { left, bottom, right, top }: Rectangle,
  { annotations }: ReadPage,
  links: ReadonlyMap<number, string>,
): string | undefined {
  const [x, y] = [(left + right) / 2, (bottom + top) / 2];
  const isOver = (area: Rectangle) => area.left < x && x < area.right && area.bottom < y && y < area.top;
  const over = annotations.find(({ index, areas }) => links.has(index ?? -1) && areas?.some(isOver));
  return links.get(over?.index ?? -1);
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

/** Returns the texts and tables of a page in reading order, and the number of signs that are in none of them. */
function orderedRegions(
  { blocks, kept, links, box, rotation }: PageOfItems,
  targets: ReadonlyMap<string, InlineContent>,
  direction: Direction,
): { regions: Region[]; signs: number } {
  const translated = blocks
    .filter((block) => !isRunningHeader(block))
    .map(
      (block): Item => ({
        box: displayed(transformRectangle(block.matrix, block.box), rotation),
        size: block.style.size,
        isLine: block.lines.length === 1,
        isCell: block.kind === 'table_cell',
        isSign: false,
        isHeading: block.kind === 'heading',
        label: block.label?.text.trim() ?? null,
        runs: runsOf(targets.get(block.id) ?? block.content, block, links),
        align: alignOf(block, direction),
      }),
    );
  const items = [...translated, ...kept].map((item) =>
    direction === 'rtl' ? { ...item, box: mirrored(item.box) } : item,
  );
  const found = withTables(items, displayed(box, rotation));
  const written = found.reduce((sum, { rows }) => sum + rows.flat().length, 0);
  return { regions: inReadingOrder(found, false, () => false), signs: items.length - written };
}

/** Returns the alignment of a text that is not aligned to the side at which lines start. */
function alignOf({ alignment }: TextBlock, direction: Direction): Item['align'] {
  if (alignment === 'center') return 'center';
  return alignment === (direction === 'rtl' ? 'left' : 'right') ? 'right' : undefined;
}

/** Turns a rectangle so that x points in the direction in which right-to-left text is read. */
function mirrored({ left, right, ...rest }: Rectangle): Rectangle {
  return { ...rest, left: -right, right: -left };
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

function runsOf(
  content: InlineContent,
  { style, spans, kind }: TextBlock,
  links: ReadonlyMap<number, string>,
): NewRun[] {
  const open: TextStyle[] = [];
  const runs: NewRun[] = [];
  for (const item of content) {
    if (typeof item === 'string') {
      const own = open.at(-1) ?? style;
      const mark = own.decoration?.marks.find((each) => links.has(each));
      runs.push({ text: item, properties: runProperties(own, kind), link: links.get(mark ?? -1) });
    } else if (item.type === 'open') open.push(spans.get(item.tag) ?? style);
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

function itemXml(item: Item, levels: ReadonlyMap<number, number>, language: string): string {
  const { label, align, isHeading, size } = item;
  if (isHeading)
    return paragraphXml(contentOf(item), language, { style: `Heading${levels.get(Math.round(size))}` });
  return paragraphXml(contentOf(item), language, {
    ...(label ? { hanging: 20 } : {}),
    ...(align ? { align } : {}),
  });
}
