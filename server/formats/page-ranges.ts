import { FileError } from './file-error.ts';

/** The last number of a range without an end, such as `5-`. */
const end = Number.POSITIVE_INFINITY;

interface PageRange {
  first: number;
  last: number;
}

/** Explains why a text is not a page range. */
export class PageRangeError extends Error {
  override name = 'PageRangeError';
}

/**
 * Reads page ranges: `7` is one page, `1-3` has both ends, `5-` extends to the last page. Blanks are ignored.
 *
 * @returns the ranges in order, without overlaps
 * @throws {PageRangeError}
 */
export function readPageRanges(written: readonly string[]): PageRange[] {
  const ranges = written.map(readRange).toSorted((one, other) => one.first - other.first);
  const joined: PageRange[] = [];
  for (const range of ranges) {
    const before = joined.at(-1);
    if (before && range.first <= before.last + 1) before.last = Math.max(before.last, range.last);
    else joined.push({ ...range });
  }
  return joined;
}

function readRange(written: string): PageRange {
  const found = /^\s*(\d{1,9})\s*(?:([-\u2013])\s*(\d{1,9})?)?\s*$/.exec(written);
  if (!found)
    throw new PageRangeError(`${JSON.stringify(written.slice(0, 40))} is not a page or a range of pages`);
  const first = Number(found[1]);
  const last = found[3] ? Number(found[3]) : found[2] ? end : first;
  if (first === 0) throw new PageRangeError('the first page has the number 1, not 0');
  if (last < first) throw new PageRangeError(`the range ${first}-${last} ends before it begins`);
  return { first, last };
}

/** Returns page ranges in their shortest form: `1-3`, `7`, `9-`. */
export function writePageRanges(ranges: readonly PageRange[]): string[] {
  return ranges.map(({ first, last }) =>
    last === first ? `${first}` : last === end ? `${first}-` : `${first}-${last}`,
  );
}

/**
 * Returns the selected pages of a PDF.
 *
 * @param pages the ranges in the form of `writePageRanges`; undefined for all pages
 * @throws {FileError} `selection` if a range begins or ends after the last page
 */
export function selectPages(pages: readonly string[] | undefined, pageCount: number): ReadonlySet<number> {
  const selected = new Set<number>();
  for (const { first, last } of pages ? readPageRanges(pages) : [{ first: 1, last: end }]) {
    const beyond = first > pageCount ? first : last !== end && last > pageCount ? last : undefined;
    if (pages && beyond !== undefined)
      throw new FileError(
        'selection',
        `pages: the file has ${pageCount === 1 ? '1 page' : `${pageCount} pages`}, and no page ${beyond}`,
      );
    for (let number = first; number <= Math.min(last, pageCount); number++) selected.add(number);
  }
  return selected;
}
