import type { PDFDict } from '@cantoo/pdf-lib';
import { asDict, getArray, getDict, getNumber } from '../objects.ts';
import type { TextFont } from '../page-content.ts';
import type { PdfjsFont } from './pdfjs-texts.ts';

const mono = /mono|nimbusmon|courier|consol|typewriter|\bCMTT|^CMTT|Menlo|LetterGothic|Andale|fixed|code/i;
const serif =
  /times|serif|roman|georgia|garamond|palatino|minion|bookman|schoolbook|cambria|caslon|baskerville|didot|bodoni|charter|utopia|century|^CM(R|B|TI|BX|SL|CSC|MI|SY|EX)|^LM(Roman|R)|nimbusrom|song|ming|mincho|batang|naskh/i;
const sans =
  /sans|arial|helvet|verdana|tahoma|calibri|gothic|frutiger|univers|futura|myriad|segoe|roboto|lato|trebuchet|^CMSS|nimbussan|dejavu|heiti|inter|univers|grotesk/i;
const bold = /bold|^impact|black|heavy|demi|-Medi(?:$|Ital)|^CMBX|^CMB\d|\bBd\b|-Bd|,B/i;
const italic = /italic|oblique|slanted|-\w*Ital$|^CMTI|^CMSL|^CMBXTI|-It\b|-Obl|kursiv/i;

/** Bits of a font descriptor's /Flags: PDF 32000-1, table 123. */
const flags = { fixedPitch: 1 << 0, serif: 1 << 1, symbolic: 1 << 2, italic: 1 << 6, forceBold: 1 << 18 };

/** Describes the appearance of a font by its properties. The name of the font is used where it is more specific. */
export function textFont(dictionary: PDFDict, font: PdfjsFont | undefined): TextFont {
  const descendant = asDict(getArray(dictionary, 'DescendantFonts')?.[0]);
  const descriptor = getDict(descendant ?? dictionary, 'FontDescriptor');
  const bits = getNumber(descriptor, 'Flags') ?? 0;
  const name = (font?.name ?? '').replace(/^[A-Z]{6}\+/, '');
  const weight = getNumber(descriptor, 'FontWeight') ?? 400;
  return {
    name,
    family: familyOf(name, bits, font),
    bold: bold.test(name) || weight >= 600 || (bits & flags.forceBold) !== 0 || font?.bold === true,
    italic: italic.test(name) || (bits & flags.italic) !== 0 || font?.italic === true,
    ...heights(font, descriptor),
  };
}

/**
 * Returns the family of a font. The name is used before the flags, because many programs leave the flags at their
 * defaults.
 */
function familyOf(name: string, bits: number, font: PdfjsFont | undefined): TextFont['family'] {
  if (mono.test(name)) return 'mono';
  if (sans.test(name)) return 'sans';
  if (serif.test(name)) return 'serif';
  if ((bits & flags.fixedPitch) !== 0) return 'mono';
  if ((bits & flags.serif) !== 0 || font?.isSerifFont) return 'serif';
  return 'sans';
}

/**
 * Returns the ascent and descent of a font. Many fonts have no usable values, or give them in other units; these get
 * defaults.
 */
function heights(
  font: PdfjsFont | undefined,
  descriptor: PDFDict | undefined,
): Pick<TextFont, 'ascent' | 'descent'> {
  const sane = (value: number | undefined, least: number, most: number, usual: number): number => {
    if (value === undefined || !Number.isFinite(value) || value === 0) return usual;
    return Math.min(most, Math.max(least, Math.abs(value)));
  };
  const thousandths = (key: string): number | undefined => {
    const value = getNumber(descriptor, key);
    return value === undefined || value === 0 ? undefined : value / 1000;
  };
  return {
    ascent: sane(thousandths('Ascent') ?? font?.ascent, 0.6, 1.1, 0.8),
    descent: sane(thousandths('Descent') ?? font?.descent, 0.1, 0.4, 0.2),
  };
}
