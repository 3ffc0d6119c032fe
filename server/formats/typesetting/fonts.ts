import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Blob, Face, Font } from 'harfbuzzjs';

/** None of the fonts has code points from here on (private use and unassigned planes). */
const limit = 0x40000;

/** The code points that a font has glyphs for: one bit each, 32 KB. */
type Coverage = Uint8Array;

function coverageOf(codePoints: Iterable<number>): Coverage {
  const coverage = new Uint8Array(limit / 8);
  for (const codePoint of codePoints)
    if (codePoint < limit) coverage[codePoint >> 3]! |= 1 << (codePoint & 7);
  return coverage;
}

/** Characters that need no glyph: joiners, direction marks, variation selectors. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;

/** Whether the font can show the text as it is, composed or decomposed. Shaping composes and decomposes by itself. */
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

/**
 * The fonts for text, all TrueType and under the SIL Open Font License. They come from npm packages, or from `fonts/` if a
 * package is too large to install for one of its files.
 */
const files = {
  sans: '@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf',
  arabic: '@expo-google-fonts/noto-naskh-arabic/400Regular/NotoNaskhArabic_400Regular.ttf',
  devanagari: '@expo-google-fonts/noto-sans-devanagari/400Regular/NotoSansDevanagari_400Regular.ttf',
  thai: '@expo-google-fonts/noto-sans-thai/400Regular/NotoSansThai_400Regular.ttf',
  simplifiedChinese: './fonts/NotoSansSC-Regular.ttf',
  traditionalChinese: './fonts/NotoSansTC-Regular.ttf',
  japanese: './fonts/NotoSansJP-Regular.ttf',
  korean: './fonts/NotoSansKR-Regular.ttf',
  math: '@expo-google-fonts/noto-sans-math/400Regular/NotoSansMath_400Regular.ttf',
  symbols: '@expo-google-fonts/noto-sans-symbols/400Regular/NotoSansSymbols_400Regular.ttf',
  moreSymbols: '@expo-google-fonts/noto-sans-symbols-2/400Regular/NotoSansSymbols2_400Regular.ttf',
  emoji: '@expo-google-fonts/noto-emoji/400Regular/NotoEmoji_400Regular.ttf',
} as const;

export type FontName = keyof typeof files;

/** The fonts' names in PDF documents. */
export const postScriptNames: Record<FontName, string> = {
  sans: 'NotoSans-Regular',
  arabic: 'NotoNaskhArabic-Regular',
  devanagari: 'NotoSansDevanagari-Regular',
  thai: 'NotoSansThai-Regular',
  simplifiedChinese: 'NotoSansSC-Regular',
  traditionalChinese: 'NotoSansTC-Regular',
  japanese: 'NotoSansJP-Regular',
  korean: 'NotoSansKR-Regular',
  math: 'NotoSansMath-Regular',
  symbols: 'NotoSansSymbols-Regular',
  moreSymbols: 'NotoSansSymbols2-Regular',
  emoji: 'NotoEmoji-Regular',
};

export const fontNames = Object.keys(files) as FontName[];

const { resolve } = createRequire(import.meta.url);

/** Reads a font file's bytes, from disk on each call. Callers cache the result of their work. */
export function loadFont(name: FontName): Uint8Array {
  return readFileSync(resolve(files[name]));
}

/** Reads the HarfBuzz subsetter as WebAssembly. The package contains the file, but has no function that loads it. */
export function loadSubsetter(): Uint8Array {
  return readFileSync(resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'));
}

/** A font ready for shaping. */
interface OpenFont {
  font: Font;
  coverage: Coverage;
  unitsPerEm: number;
  /** The height above and depth below the baseline that its lines need, in em. Both are positive. */
  ascent: number;
  descent: number;
}

/** Never emptied: all fonts together need some 32 MB, and most processes use a few of them. */
const opened = new Map<FontName, OpenFont>();

/** Returns a font. Reads it from disk on first use. */
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
