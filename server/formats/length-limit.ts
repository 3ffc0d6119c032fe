import type { FontName } from './typesetting/fonts.ts';

/*
 * The longest translation for which a program, a form or a device has room: in characters, or in pixels of a font.
 */

/**
 * The unit of a limit: Unicode code points, grapheme clusters (what readers see as characters), or the width of a line in
 * pixels, such as `12px Arial` or `bold 9.5px Courier`.
 */
export type LengthUnit = 'characters' | 'graphemes' | `${string}px ${string}`;

export interface LengthLimit {
  most: number;
  unit: LengthUnit;
}

/** The largest limit. A comment with a larger number, such as the size of a database column, states none. */
export const maxLimit = 1_000_000;

/** The fonts with known widths, regular and bold: Arimo, Carlito, Cousine, Gelasio and Tinos are as wide as those that they replace. */
const families: Readonly<Record<string, readonly [regular: FontName, bold: FontName]>> = {
  arial: ['arimo', 'arimoBold'],
  helvetica: ['arimo', 'arimoBold'],
  times: ['tinos', 'tinosBold'],
  'times new roman': ['tinos', 'tinosBold'],
  courier: ['cousine', 'cousineBold'],
  'courier new': ['cousine', 'cousineBold'],
  calibri: ['carlito', 'carlitoBold'],
  georgia: ['gelasio', 'gelasioBold'],
  lato: ['lato', 'latoBold'],
  'noto sans': ['notoSans', 'notoSansBold'],
  'open sans': ['openSans', 'openSansBold'],
  roboto: ['roboto', 'robotoBold'],
};

const pixelUnit = /^(bold )?(\d{1,3}(?:\.\d{1,2})?)px (.+)$/i;

/** Returns the unit in the way that the service writes it; null if it is unknown. */
export function lengthUnitOf(written: string): LengthUnit | null {
  const unit = written.trim().toLowerCase();
  if (unit === 'characters' || unit === 'graphemes') return unit;
  const [, , size, family = ''] = pixelUnit.exec(unit) ?? [];
  return Number(size) > 0 && Object.hasOwn(families, family) ? (written.trim() as LengthUnit) : null;
}

/** For messages to people. */
export const lengthUnitsInWords =
  '`characters`, `graphemes`, or a size in pixels with a font, such as `12px Arial` or `bold 9px Courier`; the fonts are Arial, Calibri, Courier, Georgia, Helvetica, Lato, Noto Sans, Open Sans, Roboto and Times';

/**
 * Returns the length of a text in a unit; a text may have several paragraphs, which follow each other without a character in
 * between. In pixels, it is the width of the longest line, rounded up; a letter that the font does not have counts as one
 * em.
 */
export async function lengthIn(unit: LengthUnit, text: string | readonly string[]): Promise<number> {
  const paragraphs = typeof text === 'string' ? [text] : text;
  if (unit === 'characters') return [...paragraphs.join('')].length;
  if (unit === 'graphemes') return [...new Intl.Segmenter('en').segment(paragraphs.join(''))].length;
  const [, bold, size, family = ''] = pixelUnit.exec(unit) ?? [];
  const font = families[family.toLowerCase()]?.[bold ? 1 : 0] ?? 'arimo';
  const { advanceIn } = await import('./typesetting/fonts.ts');
  const widthOf = (line: string) =>
    [...line].reduce((sum, one) => sum + (/\p{M}|\p{Cf}/u.test(one) ? 0 : (advanceIn(font, one) ?? 1)), 0);
  const lines = paragraphs.flatMap((one) => one.split(/\r\n?|\n/));
  const widest = lines.reduce((most, line) => Math.max(most, widthOf(line)), 0);
  // A sum of fractions may be a little above a whole number.
  return Math.max(0, Math.ceil(widest * Number(size) - 1e-6));
}

/** Says a length in words: `12 characters`, `96 pixels (12px Arial)`. */
export function describeLength(length: number, unit: LengthUnit): string {
  if (unit === 'characters' || unit === 'graphemes')
    return `${length} ${length === 1 ? 'character' : 'characters'}`;
  return `${length} ${length === 1 ? 'pixel' : 'pixels'} (${unit})`;
}

const digits = String.raw`(\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+|\d{1,6})`;
const maximum = String.raw`(?:max(?:imum|imal)?(?:[-_. ]*(?:of|is))?|at most|limit(?:ed)?(?: (?:is|to|of))?|(?:no|not) (?:more|longer) than)`;
const named = String.raw`(?:max(?:imum)?[-_ ]?(?:length|len|chars?|characters)|(?:char(?:acter)?|length)[-_ ]?limit)(?: (?:is|of))?`;

/** Limits in the comments of developers: `max. 20 characters`, `Max length: 20`, `max-length:20`, `no more than 1,000 chars`. */
const inNotes = new RegExp(
  String.raw`\b${maximum}[-_.:= ]*${digits}[- ]*(?:chars?|characters?|letters|glyphs)\b(?! (?:of|per|in)\b)|\b${named}[-_.:= ]*${digits}(?![\d.,]*\d| ?(?:%|px|pixels?|r?em|pt|rows?|words?|bytes?|lines?|columns?)(?!\p{L}))`,
  'iu',
);

/**
 * Returns the limit that a comment states; undefined if it states none. A limit that the sources do not keep either is about
 * something else.
 */
export function limitInNotes(notes: string, sources: readonly string[] = []): LengthLimit | undefined {
  const [, before, behind] = inNotes.exec(notes.slice(0, 2000)) ?? [];
  const most = Number((before ?? behind ?? '0').replace(/\D/g, ''));
  return most > 0 && most <= maxLimit && sources.every((source) => [...source].length <= most)
    ? { most, unit: 'characters' }
    : undefined;
}
