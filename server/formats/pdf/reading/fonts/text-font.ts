import { type PDFDict, PDFStream } from '@cantoo/pdf-lib';
import { typefaceNamed } from '../../../typesetting/font-style.ts';
import { readTables, viewOf } from '../../../typesetting/truetype.ts';
import { asDict, decodeStream, get, getArray, getDict, getNumber } from '../../objects.ts';
import type { TextFont } from '../../page-content.ts';
import type { PdfjsFont } from '../pdfjs-texts.ts';
import type { MeasuredFace } from './measured-face.ts';
import {
  type MeasuredFamily,
  type MeasuredLetters,
  measuredFamily,
  measuredTypeface,
} from './measured-family.ts';

const mono =
  /mono|nimbusmon|courier|consol|typewriter|\bCMTT|^SFTT|Menlo|Letter ?Gothic|(?<![a-z])fixed|(?<!uni)code(?!2000)/i;
const serif =
  /times|serif|newroman|georgia|garamond|palatino|palladio|pagella|bonum|schola|antiqua|minion|bookman|schoolbook|cambria|caladea|constantia|caslon|baskerville|didot|bodoni|charter|utopia|century|libertin|termes|^CM(R|B|TI|BX|SL|CSC|MI|SY|EX)|^LM(Roman|R)|^SF(RM|TI|BX|SL|CC)|nimbusrom|song|simsun|ming|mincho|batang|naskh/i;
const sans =
  /sans|arial|helvet|verdana|tahoma|calibri|gothic|frutiger|univers|futura|myriad|segoe|roboto|lato|trebuchet|aptos|carlito|^CMSS|nimbussan|heros|biolinum|heiti|simhei|\binter|grotesk/i;
const bold =
  /bold|^impact|black|heavy|demi|-Medi(?:$|Ital)|^CMBX|^CMB\d|^CMSSBX|^CMTTBX|^SFBX|^Lin(?:Libertine|Biolinum)\w*B|\bBd\b|-[a-z]?Bd|-[a-z]?Hv|-[a-z]?Sb\b|-Blk|,B|\.BI?$/i;
/** A name may have the weight of the whole family before its own: Franklin-Thin-Medium. */
const light = /(?:light|thin|hairline|-Lt\b)(?!.*(?:medium|regular|book))/i;
/** Names of weights that are not bold in most families. */
const regular = /medium|regular|book(?!man)|-(?:Md|Rg)\b/i;
const italic =
  /italic|oblique|slanted|-\w*Ital$|^CMTI|^CMSL|^CMSSI|^CMBXTI|^SFTI|-\w{0,2}It\b|-\w{0,2}Obl|kursiv|^Lin(?:Libertine|Biolinum)\w*I$|\.B?I$/i;
/** Names of fonts that are upright although some of them have slanted strokes, such as those of handwriting. */
const upright = /(?:regular|roman)$/i;
/** The fonts of TeX for formulas. Their angle is that of single letters, not of a text. */
const formula = /^(?:CM|LM|New)\w*(?:MI|SY|EX|Math)/i;

/** The number of characters of a name that are read. The patterns take quadratic time for some names. */
const maxName = 200;
/** Bits of a font descriptor's /Flags: PDF 32000-1, table 123. */
const flags = { fixedPitch: 1 << 0, serif: 1 << 1, symbolic: 1 << 2, italic: 1 << 6, forceBold: 1 << 18 };
/** The width of the strokes above which a font is not light, whatever its name is: a variable font has one name. */
const maxLight = 0.11;
/** The width of the strokes below which a font does not look bold, whatever its name is: LetterGothic,Bold has 0.122. */
const minBold = 0.13;
/** The weight, in /FontWeight or a font file, from which a font is bold. Medium fonts have 500. */
const boldWeight = 600;
/** The range of plausible angles of an italic font in degrees; others are errors. */
const slant = { least: 2, most: 40 };

/**
 * Describes the appearance of a font. No part of a file is reliable: many programs write subset fonts without a name or
 * with the name of the family, and leave the flags and the width of stems at their defaults. So the weight and the slant
 * are those of the name, then those of the letters. If neither shows them, the font file and the flags may do.
 *
 * @param letters the widths of the font's letters; undefined if unknown
 * @param face what the outlines of the font's letters show; undefined if unknown
 * @param usual the family of a font of which only the flags are known; undefined if it is the one of the flags
 */
export function textFont(
  dictionary: PDFDict,
  font: PdfjsFont | undefined,
  letters?: MeasuredLetters,
  face?: MeasuredFace,
  usual?: 'serif' | 'sans',
): TextFont {
  const descriptor = descriptorOf(dictionary);
  const bits = getNumber(descriptor, 'Flags') ?? 0;
  const name = (font?.name ?? '').slice(0, maxName).replace(/^[A-Z]{6}\+/, '');
  const shown = face && !formula.test(name) ? face : declaredFace(name, bits, descriptor);
  const isLight = light.test(name) && (face?.stroke ?? 0) <= maxLight;
  const isBold = bold.test(name) && (face?.stroke ?? minBold) >= minBold;
  const weight = isBold ? 'bold' : isLight ? 'light' : shown.weight;
  const looks = {
    bold: weight === 'bold',
    italic: italic.test(name) || (shown.italic && !upright.test(name)),
  };
  const typeface = typefaceNamed(name);
  const family = familyOf(name, bits, font, face?.serif, measuredFamily(letters), usual);
  return {
    name,
    family,
    typeface: typeface === undefined ? measuredTypeface(letters, looks) : typeface,
    ...looks,
    light: weight === 'light' && family === 'sans',
    ...heights(font, descriptor, face?.rise),
  };
}

/**
 * Returns the face that a file declares. A name such as `Medium` overrides the flag, which only asks to thicken letters
 * at small sizes, and so does the font file, because regular fonts have the flag, too. The file is not read for other
 * fonts whose name is known. /StemV is not used: in regular and bold fonts it has the same range.
 */
function declaredFace(
  name: string,
  bits: number,
  descriptor: PDFDict | undefined,
): Omit<MeasuredFace, 'rise'> {
  const isFlagged = (bits & flags.forceBold) !== 0;
  const isNamed = [mono, serif, sans, bold, light, regular, italic].some((known) => known.test(name));
  const file = isNamed && !isFlagged ? undefined : embeddedStyle(descriptor);
  const isHeavy = (getNumber(descriptor, 'FontWeight') ?? 0) >= boldWeight;
  const isBold = isHeavy || (!regular.test(name) && (file?.bold ?? isFlagged));
  const angle = Math.abs(getNumber(descriptor, 'ItalicAngle') ?? 0);
  const isSlanted = angle >= slant.least && angle <= slant.most && !formula.test(name);
  return {
    weight: isBold ? 'bold' : 'regular',
    italic: (bits & flags.italic) !== 0 || isSlanted || (!isNamed && file?.italic === true),
  };
}

/**
 * Returns the family of a font: the one that the outlines of its letters show, otherwise the one of its name if this is
 * known, or the one of the widths of its letters. Flags are used last, because many programs leave them at their
 * defaults. Letters of different widths show that a font has no fixed width, whatever its name is.
 */
function familyOf(
  name: string,
  bits: number,
  font: PdfjsFont | undefined,
  hasSerifs: boolean | undefined,
  { family, isProportional }: MeasuredFamily,
  usual: 'serif' | 'sans' | undefined,
): TextFont['family'] {
  if (family === 'mono') return family;
  if (mono.test(name) && !isProportional) return 'mono';
  if (hasSerifs !== undefined) return hasSerifs ? 'serif' : 'sans';
  if (sans.test(name)) return 'sans';
  if (serif.test(name)) return 'serif';
  if (family) return family;
  if ((bits & flags.fixedPitch) !== 0 && !isProportional) return 'mono';
  return usual ?? ((bits & flags.serif) !== 0 || font?.isSerifFont ? 'serif' : 'sans');
}

/**
 * Returns the ascent and descent of a font. Many fonts have no usable values, or give them in other units; these get
 * defaults.
 */
function heights(
  font: PdfjsFont | undefined,
  descriptor: PDFDict | undefined,
  rise = 0,
): Pick<TextFont, 'ascent' | 'descent' | 'rise'> {
  const sane = (value: number | undefined, least: number, most: number, usual: number): number => {
    if (value === undefined || !Number.isFinite(value) || value === 0) return usual;
    return Math.min(most, Math.max(least, Math.abs(value)));
  };
  const thousandths = (key: string): number | undefined => {
    const value = getNumber(descriptor, key);
    return value === undefined || value === 0 ? undefined : value / 1000;
  };
  return {
    ascent: sane(thousandths('Ascent') ?? font?.ascent, 0.6, 1.1, 0.8) - rise,
    descent: sane(thousandths('Descent') ?? font?.descent, 0.1, 0.4, 0.2) + rise,
    ...(rise !== 0 && { rise }),
  };
}

/** Returns the descriptor of a font, which composite fonts have in their descendant. */
function descriptorOf(font: PDFDict): PDFDict | undefined {
  return getDict(asDict(getArray(font, 'DescendantFonts')?.[0]) ?? font, 'FontDescriptor');
}

/** The maximum size of a packed font file that is read, in bytes. Larger ones have thousands of ideographs. */
const maxBytes = 1_000_000;
/** Bits of `macStyle` in the table `head` of a TrueType font. */
const macStyle = { bold: 1, italic: 2 };

/** Whether an embedded TrueType font is bold or italic, by the tables of its file; undefined if they do not show it. */
function embeddedStyle(descriptor: PDFDict | undefined): { bold: boolean; italic: boolean } | undefined {
  const file = get(descriptor, 'FontFile2');
  if (!(file instanceof PDFStream) || file.getContentsSize() > maxBytes) return undefined;
  try {
    const tables = readTables(decodeStream(file));
    const [head, os2] = [tables.get('head'), tables.get('OS/2')];
    if (!head && !os2) return undefined;
    const bits = head ? viewOf(head).getUint16(44) : 0;
    const weight = os2 ? viewOf(os2).getUint16(4) : 0;
    return {
      bold: (bits & macStyle.bold) !== 0 || weight >= boldWeight,
      italic: (bits & macStyle.italic) !== 0,
    };
  } catch {
    // The font file is damaged.
    return undefined;
  }
}

const withoutOutlines = new WeakMap<PDFDict, boolean>();

/** Whether an embedded TrueType font draws nothing, except maybe for codes without a glyph: it makes a picture searchable. */
export function hasNoOutlines(font: PDFDict): boolean {
  const known = withoutOutlines.get(font);
  if (known !== undefined) return known;
  const file = get(descriptorOf(font), 'FontFile2');
  const isRead = file instanceof PDFStream && file.getContentsSize() <= maxBytes;
  withoutOutlines.set(font, isRead && isEmptyFile(decodeStream(file)));
  return withoutOutlines.get(font)!;
}

function isEmptyFile(file: Uint8Array): boolean {
  try {
    const tables = readTables(file);
    const [head, loca] = [tables.get('head'), tables.get('loca')];
    if (!head || !loca) return false;
    const isLong = viewOf(head).getUint16(50) !== 0;
    const ends = Array.from({ length: Math.floor(loca.length / (isLong ? 4 : 2)) }, (_, index) =>
      isLong ? viewOf(loca).getUint32(4 * index) : viewOf(loca).getUint16(2 * index),
    );
    return ends.filter((end, index) => index > 0 && end > ends[index - 1]!).length <= 1;
  } catch {
    // The font file is damaged.
    return false;
  }
}
