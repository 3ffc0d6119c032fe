import { type PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { getArray, getDict, getName } from '../objects.ts';

/** The characters of codes below 32 in TeX's Cork encoding (T1), which is an encoding of its text fonts. */
const cork: ReadonlyMap<number, string> = new Map([
  ...[...'“”„«»–—'].map((character, index): [number, string] => [0x10 + index, character]),
  ...['ff', 'fi', 'fl', 'ffi', 'ffl'].map((letters, index): [number, string] => [0x1b + index, letters]),
]);

/** The characters in TeX's original text encoding (OT1) that differ from ASCII. */
const original: ReadonlyMap<number, string> = new Map([
  ...['ff', 'fi', 'fl', 'ffi', 'ffl'].map((letters, index): [number, string] => [0x0b + index, letters]),
  ...[...'ßæœøÆŒØ'].map((character, index): [number, string] => [0x19 + index, character]),
  [0x10, 'ı'],
  [0x22, '”'],
  [0x3c, '¡'],
  [0x3e, '¿'],
  [0x5c, '“'],
  [0x7b, '–'],
  [0x7c, '—'],
]);

/**
 * The minimum number of lower-case letters in a text font. Fonts for formulas have the same glyph names, but few
 * lower-case letters.
 */
const minLetters = 12;

/**
 * Returns the characters of the codes of a bitmap font of TeX that differ from ASCII: ligatures, quotes, dashes and
 * others. The glyph names of such a font contain only the codes (/a65). TeX has two text encodings, with these
 * characters at different codes, so the encoding is determined from the codes that are used.
 *
 * @returns undefined for other fonts, and if the encoding cannot be determined
 */
export function texCharacters(font: PDFDict): ReadonlyMap<number, string> | undefined {
  const codes = texCodes(font);
  if (codes === undefined) return undefined;
  if (codes.filter((code) => code >= 0x61 && code <= 0x7a).length < minLetters) return undefined;
  if (codes.some((code) => code >= 0x0b && code <= 0x0f)) return original;
  return codes.some((code) => cork.has(code)) ? cork : undefined;
}

/** Returns the codes of the glyphs of a bitmap font of TeX; undefined for other fonts. */
export function texCodes(font: PDFDict): number[] | undefined {
  if (getName(font, 'Subtype') !== 'Type3') return undefined;
  const codes: number[] = [];
  for (const item of getArray(getDict(font, 'Encoding'), 'Differences') ?? []) {
    if (item instanceof PDFNumber) continue;
    const name = item instanceof PDFName ? item.asString() : '';
    if (name === '/.notdef') continue;
    if (!/^\/a\d+$/.test(name)) return undefined;
    codes.push(Number(name.slice(2)));
  }
  return codes.length > 0 ? codes : undefined;
}
