import { accessSync, constants, statSync } from 'node:fs';

/** A font file of the operator, as its tables describe it. */
export interface OperatorFont {
  /** The absolute path of the file. */
  file: string;
  /** Its size and the time of its last change, as they were when it was checked. */
  version: string;
  /** The name of the font in PDF documents: letters, digits and hyphens. */
  postScriptName: string;
  /** The names of the family, as `familyName` returns them. */
  families: readonly string[];
  /** The weight class: 400 for regular letters, 700 for bold ones. */
  weight: number;
  isItalic: boolean;
  isCondensed: boolean;
}

export type OperatorFontName = `own${number}${'' | 'Italic'}`;

const fonts = new Map<OperatorFontName, OperatorFont>();
const matches = new Map<string, OperatorFontName | undefined>();
let given = '[]';
let count = 0;

/** Returns the size of a file and the time of its last change; undefined if it cannot be read. */
export function versionOf(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    const { size, mtimeMs } = statSync(file);
    return `${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}

/**
 * Sets the fonts that `matchingFont` finds, without those whose file was deleted or replaced since it was checked: texts
 * are then set in a font of the service. A name is never used again for another font.
 */
export function useOperatorFonts(checked: readonly OperatorFont[]): void {
  const found = checked.filter(({ file, version }) => versionOf(file) === version);
  const described = JSON.stringify(found);
  if (described === given) return;
  given = described;
  fonts.clear();
  matches.clear();
  for (const font of found) fonts.set(`own${count++}${font.isItalic ? 'Italic' : ''}`, font);
}

export function operatorFont(name: string): OperatorFont | undefined {
  return fonts.get(name as OperatorFontName);
}

/**
 * The maximum difference between the weight of a text and that of the font in which it is set (`own`), and between the
 * weight in the name of a font and how the font looks (`named`).
 */
const maxDifference = { own: 100, named: 200 };

const weights: readonly (readonly [words: RegExp, weight: number])[] = [
  [/thin|hairline/i, 100],
  [/(extra|ultra)-?light/i, 200],
  [/light|\bLt/i, 300],
  [/semi|demi|\bSb/i, 600],
  [/medium|\bMd/i, 500],
  [/(extra|ultra)-?bold|\bXBd/i, 800],
  [/black|heavy|\bBl?k|\bHv/i, 900],
];

const condensed = /cond|narrow|compress|\dCn|\bCn|Cd\b/i;

/** The properties of a PDF font that determine the matching font. */
interface NamedFont {
  name: string;
  bold: boolean;
  light?: boolean | undefined;
  italic: boolean;
}

/** The weight in the name of a font. It is more exact than the one in font files, which have 250 for all thin fonts. */
export function namedWeight(name: string): number | undefined {
  return weights.find(([words]) => words.test(styleOf(name)))?.[1];
}

/**
 * Returns the operator's font of the same family, slant and width whose weight is nearest to that of a PDF font.
 * Undefined if the weights differ much, because a regular text in a bold font would be worse than another family.
 */
export function matchingFont(font: NamedFont): OperatorFontName | undefined {
  if (fonts.size === 0 || font.name === '') return undefined;
  const key = `${font.bold} ${font.light} ${font.italic} ${font.name}`;
  if (matches.has(key)) return matches.get(key);
  const named = namedWeight(font.name);
  const usual = font.bold ? 700 : font.light ? 300 : 400;
  const wanted = named && Math.abs(named - usual) <= maxDifference.named ? named : usual;
  const family = familyName(font.name);
  const difference = (name: OperatorFontName): number => Math.abs(fonts.get(name)!.weight - wanted);
  const [nearest] = [...fonts]
    .filter(
      ([, { families, isItalic, isCondensed, weight }]) =>
        families.includes(family) &&
        isItalic === font.italic &&
        isCondensed === isCondensedName(font.name) &&
        Math.abs(weight - wanted) <= maxDifference.own,
    )
    .map(([name]) => name)
    .sort((one, other) => difference(one) - difference(other));
  // A page has few fonts. The limit bounds the memory for unusual files.
  if (matches.size < 1000) matches.set(key, nearest);
  return nearest;
}

/** Returns the family in a PostScript name or in a name for people, for comparisons. */
export function familyName(name: string): string {
  const [family = ''] = name.split(/[-,]/, 1);
  return family
    .replace(/(PS)?(MT)?$/, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

export function isCondensedName(name: string): boolean {
  return condensed.test(styleOf(name));
}

function styleOf(name: string): string {
  return name.slice(name.split(/[-,]/, 1)[0]!.length);
}
