import { familyName, matchingFont, namedWeight } from '../operator-fonts.ts';
import { type FontName, fontIn, type Typeface } from './fonts.ts';

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

/**
 * The typefaces that look like the fonts of a name, as `familyName` returns it. They are at least as similar as the
 * typeface of the family (null).
 */
const lookalikes: readonly (readonly [names: RegExp, typeface: Typeface | null])[] = [
  [/^(?:arial|helvetica|liberations|nimbus|times|courier)/, null],
  [/^(?:calibri|carlito|candara|myriad)/, 'carlito'],
  [/^(?:cambria(?!math)|caladea)/, 'caladea'],
  [/^(?:georgia|gelasio)/, 'gelasio'],
  [/^lato/, 'lato'],
  [/^(?:opensans|droidsans|segoeui|tahoma|frutiger|ebrima)(?!\w*(?:cond|mono|symbol|emoji))/, 'openSans'],
  [/^notosans(?!\w*(?:cond|mono|jp|kr|[sth][ck]$|symbol|emoji))/, 'notoSans'],
  [/^roboto(?!cond|flex|mono|serif|slab)/, 'roboto'],
  [/^(?:dejavusans|verdana|bitstreamverasans)(?!cond|mono)/, 'dejaVuSans'],
  [/^(?:cm(?:r|bx|b|ti|sl|bxti|bxsl|csc)\d|lmroman|cmuserif|sf(?:rm|bx|ti|sl|bi)\d)/, 'cmuSerif'],
  [/^(?:cmss|lmsans|sfss|cmusans)/, 'cmuSans'],
  [/^(?:cmtt|lmmono|sftt|cmutypewriter)/, 'cmuTypewriter'],
];

/** Returns the typeface that looks like the fonts of a name; undefined if the name is not known. */
export function typefaceNamed(name: string): Typeface | null | undefined {
  const family = familyName(name);
  return lookalikes.find(([names]) => names.test(family))?.[1];
}

/** Returns the font in which texts of a PDF font are set, if it is not the one for their style. */
export function faceOf(
  font: FontStyle & { name: string; typeface?: Typeface | null | undefined },
): FontName | undefined {
  const { name, family, bold, light, italic } = font;
  const own = matchingFont(font);
  if (own) return own;
  const named = family === 'sans' ? namedWeight(name) : undefined;
  const isMedium = named === 500 || named === 600;
  // A name may have the weight of the whole family before its own, so letters that look bold stay bolder.
  const weight = isMedium ? (bold ? 600 : 500) : bold ? 700 : light ? 300 : 400;
  const typeface = font.typeface ?? (isMedium ? 'arimo' : undefined);
  // Carlito has no light font. Those of Roboto have the weight of Calibri Light.
  return typeface && fontIn(typeface === 'carlito' && weight === 300 ? 'roboto' : typeface, weight, italic);
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
