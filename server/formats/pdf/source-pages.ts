import {
  PDFDict,
  type PDFDocument,
  PDFName,
  PDFPage,
  PDFPageLeaf,
  type PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { asDict, get, getArray, getDict, getName, getNumber, inherited } from './objects.ts';
import { pageKeys } from './structure.ts';

/** The keys of a page that its copy has too, apart from its annotations. */
const copiedKeys = ['Contents', 'Resources', ...pageKeys];

/**
 * Copies pages of a document, so that a bilingual file can show them next to their translations. A copy shares its
 * fonts and images with its page. Call this before the pages are translated, because a translation replaces the content
 * stream of its page and leaves the former one unchanged.
 *
 * @param numbers the pages to copy, from 1
 * @returns the copies by the number of the page
 */
export function copyPages(document: PDFDocument, numbers: ReadonlySet<number>): Map<number, PDFPageLeaf> {
  const copies = new Map<number, PDFPageLeaf>();
  for (const number of numbers) {
    const { node } = document.getPage(number - 1);
    const copy = PDFPageLeaf.fromMapWithContext(new Map(), document.context);
    copy.set(PDFName.of('Type'), PDFName.of('Page'));
    for (const key of copiedKeys) {
      const value = inherited(node, key)?.get(PDFName.of(key));
      if (value) copy.set(PDFName.of(key), value);
    }
    const annotations = (getArray(node, 'Annots') ?? []).flatMap((object) =>
      copyAnnotation(document, object),
    );
    if (annotations.length > 0) copy.set(PDFName.of('Annots'), document.context.obj(annotations));
    copies.set(number, copy);
  }
  return copies;
}

/** Keys that connect an annotation with other objects, which the copy of a page does not have. */
const connections = ['P', 'Parent', 'Kids', 'Popup', 'IRT', 'StructParent', 'NM'].map((key) =>
  PDFName.of(key),
);
/** The flags of an annotation that is printed and that a user cannot change: PDF 32000-1, table 165. */
const printed = 1 << 2;
const readOnly = 1 << 6;
const locked = 1 << 7;

/**
 * Copies an annotation. A form field becomes a stamp with the field's current appearance, because a second field of the
 * same name would be the same field.
 */
function copyAnnotation(document: PDFDocument, object: unknown): PDFRef[] {
  const annotation = asDict(object as PDFDict);
  const subtype = getName(annotation, 'Subtype');
  if (!annotation || subtype === 'Popup') return [];
  const { context } = document;
  const copy = PDFDict.fromMapWithContext(new Map(annotation.entries()), context);
  for (const key of connections) copy.delete(key);
  if (subtype === 'Widget') {
    const appearance = currentAppearance(annotation);
    if (!appearance) return [];
    for (const key of copy.keys()) if (!stampKeys.has(key)) copy.delete(key);
    copy.set(PDFName.of('Subtype'), PDFName.of('Stamp'));
    copy.set(PDFName.of('AP'), context.obj({ N: appearance }));
    copy.set(PDFName.of('F'), context.obj((getNumber(annotation, 'F') ?? printed) | readOnly | locked));
  }
  return [context.register(copy)];
}

const stampKeys = new Set(['Type', 'Rect', 'F', 'OC'].map((key) => PDFName.of(key)));

/** Returns the stream that draws a field in its current state; undefined if the field has no appearance. */
function currentAppearance(annotation: PDFDict): PDFRef | PDFStream | undefined {
  const appearances = getDict(annotation, 'AP');
  const normal = get(appearances, 'N');
  if (normal instanceof PDFStream) return appearances!.get(PDFName.of('N')) as PDFRef;
  const states = asDict(normal);
  const state = getName(annotation, 'AS') ?? 'Off';
  return get(states, state) instanceof PDFStream ? (states!.get(PDFName.of(state)) as PDFRef) : undefined;
}

/**
 * Inserts each copy in front of its page. A viewer opens the file with source and translation next to each other if all
 * pairs can be, and shows the page number of the source for both.
 *
 * @returns the positions of the copies among the pages, from 0
 */
export function insertPages(
  document: PDFDocument,
  copies: ReadonlyMap<number, PDFPageLeaf>,
): ReadonlySet<number> {
  const positions = new Set<number>();
  if (copies.size === 0) return positions;
  const { catalog, context } = document;
  const labels = pageLabels(document);
  const numbering: (number | PageLabel)[] = [];
  let position = 0;
  for (const [index, label] of labels.entries()) {
    const copy = copies.get(index + 1);
    if (copy) {
      document.insertPage(position, PDFPage.of(copy, context.register(copy), document));
      positions.add(position);
      numbering.push(position++, label);
    }
    numbering.push(position++, label);
  }
  const layout = layoutOf([...positions]);
  if (layout) catalog.set(PDFName.of('PageLayout'), PDFName.of(layout));
  catalog.set(PDFName.of('PageLabels'), context.obj({ Nums: numbering }));
  return positions;
}

/**
 * Returns the page layout that shows each pair next to each other: `TwoPageLeft` if the pairs begin at the first page of
 * two, `TwoPageRight` if they begin at the second one. With single pages between the pairs, there may be no such layout.
 */
function layoutOf(positions: readonly number[]): string | undefined {
  if (positions.every((position) => position % 2 === 0)) return 'TwoPageLeft';
  return positions.every((position) => position % 2 === 1) ? 'TwoPageRight' : undefined;
}

interface PageLabel {
  [key: string]: PDFName | number | NonNullable<ReturnType<typeof get>>;
}

/** Returns the label of each page: PDF 32000-1, 12.4.2. Without labels, pages are numbered from 1. */
function pageLabels(document: PDFDocument): PageLabel[] {
  const ranges = new Map<number, PDFDict>();
  collectRanges(getDict(document.catalog, 'PageLabels'), ranges);
  let start = 0;
  let range: PDFDict | undefined;
  return document.getPages().map((_page, index) => {
    if (ranges.has(index)) [start, range] = [index, ranges.get(index)];
    if (ranges.size === 0) return { S: PDFName.of('D'), St: index + 1 };
    const label: PageLabel = {};
    const [style, prefix] = [get(range, 'S'), get(range, 'P')];
    if (style) label['S'] = style;
    if (prefix) label['P'] = prefix;
    if (style) label['St'] = (getNumber(range, 'St') ?? 1) + index - start;
    return label;
  });
}

function collectRanges(tree: PDFDict | undefined, ranges: Map<number, PDFDict>): void {
  const waiting = [tree];
  const seen = new Set<PDFDict>();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const entries = getArray(node, 'Nums') ?? [];
    for (let at = 0; at + 1 < entries.length; at += 2) {
      const value = asDict(entries[at + 1]);
      const first = Number(entries[at]!.toString());
      if (value && Number.isInteger(first)) ranges.set(first, value);
    }
    for (const kid of getArray(node, 'Kids') ?? []) waiting.push(asDict(kid));
  }
}
