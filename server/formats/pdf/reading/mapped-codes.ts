import { type PDFDict, PDFName, PDFStream } from '@cantoo/pdf-lib';
import { asDict, decodeStream, get, getArray, getDict, getName } from '../objects.ts';

/** Character collections that Adobe has registered: their codes have known characters. */
const registered = /^\((GB1|CNS1|Japan1|Korea1)\)$/;

/**
 * Returns a function that tests whether the file defines the character of a code of a composite font. Codes of simple fonts
 * have characters by their encoding.
 */
export function mappedCodes(font: PDFDict): (code: number) => boolean {
  if (getName(font, 'Subtype') !== 'Type0') return () => true;
  const toUnicode = get(font, 'ToUnicode');
  if (toUnicode instanceof PDFStream) return codesOf(Buffer.from(decodeStream(toUnicode)).toString('latin1'));
  const encoding = getName(font, 'Encoding');
  const descendant = asDict(getArray(font, 'DescendantFonts')?.[0]);
  const ordering = getDict(descendant, 'CIDSystemInfo')?.lookup(PDFName.of('Ordering'));
  const isKnown =
    toUnicode !== undefined ||
    (encoding !== undefined && !encoding.startsWith('Identity')) ||
    registered.test(String(ordering));
  return () => isKnown;
}

/**
 * Returns a test for the codes that a ToUnicode table maps. Its syntax is that of a font's character map: PDF 32000-1, 9.10.3.
 */
function codesOf(table: string): (code: number) => boolean {
  if (table.includes('usecmap')) return () => true;
  const single = new Set<number>();
  const ranges: [first: number, last: number][] = [];
  for (const [, lines] of table.matchAll(/beginbfchar(.*?)endbfchar/gs))
    for (const [, code] of lines!.matchAll(/<([\da-f\s]*)>\s*<[^>]*>/gi)) single.add(hexadecimal(code!));
  for (const [, lines] of table.matchAll(/beginbfrange(.*?)endbfrange/gs))
    for (const [, first, last] of lines!.matchAll(
      /<([\da-f\s]*)>\s*<([\da-f\s]*)>\s*(?:<[^>]*>|\[[^\]]*\])/gi,
    ))
      ranges.push([hexadecimal(first!), hexadecimal(last!)]);
  return (code) => single.has(code) || ranges.some(([first, last]) => code >= first && code <= last);
}

const hexadecimal = (digits: string): number => Number.parseInt(digits.replace(/\s/g, ''), 16);
