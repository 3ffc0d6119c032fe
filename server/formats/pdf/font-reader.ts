import { type PDFDict, PDFName } from '@cantoo/pdf-lib';
import { asDict, getArray, getDict, getMatrix, getName, getRectangle } from './objects.ts';
import type { TextFont } from './page-content.ts';
import type { PdfjsFont, PdfjsGlyph } from './pdfjs-texts.ts';
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

const toUnicode = PDFName.of('ToUnicode');
const orderingKey = PDFName.of('Ordering');

/** Of a Type 3 font without a usable box: bitmap fonts of TeX have about 8.3 dots to a point. */
const usualType3Em = 1;
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
  const hasText = canDecode(dictionary);
  return {
    looks: textFont(dictionary, font),
    isVertical: font?.vertical === true,
    unit: matrix?.[0] ?? font?.fontMatrix?.[0] ?? 0.001,
    em: matrix ? type3Em(dictionary, Math.abs(matrix[3])) : 1,
    up: matrix && matrix[3] < 0 ? -1 : 1,
    textOf: hasText ? textOf : () => '',
  };
}

/** Type 3 fonts have glyph spaces of any scale: an em is what makes their box as high as that of other fonts. */
function type3Em(dictionary: PDFDict, scale: number): number {
  const box = getRectangle(dictionary, 'FontBBox');
  const height = box ? (box.top - box.bottom) * scale : 0;
  if (scale >= 0.0009 && scale <= 0.0011 && (height === 0 || height > 3)) return usualType3Em;
  return height > 0 && Number.isFinite(height) ? height / usualBoxHeight : usualType3Em;
}

/** Collections of characters that Adobe has registered: pdf.js knows them. */
const registered = /^(GB1|CNS1|Japan1|Korea1)$/;

/** Whether the codes of a composite font mean characters. pdf.js would take them for code points otherwise. */
function canDecode(dictionary: PDFDict): boolean {
  if (getName(dictionary, 'Subtype') !== 'Type0') return true;
  if (dictionary.lookup(toUnicode) !== undefined) return true;
  const encoding = getName(dictionary, 'Encoding');
  if (encoding !== undefined && !encoding.startsWith('Identity')) return true;
  const descendant = asDict(getArray(dictionary, 'DescendantFonts')?.[0]);
  const ordering = getDict(descendant, 'CIDSystemInfo')?.lookup(orderingKey);
  return registered.test(String(ordering).replace(/^\((.*)\)$/, '$1'));
}

/** Ligatures and positional forms of letters, as fonts draw them. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]/;

function textOf({ unicode }: PdfjsGlyph): string {
  return presentationForms.test(unicode) ? unicode.normalize('NFKC') : unicode;
}
