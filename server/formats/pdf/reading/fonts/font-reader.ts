import { type PDFDict, PDFName, PDFNumber, PDFStream } from '@cantoo/pdf-lib';
import { type Rectangle, union } from '../../geometry.ts';
import {
  asDict,
  decodeStream,
  get,
  getArray,
  getDict,
  getMatrix,
  getName,
  getNumbers,
  getRectangle,
} from '../../objects.ts';
import { type ShownGlyph, type TextFont, unknownText } from '../../page-content.ts';
import type { PdfjsFont, PdfjsGlyph, PdfjsText } from '../pdfjs-texts.ts';
import { numberedGlyphs } from './glyph-orders.ts';
import { namedLigatures } from './ligatures.ts';
import { type KnownStrokes, type MeasuredFace, measureFaces } from './measured-face.ts';
import { type MeasuredLetters, measureLetters } from './measured-family.ts';
import { isPictorial, symbolCharacters } from './symbol-characters.ts';
import { textFont } from './text-font.ts';
import { sharedCharacters, type3Outlines } from './type3-outlines.ts';

const [macintosh, windows] = [new TextDecoder('macintosh'), new TextDecoder('windows-1252')];

/**
 * Returns a function that corrects the characters of a TrueType font without an encoding. pdf.js reads their codes above
 * 127 as on a Macintosh, but the programs that write such fonts use those of Windows. Returns undefined for other fonts.
 */
function windowsCharacters(
  font: PDFDict,
): ((unicode: string, code: number) => string | undefined) | undefined {
  const isCoded = get(font, 'Encoding') !== undefined || get(font, 'ToUnicode') !== undefined;
  if (isCoded || getName(font, 'Subtype') !== 'TrueType') return undefined;
  return (unicode, code) => {
    const byte = Uint8Array.of(code);
    const isRead = code > 127 && code < 256 && unicode === macintosh.decode(byte);
    return isRead ? windows.decode(byte) : undefined;
  };
}

/** The character collections of Adobe whose codes have known characters. */
const registered = /^\((GB1|CNS1|Japan1|Korea1)\)$/;

/**
 * Returns a function that tests whether the character of a code is defined. For simple fonts it is, by their encoding,
 * unless a TrueType font without an encoding numbers its glyphs: macOS writes such fonts, and leaves out ligatures.
 * For composite fonts it depends on the file.
 */
function mappedCodes(font: PDFDict): (code: number) => boolean {
  const toUnicode = get(font, 'ToUnicode');
  const table = toUnicode instanceof PDFStream && Buffer.from(decodeStream(toUnicode)).toString('latin1');
  if (getName(font, 'Subtype') !== 'Type0') {
    const isNumbered =
      table && getName(font, 'Subtype') === 'TrueType' && !get(font, 'Encoding') && renumbers(table);
    return isNumbered ? codesOf(table) : () => true;
  }
  if (table) return codesOf(table);
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

/** Whether a ToUnicode table maps most of its codes to other characters than those with these codes. */
function renumbers(table: string): boolean {
  const entries = [...table.matchAll(/<([\da-f]{1,4})>\s*(?:<[\da-f]{1,4}>\s*)?<([\da-f]{4})>\s*$/gim)];
  const other = entries.filter(([, code, character]) => hexadecimal(code!) !== hexadecimal(character!));
  return other.length * 2 > entries.length;
}

const hexadecimal = (digits: string): number => Number.parseInt(digits.replace(/\s/g, ''), 16);

/** The properties of a font that determine the positions and characters of texts in this font. */
export interface ReadFont {
  looks: TextFont;
  isVertical: boolean;
  /** The unit in which the font gives the widths of its glyphs, as a share of the font size. */
  unit: number;
  /** The length of an em as a share of the font size: 1, except in Type 3 fonts. */
  em: number;
  /** The direction of the glyphs: -1 if they are drawn below the baseline, otherwise 1. */
  up: 1 | -1;
  /** Returns the characters of a glyph, and its code if they are unknown. */
  read(glyph: PdfjsGlyph): Pick<ShownGlyph, 'text' | 'symbol'>;
}

/** The usual height of a font's bounding box, in em. */
const usualBoxHeight = 1.2;

/** The maximum number of Type 3 fonts of a page whose letters are measured. */
const maxType3 = 50;

/** The start of the name of a font that has only a part of the glyphs. */
const subset = /^[A-Z]{6}\+/;

/** Reads the properties of fonts, once for each font. */
export class FontReader {
  readonly #fonts = new Map<PDFDict, { font: PdfjsFont | undefined; read: ReadFont }>();
  readonly #letters: ReadonlyMap<PdfjsFont, MeasuredLetters>;
  readonly #faces: ReadonlyMap<PdfjsFont, MeasuredFace>;
  /** The font with the most Latin letters, by the name of the typeface. */
  readonly #latin = new Map<string, PdfjsFont>();

  readonly #texts: readonly PdfjsText[];
  readonly #usualFamily: 'serif' | 'sans' | undefined;
  #type3 = 0;

  /**
   * @param texts the texts from which the letters of the fonts are measured
   * @param strokes the letters that are known from other pages of the document
   */
  constructor(texts: readonly PdfjsText[], strokes: KnownStrokes) {
    this.#texts = texts;
    this.#letters = measureLetters(texts);
    this.#faces = measureFaces(texts, strokes);
    this.#usualFamily = usualFamily(texts, this.#faces);
    for (const [font, { size }] of this.#letters) {
      const name = font.name.replace(subset, '');
      const known = this.#latin.get(name);
      if (!known || size > this.#letters.get(known)!.size) this.#latin.set(name, font);
    }
  }

  read(dictionary: PDFDict, font: PdfjsFont | undefined): ReadFont {
    const known = this.#fonts.get(dictionary);
    if (known && (known.font || font === undefined)) return known.read;
    const latin = font && this.#latinOf(font);
    const own = font && (this.#faces.get(font) ?? this.#faceOfType3(dictionary, font));
    const face = own ?? (latin && this.#faces.get(latin));
    const looks = textFont(dictionary, font, latin && this.#letters.get(latin), face, this.#usualFamily);
    const read = readFont(dictionary, font, looks);
    this.#fonts.set(dictionary, { font, read });
    return read;
  }

  /**
   * Returns the font with the Latin letters of a typeface: programs divide a typeface with other letters, such as those
   * of Thai, into two fonts of the same name. The Latin letters of East Asian typefaces do not show how their text looks.
   */
  #latinOf(font: PdfjsFont): PdfjsFont {
    if (!subset.test(font.name) || this.#letters.get(font)?.size !== 0) return font;
    return this.#latin.get(font.name.replace(subset, '')) ?? font;
  }

  /** Measures a font whose letters are procedures. Their glyph space may have any unit, so a rise is not measured. */
  #faceOfType3(dictionary: PDFDict, font: PdfjsFont): MeasuredFace | undefined {
    const matrix = getName(dictionary, 'Subtype') === 'Type3' && getMatrix(dictionary, 'FontMatrix');
    if (!matrix || this.#type3++ > maxType3) return undefined;
    const isDown = type3Up(dictionary, matrix[3]) * matrix[3] < 0;
    const outlineOf = type3Outlines(dictionary, isDown);
    const texts = this.#texts.filter((text) => text.font === font);
    const face = measureFaces(texts, new Map(), ({ originalCharCode }) => outlineOf(originalCharCode)).get(
      font,
    );
    return face && { ...face, rise: 0 };
  }
}

/**
 * Returns the family of most letters, if the flag for serifs of a font contradicts its outlines: some programs set this flag
 * in all fonts. Otherwise returns undefined.
 */
function usualFamily(texts: readonly PdfjsText[], faces: ReadonlyMap<PdfjsFont, MeasuredFace>) {
  const measured = [...faces].filter(([, { serif }]) => serif !== undefined);
  if (measured.every(([font, { serif }]) => serif === Boolean(font.isSerifFont))) return undefined;
  const count = (wanted: boolean) =>
    texts.reduce(
      (sum, { font, glyphs }) => sum + (font && faces.get(font)?.serif === wanted ? glyphs.length : 0),
      0,
    );
  return count(true) > count(false) ? 'serif' : 'sans';
}

function readFont(dictionary: PDFDict, font: PdfjsFont | undefined, looks: TextFont): ReadFont {
  const isType3 = getName(dictionary, 'Subtype') === 'Type3';
  const matrix = isType3 ? getMatrix(dictionary, 'FontMatrix') : undefined;
  return {
    // Bitmap fonts of TeX have no name and no descriptor; they are Computer Modern, which has serifs.
    looks: texCodes(dictionary) ? { ...looks, family: 'serif' } : looks,
    isVertical: font?.vertical === true,
    unit: matrix?.[0] ?? font?.fontMatrix?.[0] ?? 0.001,
    em: matrix ? type3Em(dictionary, Math.abs(matrix[3])) : 1,
    up: matrix ? type3Up(dictionary, matrix[3]) : 1,
    read: decoderOf(dictionary),
  };
}

/** The scale of a glyph space whose unit is a thousandth of an em, as in all fonts that are not Type 3. Some of these use 1. */
const usualScale = 0.001;

/** The usual height of the box around the letters of a font, in em, if some have descenders, and if none has one. */
const usualLetterHeight = { deep: 0.95, standing: 0.73 };
/** The minimum depth of descenders, as a share of the height of the box. Round letters reach a little below the baseline. */
const minDepth = 0.1;

/**
 * Returns the em of a Type 3 font. The glyph space of such a font may have any scale, so if the height of the font's
 * box is implausible for a line, the em is derived from this height. If the scale is the usual one, a low box is
 * plausible, because the font may contain only small signs. A font may have no box; its glyphs then define the height.
 */
function type3Em(dictionary: PDFDict, scale: number): number {
  const declared = declaredBox(dictionary);
  const isScaleUsual = [1, usualScale].some((usual) => Math.abs(scale - usual) < usual / 100);
  if (!declared) {
    const em = emOfLetters(boxOfGlyphs(dictionary)) * scale || 1;
    // Accents and brackets are higher than letters, so at a usual scale the em of the file is more exact.
    return isScaleUsual && em > 0.5 && em < 2 ? 1 : em;
  }
  const height = boxHeight(declared) * scale;
  const isUsual = (isScaleUsual || height > usualBoxHeight / 3) && height < usualBoxHeight * 3;
  return isUsual || !Number.isFinite(height) ? 1 : height / usualBoxHeight;
}

/**
 * Returns the box of a Type 3 font; undefined if it has no height, or if it is a placeholder: Ghostscript's `[0 0 1 -1]`,
 * or a box of one unit around higher glyphs.
 */
function declaredBox(dictionary: PDFDict): Rectangle | undefined {
  const box = getRectangle(dictionary, 'FontBBox');
  if (!box || boxHeight(box) === 0) return undefined;
  if (getNumbers(dictionary, 'FontBBox', 4)?.join() === '0,0,1,-1') return undefined;
  const isUnit = box.right - box.left <= 1 && boxHeight(box) <= 1;
  return isUnit && boxHeight(boxOfGlyphs(dictionary)) > 3 ? undefined : box;
}

/** Returns the em of letters with this box, which may be upside down. */
function emOfLetters(box: Rectangle | undefined): number {
  const isDeep = box && Math.min(-box.bottom, box.top) > minDepth * boxHeight(box);
  return boxHeight(box) / usualLetterHeight[isDeep ? 'deep' : 'standing'];
}

function boxHeight(box: Rectangle | undefined): number {
  return box ? box.top - box.bottom : 0;
}

/** The number of glyphs whose boxes are read, which is enough for the letters of a text. */
const maxGlyphBoxes = 100;
/** The number of boxes from which their union has the height of letters. Fewer may be small signs only. */
const minGlyphBoxes = 5;

/**
 * Returns the union of the boxes that the glyphs of a Type 3 font declare with d1: PDF 32000-1, 9.6.5.
 *
 * @param least the minimum number of glyphs of a union
 */
function boxOfGlyphs(dictionary: PDFDict, least = minGlyphBoxes): Rectangle | undefined {
  const boxes: Rectangle[] = [];
  for (const [name] of (getDict(dictionary, 'CharProcs')?.entries() ?? []).slice(0, maxGlyphBoxes)) {
    const procedure = getDict(dictionary, 'CharProcs')?.lookup(name);
    if (!(procedure instanceof PDFStream)) continue;
    const start = Buffer.from(decodeStream(procedure).subarray(0, 200)).toString('latin1');
    const [, left, bottom, right, top] =
      /^\s*[-.\d]+\s+[-.\d]+((?:\s+[-.\d]+){4})\s+d1\b/.exec(start)?.[1]?.split(/\s+/).map(Number) ?? [];
    if ([left, bottom, right, top].every(Number.isFinite) && left !== right && bottom !== top)
      boxes.push({
        left: left!,
        bottom: Math.min(bottom!, top!),
        right: right!,
        top: Math.max(bottom!, top!),
      });
  }
  return boxes.length < least ? undefined : boxes.reduce(union);
}

/** The minimum depth below the baseline, in em, from which the glyphs of a font count as drawn downwards. */
const minHeight = 0.35;

/**
 * Returns the direction of the glyphs of a Type 3 font. The glyphs may be drawn with y upwards or downwards, whatever
 * the font's matrix is, so the direction is determined from the position of the font's box. A font with only small
 * signs counts as drawn upwards.
 */
function type3Up(dictionary: PDFDict, scale: number): 1 | -1 {
  const box = boxOfGlyphs(dictionary, 1) ?? declaredBox(dictionary);
  if (!box) return 1;
  const [low, high] = [box.bottom * scale, box.top * scale].sort((one, other) => one - other) as [
    number,
    number,
  ];
  const em = type3Em(dictionary, Math.abs(scale));
  return -low > minHeight * em && -low > 2 * high ? -1 : 1;
}

/** Ligatures, and letters in the shape that they have at a position in a word. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]/;

/** One ideograph: macOS gives a glyph both its radical or compatibility character and the usual one (`⾳音`). */
const ideographs = /^[\u2e80-\u2fd5\u4e00-\u9fff\uf900-\ufad9]+$/;
const radicals = /[\u2e80-\u2eff](?=.)|(?<=.)[\u2e80-\u2eff]/gu;

/**
 * The letters and digits for which Adobe's fonts use private characters: small capitals, and digits of other heights.
 */
function corporateLetter(unicode: string): string | undefined {
  const code = unicode.codePointAt(0) ?? 0;
  const isDigit = code >= 0xf730 && code <= 0xf739;
  const isLetter = (code >= 0xf761 && code <= 0xf77a) || (code >= 0xf7e0 && code <= 0xf7fe);
  return isDigit || isLetter ? String.fromCodePoint(code - 0xf700) : undefined;
}

/** The minimum width of a letter in thousandths of an em, as a mean over a word. */
const minLetterWidth = 250;

/** Whether a glyph has the name of its picture as its text, such as `HOME`. Such a glyph is too narrow for the word. */
function isNameOfPicture(unicode: string, width: number): boolean {
  return /^[A-Za-z][A-Za-z_-]{3,}$/.test(unicode) && width < minLetterWidth * unicode.length;
}

/**
 * Whether the characters of a glyph are known. Private use, control and unassigned characters, and U+FFFD, have no
 * known meaning.
 */
function isReadable(text: string): boolean {
  return text !== '' && !/[\p{Cc}\p{Co}\p{Cn}\p{Cs}\ufffd]/u.test(text);
}

/** Returns a function that reads the characters of a glyph. They are unknown if pdf.js only guesses them. */
function decoderOf(dictionary: PDFDict): ReadFont['read'] {
  const tex = texCharacters(dictionary);
  const symbol = symbolCharacters(dictionary);
  const windows = windowsCharacters(dictionary);
  const ligatures = namedLigatures(dictionary);
  const hidesText = isPictorial(dictionary);
  const numbers = numberedGlyphs(dictionary);
  const decoded = new Map<number, ReturnType<ReadFont['read']>>();
  let isMapped: ((code: number) => boolean) | undefined;
  const isType3 = getName(dictionary, 'Subtype') === 'Type3';
  const shared = isType3 ? sharedCharacters(dictionary) : undefined;
  const decode = ({ unicode, originalCharCode: code, isGuess, isEmpty, width }: PdfjsGlyph): string => {
    const known =
      tex?.get(code) ??
      symbol?.(unicode, code) ??
      windows?.(unicode, code) ??
      shared?.get(code) ??
      corporateLetter(unicode);
    if (known !== undefined) return known;
    const letters = ligatures.get(code);
    if (letters?.includes(unicode)) return letters;
    if (isGuess || numbers?.has(code)) return '';
    if (unicode.codePointAt(0) === code) {
      isMapped ??= mappedCodes(dictionary);
      if (!isMapped(code)) return '';
    }
    // The arbitrary names of glyphs in bitmap fonts include CR and LF.
    if (/^[\t\n\v\f\r]$/.test(unicode))
      return isType3 && code > 32 && code < 127 ? String.fromCharCode(code) : ' ';
    // Some programs give this character to all hyphens. A hyphen that is drawn is not soft.
    if (unicode === '\u00ad' && !isEmpty && width > 0) return '-';
    if (!isType3 && isNameOfPicture(unicode, width)) return '';
    // Such a font shows pictures for letters and digits.
    if (hidesText && /^[!-\u024f]/.test(unicode)) return '';
    if (ideographs.test(unicode))
      return [...new Set(unicode.normalize('NFKC').replaceAll(radicals, ''))].join('');
    return presentationForms.test(unicode) ? unicode.normalize('NFKC') : unicode;
  };
  return (glyph) => {
    const { originalCharCode: code, isEmpty } = glyph;
    const known = decoded.get(code);
    if (known) return known;
    // The last letter of a line may include its end.
    const text = decode(glyph).replace(/(?<=.)[\r\n]+$/, '');
    const read = isReadable(text) ? { text } : isEmpty ? { text: ' ' } : { text: unknownText, symbol: code };
    decoded.set(code, read);
    return read;
  };
}

/** The characters in TeX's Cork encoding (T1), that of its text fonts with more than 128 codes, that differ from Latin-1. */
const cork: ReadonlyMap<number, string> = new Map([
  ...[...'`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›'].map((character, index): [number, string] => [index, character]),
  [0x19, 'ı'],
  [0x1a, 'ȷ'],
  ...[...'“”„«»–—'].map((character, index): [number, string] => [0x10 + index, character]),
  ...['ff', 'fi', 'fl', 'ffi', 'ffl'].map((letters, index): [number, string] => [0x1b + index, letters]),
  ...[...'ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£'].map(
    (character, index): [number, string] => [0x80 + index, character],
  ),
  [0xd7, 'Œ'],
  [0xdf, 'SS'],
  [0xf7, 'œ'],
  [0xff, 'ß'],
]);

/** The characters in TeX's original text encoding (OT1) that differ from ASCII. */
const original: ReadonlyMap<number, string> = new Map([
  ...['ff', 'fi', 'fl', 'ffi', 'ffl'].map((letters, index): [number, string] => [0x0b + index, letters]),
  ...[...'ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ'].map((character, index): [number, string] => [0x10 + index, character]),
  [0x22, '”'],
  [0x3c, '¡'],
  [0x3e, '¿'],
  [0x5c, '“'],
  [0x5e, 'ˆ'],
  [0x5f, '˙'],
  ...[...'–—˝˜¨'].map((character, index): [number, string] => [0x7b + index, character]),
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
function texCharacters(font: PDFDict): ReadonlyMap<number, string> | undefined {
  const codes = texCodes(font);
  if (codes === undefined) return undefined;
  if (codes.filter((code) => code >= 0x61 && code <= 0x7a).length < minLetters) return undefined;
  if (codes.some((code) => code >= 0x80)) return cork;
  // The original encoding has a grave and an acute at the codes of quotation marks, which a text has in pairs.
  const hasQuotes = [0x10, 0x13].some((code) => codes.includes(code) && codes.includes(code + 1));
  const isOriginal = (code: number) =>
    (code >= 0x0b && code <= 0x0f) || (!hasQuotes && [0x12, 0x13, 0x18].includes(code));
  if (codes.some(isOriginal)) return original;
  return codes.some((code) => cork.has(code)) ? cork : undefined;
}

/** Returns the codes of the glyphs of a bitmap font of TeX; undefined for other fonts. */
function texCodes(font: PDFDict): number[] | undefined {
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
