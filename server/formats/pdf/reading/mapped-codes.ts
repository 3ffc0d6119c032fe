import { type PDFDict, PDFName, PDFStream } from '@cantoo/pdf-lib';
import { asDict, decodeStream, get, getArray, getDict, getName } from '../objects.ts';

/** The character collections of Adobe whose codes have known characters. */
const registered = /^\((GB1|CNS1|Japan1|Korea1)\)$/;

/**
 * Returns a function that tests whether the character of a code is defined. For simple fonts it always is, by their
 * encoding. For composite fonts it depends on the file.
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
 * Returns a test for the codes that a ToUnicode table maps. The syntax of the table is specified in PDF 32000-1,
 * 9.10.3.
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
