import { type PDFArray, PDFDict, type PDFDocument, PDFName, type PDFPage } from '@cantoo/pdf-lib';
import { intersection, type Rectangle, union } from '../geometry.ts';
import { getArray, getName } from '../objects.ts';
import type { PageContent } from '../page-content.ts';
import { pageAnnotations } from '../page-geometry.ts';

/** The annotations whose place follows the words of a text. */
const movableKinds: ReadonlySet<string> = new Set([
  'Link',
  'Highlight',
  'Underline',
  'StrikeOut',
  'Squiggly',
]);

/** The keys of such an annotation that depend on its place. */
const placeKeys = ['Rect', 'QuadPoints', 'AP'].map((name) => PDFName.of(name));

/** Returns the keys of an annotation that change if it moves; empty for all other dictionaries. */
export function movingKeys(dictionary: PDFDict): ReadonlySet<PDFName> {
  const kind = getName(dictionary, 'Subtype') ?? '';
  if (!dictionary.has(placeKeys[0]!)) return none;
  return movableKinds.has(kind) ? moving : kind === 'Widget' ? resized : none;
}
const moving: ReadonlySet<PDFName> = new Set(placeKeys);
const resized: ReadonlySet<PDFName> = new Set(placeKeys.slice(0, 1));
const none: ReadonlySet<PDFName> = new Set();

/** Moves the links and markups of a document to the words of its translations, and resizes form fields. */
export class AnnotationMover {
  readonly #document: PDFDocument;
  /** The number of pages that have an annotation. An annotation of several pages stays at its place. */
  readonly #uses = new Map<PDFDict, number>();

  constructor(document: PDFDocument) {
    this.#document = document;
    for (const { node } of document.getPages())
      for (const annotation of getArray(node, 'Annots') ?? [])
        if (annotation instanceof PDFDict) this.#uses.set(annotation, (this.#uses.get(annotation) ?? 0) + 1);
  }

  /** Returns a page of which those fields cannot change that are on other pages, too. */
  withOwnFields<Page extends PageContent>(page: Page): Page {
    const list = getArray(this.#document.getPage(page.number - 1).node, 'Annots') ?? [];
    const annotations = page.annotations.map((own) =>
      own.isBlank && this.#uses.get(list[own.index!] as PDFDict) !== 1 ? { ...own, isBlank: false } : own,
    );
    return { ...page, annotations };
  }

  /**
   * Moves the annotations of a page.
   *
   * @param marks the areas of the words, by the position of the first of the annotations that belong to one text
   * @param fields the new areas of form fields, by their positions
   */
  move(
    { number, box, annotations }: PageContent,
    {
      marks,
      fields,
    }: { marks: ReadonlyMap<number, readonly Rectangle[]>; fields: ReadonlyMap<number, Rectangle> },
  ): void {
    if (marks.size + fields.size === 0) return;
    const { node } = this.#document.getPage(number - 1);
    const list = getArray(node, 'Annots') ?? [];
    let [action, first]: [string | undefined, number] = [undefined, -1];
    const groups = new Map<number, PDFDict[]>();
    for (const { areas, action: own, index } of annotations) {
      if (!areas || index === undefined) continue;
      if (!own || own !== action) first = index;
      action = own;
      const annotation = list[index];
      if (annotation instanceof PDFDict && this.#uses.get(annotation) === 1)
        groups.set(first, [...(groups.get(first) ?? []), annotation]);
    }
    for (const [index, area] of fields) {
      const field = list[index];
      if (field instanceof PDFDict && this.#uses.get(field) === 1) setRectangle(field, area);
    }
    for (const [mark, group] of groups) {
      const areas = (marks.get(mark) ?? []).flatMap((area) => intersection(area, box) ?? []);
      // If there are more areas than annotations, the last annotation gets the remaining areas.
      if (areas.length > 0)
        for (const [index, annotation] of group.entries()) {
          const from = Math.min(index, areas.length - 1);
          place(annotation, areas.slice(from, index === group.length - 1 ? undefined : from + 1));
        }
    }
  }
}

function setRectangle(annotation: PDFDict, { left, bottom, right, top }: Rectangle): void {
  annotation.set(PDFName.of('Rect'), numbersFor(annotation, [left, bottom, right, top]));
}

function numbersFor({ context }: PDFDict, values: readonly number[]): PDFArray {
  return context.obj(values.map((value) => Math.round(1000 * value) / 1000));
}

function place(annotation: PDFDict, areas: readonly Rectangle[]): void {
  setRectangle(annotation, areas.reduce(union));
  if (areas.length > 1 || annotation.has(PDFName.of('QuadPoints')))
    annotation.set(
      PDFName.of('QuadPoints'),
      numbersFor(
        annotation,
        areas.flatMap((area) => [
          area.left,
          area.top,
          area.right,
          area.top,
          area.left,
          area.bottom,
          area.right,
          area.bottom,
        ]),
      ),
    );
  // The appearance of a markup shows the old areas. Readers draw the markup from its areas instead.
  if (getName(annotation, 'Subtype') !== 'Link') annotation.delete(PDFName.of('AP'));
}

/** Returns the places of the links, markups and form fields of pages, as a text that can be compared. */
export function placesOfAnnotations(pages: readonly PDFPage[]): string {
  const places = pages.map(({ node }) =>
    pageAnnotations(node).flatMap(({ areas = [], box, index }) =>
      index !== undefined
        ? [[index, ...[box, ...areas].map((area) => Object.values(area).map((value) => value.toFixed(2)))]]
        : [],
    ),
  );
  return JSON.stringify(places);
}
