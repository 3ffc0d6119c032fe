import { type PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { getArray, getDict, getName } from '../objects.ts';

/** What the codes of TeX's text fonts stand for where that is not ASCII: the Cork encoding (T1). */
const cork: ReadonlyMap<number, string> = new Map([
  ...[...'“”„«»–—'].map((character, index): [number, string] => [0x10 + index, character]),
  ...['ff', 'fi', 'fl', 'ffi', 'ffl'].map((letters, index): [number, string] => [0x1b + index, letters]),
]);

/** The same for TeX's first encoding (OT1). */
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

/** Fonts for formulas have the same names of glyphs, but use few small letters. */
const fewestLetters = 12;

/**
 * TeX's bitmap fonts name each glyph by its code (/a65), which says nothing of ligatures, quotes and dashes. These have codes
 * below 32 in both encodings of text, at different places.
 *
 * @returns undefined for other fonts, and for those that use none of these codes
 */
export function texCharacters(font: PDFDict): ReadonlyMap<number, string> | undefined {
  const codes = texCodes(font);
  if (codes === undefined) return undefined;
  if (codes.filter((code) => code >= 0x61 && code <= 0x7a).length < fewestLetters) return undefined;
  if (codes.some((code) => code >= 0x0b && code <= 0x0f)) return original;
  return codes.some((code) => cork.has(code)) ? cork : undefined;
}

/** Returns the codes of a bitmap font of TeX; undefined for other fonts. */
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
