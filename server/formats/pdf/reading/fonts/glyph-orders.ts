import { type PDFDict, PDFName, PDFNumber } from '@cantoo/pdf-lib';
import { advanceIn, type FontName, fontIn } from '../../../typesetting/fonts.ts';
import { get, getArray, getDict, getName } from '../../objects.ts';
import { type ShownGlyph, type ShownText, unknownText } from '../../page-content.ts';
import type { TextOperator } from '../interpretation.ts';

/*
 * Fonts without a character map, whose codes are only the numbers of their glyphs. Most typefaces have their glyphs in one
 * of a few orders, so the numbers tell the characters if the glyphs have the widths of these characters.
 */

/** Returns the character of a glyph by its number; undefined if the order has no such glyph. */
type GlyphOrder = (index: number) => string | undefined;

const macintosh = new TextDecoder('macintosh');
const afterAscii =
  "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ–†‡·¶•‚„”»…‰¿`´ˆ˜¯˘˙¨˚¸˝˛ˇ—ÆªŁØŒºæıłøœß¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©" +
  'ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž';

const ascii = (code: number): string | undefined =>
  code >= 0x20 && code <= 0x7e ? String.fromCharCode(code) : undefined;

const orders: readonly GlyphOrder[] = [
  // TrueType fonts of Microsoft, such as Arial: the characters of the Macintosh without its no-break space. The glyphs
  // after them have other orders.
  (index) => {
    const code = index + (index < 98 ? 29 : index < 172 ? 30 : 31);
    return ascii(code) ?? (code >= 0x80 && code <= 0xff ? macintosh.decode(Uint8Array.of(code)) : undefined);
  },
  // Fonts in Adobe's Compact Font Format: its standard strings.
  (index) => {
    const character = ascii(index + 31) ?? [...afterAscii][index - 96];
    return character === "'" && index < 96 ? '’' : character === '`' && index < 96 ? '‘' : character;
  },
  // Fonts that number their glyphs by the characters.
  (index) => ascii(index) ?? (index > 0xa0 && index < 0x100 ? String.fromCharCode(index) : undefined),
];

/** Fonts with the widths of typefaces that many files have. Those of other text fonts are similar. */
const references: readonly FontName[] = (
  ['arimo', 'tinos', 'gelasio', 'openSans', 'roboto'] as const
).flatMap((typeface) =>
  [400, 700].flatMap((weight) => [false, true].map((italic) => fontIn(typeface, weight, italic))),
);
/** The minimum number of different widths, and the share of the glyphs that must be in the order. */
const minWidths = 3;
const minShare = 0.9;
/** From this number of glyphs on, equal widths show the order, and the share and the tolerance of equal ones, in em. */
const [minExact, shareExact, tolerance] = [5, 0.9, 0.003];
/** From this number of glyphs on, similar widths show it, and the correlation that they need, alone and before other orders. */
const [minSimilar, minCorrelation, minLead] = [12, 0.85, 0.2];

/** Names of glyphs that are only numbers. If all have four digits after `g`, or two after `G`, they are the codes of characters. */
const numberedName = /^(?:[gG]|glyph|gid|index|cid)(\d{1,5})$/;
const codeName = /^(?:g\d{4}|G\d\d)$/;

/**
 * Returns the numbers of a font's glyphs by its codes, if the codes have no other meaning; undefined for other fonts, and
 * for codes of a composite font without a table, which are the numbers.
 */
export function numberedGlyphs(font: PDFDict): ReadonlyMap<number, number> | undefined {
  if (get(font, 'ToUnicode') !== undefined) return undefined;
  const names = new Map<number, string>();
  let code = 0;
  for (const item of getArray(getDict(font, 'Encoding'), 'Differences') ?? []) {
    if (item instanceof PDFNumber) code = item.asNumber();
    else if (item instanceof PDFName) names.set(code++, item.decodeText());
  }
  const numbers = [...names].flatMap(([own, name]): [number, number][] => {
    const [, number] = numberedName.exec(name) ?? [];
    return number === undefined ? [] : [[own, Number(number)]];
  });
  const named = [...names.values()].filter((name) => name !== '.notdef');
  const areNumbers = numbers.length === named.length && !named.every((name) => codeName.test(name));
  return areNumbers && numbers.length > 0 ? new Map(numbers) : undefined;
}

/** Returns a function that returns the number of a glyph by its code; undefined if the codes have another meaning. */
function numberOf(font: PDFDict): ((code: number) => number | undefined) | undefined {
  const numbers = numberedGlyphs(font);
  if (numbers) return (code) => numbers.get(code);
  const isNumbered =
    getName(font, 'Subtype') === 'Type0' && getName(font, 'Encoding')?.startsWith('Identity');
  return isNumbered ? (code) => code : undefined;
}

/** Reads the unknown glyphs of fonts whose glyphs are in a known order. Other glyphs stay unknown, so their texts are kept. */
export function readGlyphOrders(texts: readonly (ShownText & { operator: TextOperator })[]): void {
  for (const [font, own] of Map.groupBy(texts, ({ operator }) => operator.font)) {
    const unknown = own.flatMap(({ glyphs }) => glyphs.filter(({ text }) => text === unknownText));
    if (unknown.length === 0) continue;
    const number = numberOf(font);
    if (!number) continue;
    const indexOf = ({ symbol = -1 }: ShownGlyph): number => number(symbol) ?? -1;
    const read = orderOf(new Map(unknown.map((glyph) => [indexOf(glyph), glyph.advance])));
    if (!read) continue;
    for (const glyph of unknown) {
      const character = read(indexOf(glyph), glyph.advance);
      if (character === undefined) continue;
      glyph.text = character;
      delete glyph.symbol;
    }
  }
}

/**
 * Returns a function that reads the glyphs of a font by their numbers and widths.
 *
 * @param widths the widths of glyphs that draw something by their numbers, in em
 * @returns undefined if their widths are not clearly those of the characters in one of the orders
 */
export function orderOf(
  widths: ReadonlyMap<number, number>,
): ((index: number, width: number) => string | undefined) | undefined {
  if (new Set([...widths.values()].map((width) => Math.round(100 * width))).size < minWidths)
    return undefined;
  const found = orders.map((order) => ({ order, ...matchOf(widths, order) }));
  const exact = found.filter((match) => match.exact);
  if (exact.length > 1) return undefined;
  const [best, second] = exact.concat(found.toSorted((one, other) => other.correlation - one.correlation));
  const isClear = best!.correlation >= minCorrelation && best!.correlation - second!.correlation >= minLead;
  const { order, exact: reference } = best!;
  if (!reference && !isClear) return undefined;
  return (index, width) => {
    const character = order(index);
    if (character === undefined || !reference) return isAscii(character) ? character : undefined;
    // Only the typefaces of Microsoft have all their glyphs in this order.
    const isOfOrder = isAscii(character) || /^(?:arimo|tinos)/.test(reference);
    const isEqual = Math.abs(width - (advanceIn(reference, character) ?? 0)) <= tolerance;
    return isOfOrder && isEqual ? character : undefined;
  };
}

const isAscii = (character = ''): boolean => /^[!-~’‘]$/.test(character);

/** Compares the widths of glyphs with those of their characters in an order. */
function matchOf(
  widths: ReadonlyMap<number, number>,
  order: GlyphOrder,
): { exact: FontName | undefined; correlation: number } {
  const characters = [...widths].flatMap(([index, width]) => {
    const character = order(index);
    return character === undefined ? [] : [[character, width] as const];
  });
  const none = { exact: undefined, correlation: 0 };
  // A drawn glyph cannot be a space.
  if (characters.length < minShare * widths.size || characters.some(([one]) => one.trim() === ''))
    return none;
  const matches = references.map((reference) => {
    const pairs = characters.flatMap(([character, width]) => {
      const known = advanceIn(reference, character);
      return known === null ? [] : [[width, known] as const];
    });
    const equal = pairs.filter(([width, known]) => Math.abs(width - known) <= tolerance).length;
    return {
      exact: pairs.length >= minExact && equal >= shareExact * pairs.length ? reference : undefined,
      correlation: pairs.length >= minSimilar ? correlationOf(pairs) : 0,
    };
  });
  return {
    exact: matches.find(({ exact }) => exact)?.exact,
    correlation: Math.max(...matches.map(({ correlation }) => correlation)),
  };
}

/** Returns Pearson's correlation of pairs of numbers, from -1 to 1. */
function correlationOf(pairs: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [x, y] = [mean(0), mean(1)];
  const sumOf = (product: (dx: number, dy: number) => number) =>
    pairs.reduce((sum, [one, other]) => sum + product(one - x, other - y), 0);
  const spread = Math.sqrt(sumOf((dx) => dx * dx) * sumOf((_, dy) => dy * dy));
  return spread > 0 ? sumOf((dx, dy) => dx * dy) / spread : 0;
}
