import type { PDFDict } from '@cantoo/pdf-lib';
import type { RebuildOptions, RebuiltDocument, SegmentTranslation } from '../../document.ts';
import { type NewList, type NewParagraph, newDocument, paragraphXml } from '../../docx/new-document.ts';
import type { InlineContent } from '../../inline-content.ts';
import { selectPages } from '../../page-ranges.ts';
import { clip } from '../../text.ts';
import { type Direction, directionOf } from '../../typesetting/languages.ts';
import { joinParts, partsOf } from '../continuations.ts';
import { findBlocks } from '../find-blocks.ts';
import { displayed, type Rectangle } from '../geometry.ts';
import { LeftOut } from '../kept-findings.ts';
import { asDict, get, getArray, getDict } from '../objects.ts';
import type { OpenPdf } from '../open-pdf.ts';
import { textOf } from '../page-tally.ts';
import { markRunningHeaders } from '../running-headers.ts';
import { Scans } from '../scans/scans.ts';
import { textColumns, withBullets, withoutTallCells } from './word-columns.ts';
import { type Item, itemsOf, type PageOfItems, pageOfItems, readable } from './word-items.ts';
import { findTables, type Region } from './word-rows.ts';
import { entriesXml, tableXml } from './word-tables.ts';

/** The height of the margins whose numbers are page numbers, as a share of the page's height. */
const margin = 0.1;
/** The height at the top and bottom of a page in which a detached number is a page number. */
const outerPart = 0.2;
/** The minimum distance of a page number from other text, as a factor of its font size. */
const minDistance = 1;

/**
 * Returns the page numbers, which a Word file does not have: signs in the margins, and a number above or below all other
 * texts.
 */
function pageNumbersOf(items: readonly Item[], page: Rectangle): Set<Item> {
  const found = new Set<Item>();
  const height = page.top - page.bottom;
  const shown = items
    .filter(({ role }) => role !== 'leader')
    .sort((one, other) => one.box.bottom - other.box.bottom);
  const isNear = (item: Item, share: number): boolean =>
    item.box.bottom > page.top - share * height || item.box.top < page.bottom + share * height;
  const isDetached = (item: Item, gap: number): boolean => gap > minDistance * item.size;
  const [lowest, above] = shown;
  const fromTop = shown.toSorted((one, other) => other.box.top - one.box.top);
  const [highest, below] = fromTop;
  const detached = [
    lowest && above && isDetached(lowest, above.box.bottom - lowest.box.top) ? lowest : undefined,
    highest && below && isDetached(highest, highest.box.bottom - below.box.top) ? highest : undefined,
  ];
  for (const item of detached) if (item?.role === 'sign' && isNear(item, outerPart)) found.add(item);
  const rows = new Map<number, number>();
  const rowOf = ({ box }: Item): number => Math.round((box.bottom + box.top) / 4);
  for (const item of shown) rows.set(rowOf(item), (rows.get(rowOf(item)) ?? 0) + 1);
  for (const item of shown)
    if (item.role === 'sign' && isNear(item, margin) && rows.get(rowOf(item)) === 1) found.add(item);
  return found;
}

/** The schemes of URLs that a Word file may open. PDF viewers complete a URL that begins with `www.`. */
const opened = /^(?:(?:https?|ftp):\/\/|mailto:|tel:|www\.)[!-~]+$/i;
/** The maximum length of a URL in Word. */
const maxLength = 2000;

/** Returns the URLs of a page's links, by their position in the page's list of annotations. */
function webLinks(page: PDFDict): Map<number, string> {
  const links = new Map<number, string>();
  for (const [index, annotation] of (getArray(page, 'Annots') ?? []).entries()) {
    const url = textOf(get(getDict(asDict(annotation), 'A'), 'URI')).trim();
    if (url.length > maxLength || !opened.test(url)) continue;
    links.set(index, /^www\./i.test(url) ? `http://${url}` : url);
  }
  return links;
}

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
    pages.push(pageOfItems(read, { blocks, kept }, links));
  }
  joinParts(
    pages,
    [...targets.keys()].map(partsOf).filter(({ length }) => length > 1),
  );
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

/** The bullets of Word lists. Other labels, such as "2.1", stay a part of the text. */
const bullet = /^[•‣◦▪▫●○■□◆◇►▶➢✓✔·–—*-]$/u;
const number = /^(\(?)(\d{1,3}|[a-z]|[A-Z])([.)]|\.\))$/;
/** The maximum number of levels of a list in the file. */
const maxLevel = 4;
/** The minimum distance between the starts of two levels, as a factor of the font size. */
const minLevelIndent = 0.5;

interface OpenLevel {
  start: number;
  size: number;
  /** The list of the last item, with its number. */
  list: { id: number; key: string; number: number } | undefined;
}

/** Finds the lists of a document: consecutive items with one bullet, or with numbers that follow each other. */
class WordLists {
  readonly lists: NewList[] = [];
  /** The identifiers of the lists with bullets, by bullet and level. */
  readonly #bullets = new Map<string, number>();
  #levels: OpenLevel[] = [];

  /** Ends all lists, at a text that is not an item. */
  end(): void {
    this.#levels = [];
  }

  /** Returns the place of an item in its list; undefined if its label must be a part of its text. */
  place({ label, start, size }: Item): NewParagraph['list'] {
    const levels = this.#levels;
    while (levels.length > 0 && levels.at(-1)!.start > start + minLevelIndent * size) levels.pop();
    const last = levels.at(-1);
    if (!last || (start - last.start > minLevelIndent * size && levels.length < maxLevel))
      levels.push({ start, size, list: undefined });
    const level = levels.length - 1;
    const text = label ?? '';
    if (bullet.test(text)) return { id: this.#bulletList(text, level), level };
    const [, before, digits, after] = number.exec(text) ?? [];
    if (!digits) return undefined;
    return { id: this.#numberList({ before: before!, digits, after: after! }, level), level };
  }

  #bulletList(text: string, level: number): number {
    const key = `${level} ${text}`;
    const known = this.#bullets.get(key);
    if (known) return known;
    const id = this.lists.push({ format: 'bullet', text, start: 1, level });
    this.#bullets.set(key, id);
    return id;
  }

  #numberList(
    { before, digits, after }: { before: string; digits: string; after: string },
    level: number,
  ): number {
    const format = /\d/.test(digits) ? 'decimal' : /[a-z]/.test(digits) ? 'lowerLetter' : 'upperLetter';
    const value = format === 'decimal' ? Number(digits) : digits.toLowerCase().charCodeAt(0) - 96;
    const key = `${format} ${before}${after}`;
    const open = this.#levels.at(-1)!;
    const isNext = open.list?.key === key && value === open.list.number + 1;
    const id = isNext
      ? open.list!.id
      : this.lists.push({ format, text: `${before}%1${after}`, start: value, level });
    open.list = { id, key, number: value };
    return id;
  }
}
