import type { PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { withPdf } from '#test/formats/golden-pdf-readers.ts';

/** The elements that PDF.js finds in a PDF file, except the text of the pages, as lists that can be compared. */
export interface PdfStructure {
  /** An item for each page: its visible area, rotation and unit. */
  pages: string[];
  links: string[];
  otherAnnotations: string[];
  /** The form fields that JavaScript can access, with an item for each place of a field. */
  fields: string[];
  /** The places of form fields on the pages. */
  widgets: string[];
  bookmarks: string[];
  pageLabels: string[];
  destinations: string[];
}

/** Saving a file changes object numbers, so a reference to a page is described by the page number. */
export async function readStructure(bytes: Uint8Array): Promise<PdfStructure> {
  return withPdf(new Uint8Array(bytes), async (document) => {
    const structure: PdfStructure = {
      pages: [],
      links: [],
      otherAnnotations: [],
      fields: await fieldsOf(document),
      widgets: [],
      bookmarks: await bookmarksOf(document),
      pageLabels: (await document.getPageLabels()) ?? [],
      destinations: [],
    };
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const { view, rotate, userUnit } = page;
      structure.pages.push(JSON.stringify({ view, rotate, userUnit }));
      for (const annotation of await page.getAnnotations()) {
        const { subtype, rect, url, unsafeUrl, dest, action, contentsObj, annotationFlags } = annotation;
        // Links and markups follow their words, so only their presence on the page is compared.
        const place = {
          number,
          subtype,
          rect: isOverText(subtype) ? isIn(rect, view) : rect,
          annotationFlags,
        };
        if (subtype === 'Link')
          structure.links.push(
            JSON.stringify({ ...place, url, unsafeUrl, action, dest: await target(document, dest) }),
          );
        else if (subtype === 'Widget') structure.widgets.push(describeWidget(annotation, number));
        else structure.otherAnnotations.push(JSON.stringify({ ...place, text: contentsObj?.str }));
      }
      page.cleanup();
    }
    for (const [name, dest] of await document.getDestinations())
      structure.destinations.push(JSON.stringify([name, await target(document, dest)]));
    return structure;
  });
}

function isOverText(subtype: string): boolean {
  return ['Link', 'Highlight', 'Underline', 'StrikeOut', 'Squiggly'].includes(subtype);
}

/** Whether a rectangle is on the page, with a tolerance for frames. */
function isIn([left, bottom, right, top]: number[], [x, y, width, height]: number[]): boolean {
  return left! > x! - 5 && bottom! > y! - 5 && right! < width! + 5 && top! < height! + 5;
}

function describeWidget(widget: Record<string, unknown>, page: number): string {
  const { fieldName, fieldValue, rect, fieldFlags, readOnly, options, checkBox, exportValue } = widget;
  // A signature is removed, but its appearance on the page stays.
  const fieldType = widget['fieldType'] === 'Sig' ? null : widget['fieldType'];
  return JSON.stringify({
    ...{ page, fieldName, fieldType, fieldValue, rect, fieldFlags, readOnly, options, checkBox, exportValue },
  });
}

async function fieldsOf(document: PDFDocumentProxy): Promise<string[]> {
  return [...((await document.getFieldObjects()) ?? [])].flatMap(([name, widgets]) =>
    (widgets as Record<string, unknown>[])
      // The list also contains groups of fields, which have no place.
      .filter(({ rect }) => rect)
      .map(({ type, value, rect, page, items, exportValues }) =>
        JSON.stringify({ name, type, value, rect, page, items, exportValues }),
      ),
  );
}

interface Bookmark {
  title: string;
  bold: boolean;
  italic: boolean;
  color: ArrayLike<number>;
  dest: unknown;
  url: string | null;
  count?: number;
  items: Bookmark[];
}

async function bookmarksOf(document: PDFDocumentProxy): Promise<string[]> {
  const list = async (bookmarks: readonly Bookmark[], depth: number): Promise<string[]> => {
    const texts: string[] = [];
    for (const { title, bold, italic, color, dest, url, count, items } of bookmarks) {
      const place = await target(document, dest);
      texts.push(
        JSON.stringify({ depth, title, bold, italic, color: [...Array.from(color)], url, count, place }),
      );
      texts.push(...(await list(items, depth + 1)));
    }
    return texts;
  };
  return list(((await document.getOutline()) ?? []) as Bookmark[], 0);
}

/** The target of a link: the page number, from 0, and the place on the page. */
async function target(document: PDFDocumentProxy, dest: unknown): Promise<unknown> {
  if (typeof dest === 'string') return { named: dest, place: await explicit(document, dest) };
  return Array.isArray(dest) ? withPageNumber(document, dest) : dest;
}

async function explicit(document: PDFDocumentProxy, name: string): Promise<unknown> {
  const found = await document.getDestination(name);
  return found && withPageNumber(document, found);
}

async function withPageNumber(document: PDFDocumentProxy, dest: readonly unknown[]): Promise<unknown[]> {
  const [page, ...rest] = dest;
  if (typeof page !== 'object' || page === null) return [...dest];
  const index = await document.getPageIndex(page as { num: number; gen: number }).catch(() => 'no page');
  return [index, ...rest];
}
