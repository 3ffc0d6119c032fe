import { matchingFont, namedWeight } from '../operator-fonts.ts';
import type { FontName } from './fonts.ts';

/** The style of a font. Only properties that the fonts of this service support are included. */
export interface FontStyle {
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  /** Whether the letters are thinner than regular ones. Only text without serifs has such a font. */
  light?: boolean | undefined;
  italic: boolean;
  /** The font of the source, or one with its weight, if there is one. */
  face?: FontName | undefined;
}

const latinFonts = { serif: 'tinos', sans: 'arimo', mono: 'cousine' } as const;

/** Returns the font for Latin, Greek and Cyrillic text in this style. There is a file for each style. */
export function latinFont({ family, bold, light, italic }: FontStyle): FontName {
  if (light && !bold && family === 'sans') return italic ? 'lightItalic' : 'light';
  return `${latinFonts[family]}${bold ? 'Bold' : ''}${italic ? 'Italic' : ''}`;
}

/** Returns the font in which texts of a PDF font are set, if it is not the one for their style. */
export function faceOf(font: FontStyle & { name: string }): FontName | undefined {
  const { name, family, bold, italic } = font;
  const isMedium = family === 'sans' && [500, 600].includes(namedWeight(name) ?? 0);
  const medium = `arimo${bold ? 'SemiBold' : 'Medium'}${italic ? 'Italic' : ''}` as const;
  return matchingFont(font) ?? (isMedium ? medium : undefined);
}

const withBold = ['arabic', 'devanagari', 'thai'] as const;

/** Returns the bold font of a script if `bold` is set and there is one; otherwise the font itself. */
export function withWeight(font: FontName, bold: boolean): FontName {
  const base = withBold.find((name) => name === font);
  return bold && base ? `${base}Bold` : font;
}

/** The properties of a style that the file of the font does not have. They are imitated by drawing. */
export interface DrawnStyle {
  bolder: boolean;
  slanted: boolean;
}

export function drawnStyle(font: FontName, { bold, italic }: { bold: boolean; italic: boolean }): DrawnStyle {
  return { bolder: bold && !/Bold|^own/.test(font), slanted: italic && !font.endsWith('Italic') };
}
