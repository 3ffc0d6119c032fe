import type { RebuildOptions, RebuiltDocument, SegmentTranslation } from '../document.ts';
import { newDocument, paragraphXml } from '../docx/new-document.ts';
import type { InlineContent } from '../inline-content.ts';
import { selectPages } from '../page-ranges.ts';
import { clip } from '../text.ts';
import { type Direction, directionOf } from '../typesetting/languages.ts';
import { findBlocks } from './find-blocks.ts';
import { LeftOut } from './left-out.ts';
import { asDict, get } from './objects.ts';
import type { OpenPdf } from './open-pdf.ts';
import { textOf } from './page-tally.ts';
import { markRunningHeaders } from './running-headers.ts';
import { Scans } from './scans/scans.ts';
import { webLinks } from './web-links.ts';
import { textColumns, withBullets, withoutTallCells } from './word-columns.ts';
import { displayed, type Item, itemsOf, keptItems, type PageOfItems, readable } from './word-items.ts';
import { WordLists } from './word-lists.ts';
import { pageNumbersOf } from './word-page-numbers.ts';
import { findTables, type Region } from './word-rows.ts';
import { entriesXml, tableXml } from './word-tables.ts';

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
  { pages: selection, sourceLanguage, targetLanguage: language, recognition }: RebuildOptions,
): Promise<RebuiltDocument> {
  const targets = new Map(translations.map(({ regionId, target }) => [regionId, target]));
  const pages: PageOfItems[] = [];
  const leftOut = new LeftOut();
  const scans = new Scans(recognition);
  for (const number of selectPages(selection, pdf.pageCount)) {
    const page = await pdf.readPage(number);
    const scan = scans.content(number);
    const read = scan ?? page;
    const { blocks, kept } = findBlocks(read);
    const links = scan ? new Map() : webLinks(pdf.document.getPage(number - 1).node);
    const unlinked = page.annotations.filter(({ kind, index }) => kind === 'link' && !links.has(index!));
    leftOut.add('links', unlinked.length);
    leftOut.addPage(
      page,
      kept.filter(({ reason }) => !readable.has(reason)),
    );
    pages.push({
      box: read.box,
      rotation: read.rotation,
      // The glyphs of the blocks are dropped, because a document has too many of them to keep in memory.
      blocks: blocks.map((block) => ({
        ...block,
        glyphs: [],
        label: block.label && { ...block.label, glyphs: [] },
      })),
      kept: keptItems(read, { blocks, kept }, links),
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
  const lists = new WordLists();
  const body = regions.map((region) => regionXml(region, { levels, lists, language })).join('');
  return {
    bytes: await newDocument({ title: titleOf(pdf), language, body, lists: lists.lists }),
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

/** Returns the texts and tables of a page in reading order, and the number of signs that are in none of them. */
function orderedRegions(
  page: PageOfItems,
  targets: ReadonlyMap<string, InlineContent>,
  direction: Direction,
): { regions: Region[]; signs: number } {
  const items = withBullets(withoutTallCells(itemsOf(page, targets, direction)));
  const numbers = pageNumbersOf(items, displayed(page.box, page.rotation));
  const regions = textColumns(items.filter((item) => !numbers.has(item)))
    .flatMap(findTables)
    .filter(({ kind, rows }) => kind !== 'text' || !isDecoration(rows[0]![0]!));
  const count = (all: readonly Item[]) => all.filter(({ role }) => role !== 'leader').length;
  const written = regions.flatMap(({ rows }) => rows.flat());
  return { regions, signs: count(items) - count(written) };
}

/** Whether a text outside of tables is a sign without meaning. */
function isDecoration({ role, runs }: Item): boolean {
  return role === 'sign' && !runs.some(({ text }) => /\p{N}/u.test(text));
}

/** Returns the level of each size of a heading: the largest size has level 1, and there are three levels. */
function headingLevels(items: readonly Item[]): Map<number, number> {
  const sizes = [...new Set(items.filter(({ isHeading }) => isHeading).map(({ size }) => Math.round(size)))];
  return new Map(
    sizes.sort((one, other) => other - one).map((size, index) => [size, Math.min(3, index + 1)]),
  );
}

function regionXml(
  region: Region,
  { levels, lists, language }: { levels: ReadonlyMap<number, number>; lists: WordLists; language: string },
): string {
  if (region.kind !== 'text') lists.end();
  if (region.kind === 'table') return tableXml(region, language);
  if (region.kind === 'entries') return entriesXml(region, language);
  const { label, align, isHeading, size, runs } = region.rows[0]![0]!;
  const isItem = label !== null && !isHeading;
  if (!isItem) lists.end();
  const list = isItem ? lists.place(region.rows[0]![0]!) : undefined;
  return paragraphXml(label && !list ? [{ text: `${label}\t` }, ...runs] : runs, language, {
    ...(isHeading ? { style: `Heading${levels.get(Math.round(size))}` } : {}),
    ...(list ? { list } : isItem ? { indent: { left: 20, hanging: 20 } } : {}),
    ...(align && !list ? { align } : {}),
  });
}
