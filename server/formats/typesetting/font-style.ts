import type { FontName } from './fonts.ts';

/** The looks of a font, as far as the fonts that come with the service can have them. */
export interface FontStyle {
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  italic: boolean;
}

const latinFonts = { serif: 'tinos', sans: 'arimo', mono: 'cousine' } as const;

/** Returns the font of a style for Latin, Greek and Cyrillic: all twelve styles have a file. */
export function latinFont({ family, bold, italic }: FontStyle): FontName {
  return `${latinFonts[family]}${bold ? 'Bold' : ''}${italic ? 'Italic' : ''}`;
}

const withBold = ['arabic', 'devanagari', 'thai'] as const;

/** Returns the bold font of a script, or the font itself if its only file is the regular one. */
export function withWeight(font: FontName, bold: boolean): FontName {
  const base = withBold.find((name) => name === font);
  return bold && base ? `${base}Bold` : font;
}

/** What a style asks for and a font's file does not have. It is drawn instead. */
export interface DrawnStyle {
  bolder: boolean;
  slanted: boolean;
}

export function drawnStyle(font: FontName, { bold, italic }: { bold: boolean; italic: boolean }): DrawnStyle {
  return { bolder: bold && !font.includes('Bold'), slanted: italic && !font.endsWith('Italic') };
}
