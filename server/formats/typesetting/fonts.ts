import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Blob, Face, Font } from 'harfbuzzjs';
import { type OperatorFontName, operatorFont } from '../operator-fonts.ts';

/**
 * The first code point above those that the fonts contain. Above it, there are only private use and unassigned planes.
 */
const limit = 0x40000;

/** The set of code points for which a font has glyphs: one bit for each code point, 32 KB. */
type Coverage = Uint8Array;

function coverageOf(codePoints: Iterable<number>): Coverage {
  const coverage = new Uint8Array(limit / 8);
  for (const codePoint of codePoints)
    if (codePoint < limit) coverage[codePoint >> 3]! |= 1 << (codePoint & 7);
  return coverage;
}

/** Characters that need no glyph: joiners, direction marks, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/**
 * Whether the font can show the text, either composed or decomposed. Shaping converts between these forms
 * automatically.
 */
export function covers(coverage: Coverage, text: string): boolean {
  return coversComposed(coverage, text) || coversAll(coverage, text.normalize('NFD'));
}

/** Whether the font has the text as it is, or composed. It may not place separate accents correctly. */
export function coversComposed(coverage: Coverage, text: string): boolean {
  return coversAll(coverage, text) || coversAll(coverage, text.normalize('NFC'));
}

function coversAll(coverage: Coverage, text: string): boolean {
  for (const character of text) {
    const codePoint = character.codePointAt(0)!;
    if (codePoint >= limit) return false;
    if (!(coverage[codePoint >> 3]! & (1 << (codePoint & 7))) && !invisible.test(character)) return false;
  }
  return true;
}

const google = '@expo-google-fonts';

/** The file of a font, and its name in PDF documents. */
type FontFile = readonly [file: string, postScriptName: string];

/**
 * The typefaces for European text that come from packages, with the weights in use. All are upright and italic. Arimo,
 * Tinos and Cousine have the same widths as Arial, Times and Courier; Carlito, Caladea and Gelasio as Calibri, Cambria
 * and Georgia.
 */
const packaged = {
  arimo: ['Regular', 'Medium', 'SemiBold', 'Bold'],
  caladea: ['Regular', 'Bold'],
  carlito: ['Regular', 'Bold'],
  cousine: ['Regular', 'Bold'],
  gelasio: ['Regular', 'Bold'],
  lato: ['Light', 'Regular', 'Bold'],
  notoSans: ['Light', 'Regular', 'Medium', 'SemiBold', 'Bold'],
  openSans: ['Light', 'Regular', 'SemiBold', 'Bold'],
  roboto: ['Light', 'Regular', 'Medium', 'Bold'],
  tinos: ['Regular', 'Bold'],
} as const satisfies Record<string, readonly Weight[]>;

const weights = { Light: 300, Regular: 400, Medium: 500, SemiBold: 600, Bold: 700 } as const;
type Weight = keyof typeof weights;
type Style = `${'' | Exclude<Weight, 'Regular'>}${'' | 'Italic'}`;

/** The typefaces for European text whose files are in `fonts/`. */
const copied = {
  cmuSans: ['cmu-sans-serif-500-roman', 'CMUSansSerif'],
  cmuSansBold: ['cmu-sans-serif-700-roman', 'CMUSansSerif-Bold'],
  cmuSerif: ['cmu-serif-500-roman', 'CMUSerif-Roman'],
  cmuSerifBold: ['cmu-serif-700-roman', 'CMUSerif-Bold'],
  cmuSerifItalic: ['cmu-serif-500-italic', 'CMUSerif-Italic'],
  cmuSerifBoldItalic: ['cmu-serif-700-italic', 'CMUSerif-BoldItalic'],
  cmuTypewriter: ['cmu-typewriter-text-500-roman', 'CMUTypewriter-Regular'],
  dejaVuSans: ['DejaVuSans', 'DejaVuSans'],
  dejaVuSansBold: ['DejaVuSans-Bold', 'DejaVuSans-Bold'],
  dejaVuSansItalic: ['DejaVuSans-Oblique', 'DejaVuSans-Oblique'],
  dejaVuSansBoldItalic: ['DejaVuSans-BoldOblique', 'DejaVuSans-BoldOblique'],
} as const satisfies Record<string, FontFile>;

export const typefaces = [
  ...(Object.keys(packaged) as (keyof typeof packaged)[]),
  ...(['cmuSans', 'cmuSerif', 'cmuTypewriter', 'dejaVuSans'] as const),
];
export type Typeface = (typeof typefaces)[number];

/** The fonts of other scripts, of symbols and of light letters. */
const others = {
  sans: [`${google}/noto-sans/400Regular/NotoSans_400Regular.ttf`, 'NotoSans-Regular'],
  light: [`${google}/noto-sans/300Light/NotoSans_300Light.ttf`, 'NotoSans-Light'],
  lightItalic: [`${google}/noto-sans/300Light_Italic/NotoSans_300Light_Italic.ttf`, 'NotoSans-LightItalic'],
  arabic: [
    `${google}/noto-naskh-arabic/400Regular/NotoNaskhArabic_400Regular.ttf`,
    'NotoNaskhArabic-Regular',
  ],
  arabicBold: [`${google}/noto-naskh-arabic/700Bold/NotoNaskhArabic_700Bold.ttf`, 'NotoNaskhArabic-Bold'],
  devanagari: [
    `${google}/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf`,
    'NotoSansDevanagari-Regular',
  ],
  devanagariBold: [
    `${google}/noto-sans-devanagari/700Bold/NotoSansDevanagari_700Bold.ttf`,
    'NotoSansDevanagari-Bold',
  ],
  thai: [`${google}/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf`, 'NotoSansThai-Regular'],
  thaiBold: [`${google}/noto-sans-thai/700Bold/NotoSansThai_700Bold.ttf`, 'NotoSansThai-Bold'],
  simplifiedChinese: ['./fonts/NotoSansSC-Regular.ttf', 'NotoSansSC-Regular'],
  traditionalChinese: ['./fonts/NotoSansTC-Regular.ttf', 'NotoSansTC-Regular'],
  japanese: ['./fonts/NotoSansJP-Regular.ttf', 'NotoSansJP-Regular'],
  korean: ['./fonts/NotoSansKR-Regular.ttf', 'NotoSansKR-Regular'],
  math: [`${google}/noto-sans-math/400Regular/NotoSansMath_400Regular.ttf`, 'NotoSansMath-Regular'],
  symbols: [
    `${google}/noto-sans-symbols/400Regular/NotoSansSymbols_400Regular.ttf`,
    'NotoSansSymbols-Regular',
  ],
  moreSymbols: [
    `${google}/noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf`,
    'NotoSansSymbols2-Regular',
  ],
  emoji: [`${google}/noto-emoji/400Regular/NotoEmoji_400Regular.ttf`, 'NotoEmoji-Regular'],
} as const satisfies Record<string, FontFile>;

type OwnFontName = keyof typeof others | `${Typeface}${Style}`;
export type FontName = OwnFontName | OperatorFontName;

/** Returns the fonts of a typeface in a package. */
function inPackage([typeface, names]: [string, readonly Weight[]]): [string, FontFile][] {
  const folder = typeface.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const family = `${typeface[0]!.toUpperCase()}${typeface.slice(1)}`;
  return names.flatMap((name) =>
    ['', 'Italic'].map((slant): [string, FontFile] => {
      const style = `${weights[name]}${name}${slant && `_${slant}`}`;
      const file = `${google}/${folder}/${style}/${family}_${style}.ttf`;
      return [
        `${typeface}${name === 'Regular' ? '' : name}${slant}`,
        [file, `${family}-${name}${slant}`.replace('RegularItalic', 'Italic')],
      ];
    }),
  );
}

/**
 * The fonts for text. All are TrueType fonts under the SIL Open Font License, except DejaVu Sans, which has the license
 * of Bitstream Vera. The files come from npm packages. If a package is too large to install for a few files, these are
 * in `fonts/`.
 */
const files = new Map([
  ...Object.entries(packaged).flatMap(inPackage),
  ...Object.entries(copied).map(([name, [file, own]]): [string, FontFile] => [
    name,
    [`./fonts/${file}.ttf`, own],
  ]),
  ...Object.entries<FontFile>(others),
]) as ReadonlyMap<string, FontFile> as ReadonlyMap<OwnFontName, FontFile>;

export const fontNames = [...files.keys()];

/**
 * Returns the font of a typeface whose weight is nearest: 400 for regular letters, 700 for bold ones. It is upright if
 * the typeface has no italic font.
 */
export function fontIn(typeface: Typeface, weight: number, italic: boolean): FontName {
  const styles = Object.entries(weights)
    .sort(([, one], [, other]) => Math.abs(one - weight) - Math.abs(other - weight))
    .map(([name]) => (name === 'Regular' ? '' : (name as Exclude<Weight, 'Regular'>)));
  const slants = italic ? (['Italic', ''] as const) : ([''] as const);
  const names = slants.flatMap((slant) => styles.map((style): OwnFontName => `${typeface}${style}${slant}`));
  return names.find((name) => files.has(name))!;
}

const { resolve } = createRequire(import.meta.url);

/** Reads the file of a font. The file is read on each call, so callers cache what they compute from it. */
export function loadFont(name: FontName): Uint8Array {
  return readFileSync(operatorFont(name)?.file ?? resolve(files.get(name as OwnFontName)![0]));
}

/** Returns a font's name in PDF documents. */
export function postScriptName(name: FontName): string {
  return operatorFont(name)?.postScriptName ?? files.get(name as OwnFontName)![1];
}

/**
 * Reads the WebAssembly code of the HarfBuzz subsetter. The package contains this file, but has no function that loads
 * it.
 */
export function loadSubsetter(): Uint8Array {
  return readFileSync(resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'));
}

/** A font that is ready for shaping. */
interface OpenFont {
  font: Font;
  coverage: Coverage;
  unitsPerEm: number;
  /**
   * The height above the baseline and (`descent`) the depth below it that lines in this font need, in em. Both are
   * positive.
   */
  ascent: number;
  descent: number;
}

/** The opened fonts. They are never removed: all fonts together need about 32 MB, and most processes use only a few. */
const opened = new Map<FontName, OpenFont>();

/** Returns an opened font. Reads its file on first use. */
export function openFont(name: FontName): OpenFont {
  let open = opened.get(name);
  if (!open) {
    const face = new Face(new Blob(loadFont(name)));
    const font = new Font(face);
    const { ascender, descender } = font.hExtents();
    open = {
      font,
      coverage: coverageOf(face.collectUnicodes()),
      unitsPerEm: face.upem,
      ascent: ascender / face.upem,
      descent: -descender / face.upem,
    };
    opened.set(name, open);
  }
  return open;
}

const advances = new Map<FontName, Map<string, number | null>>();

/** Returns the width of a character in a font, in em; null if the font does not have the character. */
export function advanceIn(name: FontName, character: string): number | null {
  const known = advances.get(name) ?? new Map<string, number | null>();
  advances.set(name, known);
  let advance = known.get(character);
  if (advance === undefined) {
    const { font, unitsPerEm } = openFont(name);
    const glyph = font.nominalGlyph(character.codePointAt(0)!);
    advance = glyph === undefined ? null : font.glyphHAdvance(glyph) / unitsPerEm;
    known.set(character, advance);
  }
  return advance;
}
