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
  return (
    coversAll(coverage, text) ||
    coversAll(coverage, text.normalize('NFC')) ||
    coversAll(coverage, text.normalize('NFD'))
  );
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

/**
 * The fonts for text, each with its file and its name in PDF documents. All are TrueType fonts under the SIL Open Font
 * License. The files come from npm packages. If a package is too large to install for one file, this file is in
 * `fonts/`.
 */
const files = {
  sans: [`${google}/noto-sans/400Regular/NotoSans_400Regular.ttf`, 'NotoSans-Regular'],
  light: [`${google}/noto-sans/300Light/NotoSans_300Light.ttf`, 'NotoSans-Light'],
  lightItalic: [`${google}/noto-sans/300Light_Italic/NotoSans_300Light_Italic.ttf`, 'NotoSans-LightItalic'],
  // The glyphs of Tinos, Arimo and Cousine have the same widths as those of Times, Arial and Courier.
  tinos: [`${google}/tinos/400Regular/Tinos_400Regular.ttf`, 'Tinos-Regular'],
  tinosBold: [`${google}/tinos/700Bold/Tinos_700Bold.ttf`, 'Tinos-Bold'],
  tinosItalic: [`${google}/tinos/400Regular_Italic/Tinos_400Regular_Italic.ttf`, 'Tinos-Italic'],
  tinosBoldItalic: [`${google}/tinos/700Bold_Italic/Tinos_700Bold_Italic.ttf`, 'Tinos-BoldItalic'],
  arimo: [`${google}/arimo/400Regular/Arimo_400Regular.ttf`, 'Arimo-Regular'],
  arimoBold: [`${google}/arimo/700Bold/Arimo_700Bold.ttf`, 'Arimo-Bold'],
  arimoItalic: [`${google}/arimo/400Regular_Italic/Arimo_400Regular_Italic.ttf`, 'Arimo-Italic'],
  arimoBoldItalic: [`${google}/arimo/700Bold_Italic/Arimo_700Bold_Italic.ttf`, 'Arimo-BoldItalic'],
  arimoMedium: [`${google}/arimo/500Medium/Arimo_500Medium.ttf`, 'Arimo-Medium'],
  arimoMediumItalic: [`${google}/arimo/500Medium_Italic/Arimo_500Medium_Italic.ttf`, 'Arimo-MediumItalic'],
  arimoSemiBold: [`${google}/arimo/600SemiBold/Arimo_600SemiBold.ttf`, 'Arimo-SemiBold'],
  arimoSemiBoldItalic: [
    `${google}/arimo/600SemiBold_Italic/Arimo_600SemiBold_Italic.ttf`,
    'Arimo-SemiBoldItalic',
  ],
  cousine: [`${google}/cousine/400Regular/Cousine_400Regular.ttf`, 'Cousine-Regular'],
  cousineBold: [`${google}/cousine/700Bold/Cousine_700Bold.ttf`, 'Cousine-Bold'],
  cousineItalic: [`${google}/cousine/400Regular_Italic/Cousine_400Regular_Italic.ttf`, 'Cousine-Italic'],
  cousineBoldItalic: [`${google}/cousine/700Bold_Italic/Cousine_700Bold_Italic.ttf`, 'Cousine-BoldItalic'],
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
} as const satisfies Record<string, readonly [file: string, postScriptName: string]>;

type OwnFontName = keyof typeof files;
export type FontName = OwnFontName | OperatorFontName;

export const fontNames = Object.keys(files) as OwnFontName[];

const { resolve } = createRequire(import.meta.url);

/** Reads the file of a font. The file is read on each call, so callers cache what they compute from it. */
export function loadFont(name: FontName): Uint8Array {
  return readFileSync(operatorFont(name)?.file ?? resolve(files[name as OwnFontName][0]));
}

/** Returns a font's name in PDF documents. */
export function postScriptName(name: FontName): string {
  return operatorFont(name)?.postScriptName ?? files[name as OwnFontName][1];
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
