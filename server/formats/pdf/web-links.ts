import type { PDFDict } from '@cantoo/pdf-lib';
import { asDict, get, getArray, getDict } from './objects.ts';
import { textOf } from './page-tally.ts';

/** The schemes of URLs that a Word file may open. PDF viewers complete a URL that begins with `www.`. */
const opened = /^(?:(?:https?|ftp):\/\/|mailto:|tel:|www\.)[!-~]+$/i;
/** The maximum length of a URL in Word. */
const maxLength = 2000;

/** Returns the URLs of a page's links, by their position in the page's list of annotations. */
export function webLinks(page: PDFDict): Map<number, string> {
  const links = new Map<number, string>();
  for (const [index, annotation] of (getArray(page, 'Annots') ?? []).entries()) {
    const url = textOf(get(getDict(asDict(annotation), 'A'), 'URI')).trim();
    if (url.length > maxLength || !opened.test(url)) continue;
    links.set(index, /^www\./i.test(url) ? `http://${url}` : url);
  }
  return links;
}
