import type { LanguageCode } from '#server/languages.ts';

/** How single UTF-16 units are compared. Both functions return `dropped` for a unit that is ignored. */
export interface Letters {
  /** Returns the unit in the form for comparisons, with its letter case. */
  cased(unit: number): number;
  /** Returns a unit, which must come from `cased`, without its letter case. */
  uncased(unit: number): number;
}

export const dropped = 0;
export const space = 0x20;
export const apostrophe = 0x27;
export const hyphen = 0x2d;
const quotationMark = 0x22;

/**
 * Marks an entry of a table that has not been computed yet. Entries are computed when their unit occurs. U+FFFF never
 * occurs in a text.
 */
const unknown = 0xffff;

const tables = new Map<string, Letters>();

/** Returns the letters of a language. Languages without special spelling rules share a table. */
export function lettersOf(language: LanguageCode): Letters {
  const own = language in spellings || keepsNonJoiner.has(language) || language === 'tr';
  const key = own ? language : joinerIsShape.has(language) ? 'joined' : '';
  const known = tables.get(key);
  if (known) return known;
  const letters = lettersFor(language);
  tables.set(key, letters);
  return letters;
}

function lettersFor(language: LanguageCode): Letters {
  const cased = new Uint16Array(0x10000).fill(unknown);
  const uncased = new Uint16Array(0x10000).fill(unknown);
  const lookUp = (table: Uint16Array, unit: number, read: (unit: number) => number): number => {
    const found = table[unit]!;
    if (found !== unknown) return found;
    const letter = read(unit);
    table[unit] = letter === unknown ? 0xfffd : letter;
    return table[unit]!;
  };
  const readCased = (unit: number) => casedUnit(unit, language);
  const readUncased = (unit: number) => uncasedUnit(unit, language);
  return {
    cased: (unit) => lookUp(cased, unit, readCased),
    uncased: (unit) => lookUp(uncased, unit, readUncased),
  };
}

function casedUnit(unit: number, language: LanguageCode): number {
  if ((unit & 0xf800) === 0xd800) return unit;
  const character = String.fromCharCode(unit);
  if (character === '\u200c' && keepsNonJoiner.has(language)) return unit;
  if (character === '\u200d' && !joinerIsShape.has(language)) return unit;
  if (invisible.test(character)) return dropped;
  if (/\p{White_Space}/u.test(character)) return space;
  if (/[\u02bc\u00b4\u2018\u2019\u201b\u2032]/.test(character)) return apostrophe;
  if (/[\u201c-\u201f\u00ab\u00bb\u2033]/.test(character)) return quotationMark;
  if (/[\u2010-\u2013\u2212]/.test(character)) return hyphen;
  const narrow = width.test(character) ? character.normalize('NFKC') : character;
  const spelled = spellings[language]?.[narrow] ?? narrow;
  return spelled.length === 1 ? spelled.charCodeAt(0) : unit;
}

/**
 * Removes the letter case of a unit by simple case folding, which maps one unit to one unit. Therefore ß does not equal
 * ss, while Σ, σ and ς are equal. İ becomes i, and in Turkish I becomes ı; in the Unicode standard, İ has no simple
 * folding.
 */
function uncasedUnit(unit: number, language: LanguageCode): number {
  const character = String.fromCharCode(unit);
  if (character === 'İ') return 0x69;
  if (language === 'tr' && (character === 'I' || character === 'ı')) return 0x131;
  if (character === '\u0345') return unit;
  const upper = character.toUpperCase();
  const lower = (upper.length === 1 ? upper : character).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/**
 * Characters that affect the shape or direction of a text but not its spelling: soft hyphen, joiners, direction marks,
 * variation selectors, the Arabic tatweel, vowel signs and signs of recitation.
 */
const invisible = new RegExp(
  [
    '[\\0\\u00ad\\u061c\\u0640\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff]',
    '[\\u034f\\u0610-\\u061a\\u064b-\\u0652\\u0656-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e8\\u06ea-\\u06ed\\ufe00-\\ufe0f]',
  ].join('|'),
);

/**
 * Full-width ASCII and signs, and half-width katakana. Half-width Hangul is left out, because it is not in use today.
 */
const width = /[\uff01-\uff5e\uff61-\uff9f\uffe0-\uffe6]/;

/** Languages in which the zero-width non-joiner belongs to the spelling; it ends a part of a word. */
const keepsNonJoiner: ReadonlySet<string> = new Set(['fa', 'ur']);

/**
 * Languages in which the zero-width joiner only selects the shape of letters, so it is ignored. In other languages it
 * combines several emoji into one.
 */
const joinerIsShape: ReadonlySet<string> = new Set(['ar', 'fa', 'ur', 'hi', 'mr', 'ne']);

/**
 * Letters that keyboards or old encodings produce instead of a letter of the language, each with the correct letter.
 */
const spellings: Partial<Record<LanguageCode, Record<string, string>>> = {
  ro: { ş: 'ș', ţ: 'ț', Ş: 'Ș', Ţ: 'Ț' },
  fa: { ي: 'ی', ى: 'ی', ك: 'ک' },
  ur: { ي: 'ی', ى: 'ی', ك: 'ک', ه: 'ہ' },
};
