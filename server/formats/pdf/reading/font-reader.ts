import type { PDFDict } from '@cantoo/pdf-lib';
import { getMatrix, getName, getRectangle } from '../objects.ts';
import type { TextFont } from '../page-content.ts';
import { mappedCodes } from './mapped-codes.ts';
import type { PdfjsFont, PdfjsGlyph } from './pdfjs-texts.ts';
import { symbolCharacters } from './symbol-characters.ts';
import { texCharacters, texCodes } from './tex-characters.ts';
import { textFont } from './text-font.ts';

/** A font as far as its texts' places and characters depend on it. */
export interface ReadFont {
  looks: TextFont;
  isVertical: boolean;
  /** The unit of its glyphs' widths, in the unit of the font size. */
  unit: number;
  /** An em, in the unit of the font size: 1, except in Type 3 fonts. */
  em: number;
  /** -1 if its glyphs are drawn with y downwards. */
  up: 1 | -1;
  textOf(glyph: PdfjsGlyph): string;
}

/** The height of a font's box, in em. */
const usualBoxHeight = 1.2;

/** Reads fonts, each once. */
export class FontReader {
  readonly #fonts = new Map<PDFDict, { font: PdfjsFont | undefined; read: ReadFont }>();

  read(dictionary: PDFDict, font: PdfjsFont | undefined): ReadFont {
    const known = this.#fonts.get(dictionary);
    if (known && (known.font || font === undefined)) return known.read;
    const read = readFont(dictionary, font);
    this.#fonts.set(dictionary, { font, read });
    return read;
  }
}

function readFont(dictionary: PDFDict, font: PdfjsFont | undefined): ReadFont {
  const isType3 = getName(dictionary, 'Subtype') === 'Type3';
  const matrix = isType3 ? getMatrix(dictionary, 'FontMatrix') : undefined;
  return {
    looks: looksOf(dictionary, font),
    isVertical: font?.vertical === true,
    unit: matrix?.[0] ?? font?.fontMatrix?.[0] ?? 0.001,
    em: matrix ? type3Em(dictionary, Math.abs(matrix[3])) : 1,
    up: matrix && matrix[3] < 0 ? -1 : 1,
    textOf: decoderOf(dictionary),
  };
}

/** TeX's bitmap fonts have no name and no descriptor: they are Computer Modern. */
function looksOf(dictionary: PDFDict, font: PdfjsFont | undefined): TextFont {
  const looks = textFont(dictionary, font);
  return texCodes(dictionary) ? { ...looks, family: 'serif' } : looks;
}

/** Type 3 fonts may have a glyph space of any scale. If the box of one is not as high as a line, an em is what makes it so. */
function type3Em(dictionary: PDFDict, scale: number): number {
  const box = getRectangle(dictionary, 'FontBBox');
  const height = box ? (box.top - box.bottom) * scale : 0;
  const isUsual = height > usualBoxHeight / 3 && height < usualBoxHeight * 3;
  return height === 0 || isUsual || !Number.isFinite(height) ? 1 : height / usualBoxHeight;
}

/** Ligatures and positional forms of letters, as fonts draw them. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]/;

/** Returns what decodes a font's glyphs: to nothing where pdf.js takes a code for a character because it knows no better. */
function decoderOf(dictionary: PDFDict): ReadFont['textOf'] {
  const tex = texCharacters(dictionary);
  const symbol = symbolCharacters(dictionary);
  const decoded = new Map<number, string>();
  let isMapped: ((code: number) => boolean) | undefined;
  const decode = ({ unicode, originalCharCode: code }: PdfjsGlyph): string => {
    const known = tex?.get(code) ?? symbol?.(unicode);
    if (known !== undefined) return known;
    if (unicode.codePointAt(0) === code) {
      isMapped ??= mappedCodes(dictionary);
      if (!isMapped(code)) return '';
    }
    if (/^[\t\n\v\f\r]$/.test(unicode)) return ' ';
    return presentationForms.test(unicode) ? unicode.normalize('NFKC') : unicode;
  };
  return (glyph) => {
    const known = decoded.get(glyph.originalCharCode) ?? decode(glyph);
    decoded.set(glyph.originalCharCode, known);
    return known;
  };
}
