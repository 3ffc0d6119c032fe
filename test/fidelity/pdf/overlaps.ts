import type { PageRectangle } from '#server/formats/document.ts';
import { textByPdftotext, withPdf } from '#test/formats/golden-pdf-readers.ts';
import type { TranslatedFile } from './translated-file.ts';

/** Boxes that overlap by less than this many points do not count. */
const tolerance = 1;

export interface Overlaps {
  boxes: number;
  /** The IDs of segments whose boxes overlap the box of another segment, or extend beyond the page. */
  overlapping: string[];
  leaving: string[];
}

interface Box {
  id: string;
  page: number;
  rectangle: PageRectangle;
}

/** Finds the overlaps of the source texts and of the translations. */
export async function findOverlaps(file: TranslatedFile): Promise<{ before: Overlaps; after: Overlaps }> {
  const pages = await viewsOf(file.bytes);
  const boxes = (of: 'rectangles' | 'translatedRectangles'): Box[] =>
    file.segments.flatMap((segment) =>
      segment[of].map((rectangle) => ({ id: segment.regionId, page: segment.page, rectangle })),
    );
  return {
    before: overlapsOf(boxes('rectangles'), pages),
    after: overlapsOf(boxes('translatedRectangles'), pages),
  };
}

function overlapsOf(boxes: readonly Box[], pages: readonly PageRectangle[]): Overlaps {
  const sorted = boxes.toSorted((one, other) => one.rectangle[0] - other.rectangle[0]);
  const overlapping = new Set<string>();
  for (const [index, one] of sorted.entries())
    for (const other of sorted.slice(index + 1)) {
      if (other.rectangle[0] >= one.rectangle[2] - tolerance) break;
      if (one.page !== other.page || one.id === other.id) continue;
      if (!areOver(one.rectangle, other.rectangle)) continue;
      overlapping.add(one.id);
      overlapping.add(other.id);
    }
  const leaving = boxes.filter(({ page, rectangle: [left, bottom, right, top] }) => {
    const [pageLeft, pageBottom, pageRight, pageTop] = pages[page - 1]!;
    return (
      left < pageLeft - tolerance ||
      bottom < pageBottom - tolerance ||
      right > pageRight + tolerance ||
      top > pageTop + tolerance
    );
  });
  return {
    boxes: boxes.length,
    overlapping: [...overlapping].sort(),
    leaving: leaving.map(({ id }) => id),
  };
}

function areOver(one: PageRectangle, other: PageRectangle): boolean {
  return (
    Math.min(one[2], other[2]) - Math.max(one[0], other[0]) > tolerance &&
    Math.min(one[3], other[3]) - Math.max(one[1], other[1]) > tolerance
  );
}

function viewsOf(bytes: Uint8Array): Promise<PageRectangle[]> {
  return withPdf(new Uint8Array(bytes), async (document) => {
    const views: PageRectangle[] = [];
    for (let number = 1; number <= document.numPages; number++)
      views.push((await document.getPage(number)).view as PageRectangle);
    return views;
  });
}

/**
 * Part of the height of the lower word that must overlap. Poppler's boxes include the ascent and descent of the font,
 * so boxes of narrow lines always touch.
 */
const sharedHeight = 0.45;

/** Pairs of words whose boxes (from Poppler) overlap, among translations and all other text. */
export function overlappingWords(bytes: Uint8Array): [string, string][] {
  const pages = textByPdftotext(bytes, '-bbox').split('<page ').slice(1);
  return pages.flatMap((page) => {
    const words = [...page.matchAll(wordPattern)]
      .map(([, left, bottom, right, top, text]) => ({
        rectangle: [left, bottom, right, top].map(Number) as PageRectangle,
        text: text!,
      }))
      .sort((one, other) => one.rectangle[0] - other.rectangle[0]);
    const pairs: [string, string][] = [];
    for (const [index, one] of words.entries())
      for (const other of words.slice(index + 1)) {
        if (other.rectangle[0] >= one.rectangle[2] - tolerance) break;
        if (standOnEachOther(one.rectangle, other.rectangle)) pairs.push([one.text, other.text]);
      }
    return pairs;
  });
}

const wordPattern =
  /<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)<\/word>/g;

function standOnEachOther(one: PageRectangle, other: PageRectangle): boolean {
  const height = Math.min(one[3] - one[1], other[3] - other[1]);
  return (
    Math.min(one[2], other[2]) - Math.max(one[0], other[0]) > tolerance &&
    Math.min(one[3], other[3]) - Math.max(one[1], other[1]) > sharedHeight * height
  );
}
