import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * The fonts that text is set in, all TrueType and under the SIL Open Font License: from npm packages, and from
 * `fonts/` where a package is too large to install for one file of it.
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

/** A font file's bytes, read from disk at each call: who needs it again and again keeps what was made of it. */
export function loadFont(name: FontName): Uint8Array {
  return readFileSync(resolve(files[name]));
}

/** The HarfBuzz subsetter as WebAssembly; the package exports the file, but no function for it. */
export function loadSubsetter(): Uint8Array {
  return readFileSync(resolve('harfbuzzjs/dist/harfbuzz-subset.wasm'));
}
