import type { FontName } from './fonts.ts';

/** The style of a font, as far as the fonts of the service support it. */
export interface FontStyle {
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  italic: boolean;
}

const latinFonts = { serif: 'tinos', sans: 'arimo', mono: 'cousine' } as const;

/** Returns the font of a style for Latin, Greek and Cyrillic. All twelve styles have a file. */
export function latinFont({ family, bold, italic }: FontStyle): FontName {
  return `${latinFonts[family]}${bold ? 'Bold' : ''}${italic ? 'Italic' : ''}`;
}

const withBold = ['arabic', 'devanagari', 'thai'] as const;

/** Returns the bold font of a script, or the font itself if it only has a regular file. */
export function withWeight(font: FontName, bold: boolean): FontName {
  const base = withBold.find((name) => name === font);
  return bold && base ? `${base}Bold` : font;
}

/** Properties of a style that a font's file lacks. They are drawn instead. */
export interface DrawnStyle {
  bolder: boolean;
  slanted: boolean;
}

export function drawnStyle(font: FontName, { bold, italic }: { bold: boolean; italic: boolean }): DrawnStyle {
  return { bolder: bold && !font.includes('Bold'), slanted: italic && !font.endsWith('Italic') };
}
