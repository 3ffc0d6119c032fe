import type { LanguageCode } from '#server/languages.ts';

export const scripts = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Arabic',
  'Devanagari',
  'Thai',
  'Hangul',
  'Kana',
  'Han',
  'Other',
] as const;

/** A script of the supported languages; every other one is `Other`. */
export type Script = (typeof scripts)[number];

/** How many Latin letters one letter stands for. Makes the lengths of translations into 35 languages comparable. */
const weights: Partial<Record<Script, number>> = { Han: 3.5, Hangul: 2.3, Kana: 1.6, Arabic: 1.2 };

export function letterWeight(script: Script): number {
  return weights[script] ?? 1;
}

/** First and last code unit of each run of letters, in order. Between them stand digits, marks and punctuation. */
const ranges: readonly (readonly [first: number, last: number, script: Script])[] = [
  [0x41, 0x5a, 'Latin'],
  [0x61, 0x7a, 'Latin'],
  [0xc0, 0xd6, 'Latin'],
  [0xd8, 0xf6, 'Latin'],
  [0xf8, 0x2af, 'Latin'],
  [0x370, 0x373, 'Greek'],
  [0x37b, 0x37d, 'Greek'],
  [0x386, 0x386, 'Greek'],
  [0x388, 0x3ff, 'Greek'],
  [0x400, 0x481, 'Cyrillic'],
  [0x48a, 0x52f, 'Cyrillic'],
  [0x531, 0x556, 'Other'],
  [0x561, 0x587, 'Other'],
  [0x5d0, 0x5ea, 'Other'],
  [0x620, 0x64a, 'Arabic'],
  [0x66e, 0x6d3, 'Arabic'],
  [0x6fa, 0x6fc, 'Arabic'],
  [0x710, 0x74f, 'Other'],
  [0x750, 0x77f, 'Arabic'],
  [0x780, 0x89f, 'Other'],
  [0x8a0, 0x8c9, 'Arabic'],
  [0x904, 0x939, 'Devanagari'],
  [0x958, 0x961, 'Devanagari'],
  [0x971, 0x97f, 'Devanagari'],
  [0x980, 0xdff, 'Other'],
  [0xe01, 0xe30, 'Thai'],
  [0xe32, 0xe33, 'Thai'],
  [0xe40, 0xe45, 'Thai'],
  [0xe81, 0xeff, 'Other'],
  [0xf00, 0x10ff, 'Other'],
  [0x1100, 0x11ff, 'Hangul'],
  [0x1200, 0x1dff, 'Other'],
  [0x1e00, 0x1eff, 'Latin'],
  [0x1f00, 0x1fff, 'Greek'],
  [0x2c00, 0x2dff, 'Other'],
  [0x3041, 0x3096, 'Kana'],
  [0x30a1, 0x30fa, 'Kana'],
  [0x30fc, 0x30fe, 'Kana'],
  [0x3131, 0x318e, 'Hangul'],
  [0x31f0, 0x31ff, 'Kana'],
  [0x3400, 0x4dbf, 'Han'],
  [0x4e00, 0x9fff, 'Han'],
  [0xa000, 0xabff, 'Other'],
  [0xac00, 0xd7a3, 'Hangul'],
  // Of a pair of surrogates the first alone is looked at: the planes of the rarer characters.
  [0xd840, 0xd88d, 'Han'],
  [0xf900, 0xfaff, 'Han'],
  [0xfb50, 0xfdff, 'Arabic'],
  [0xfe70, 0xfefc, 'Arabic'],
  [0xff21, 0xff3a, 'Latin'],
  [0xff41, 0xff5a, 'Latin'],
  [0xff66, 0xff9d, 'Kana'],
];

/** One more than the script's place in `scripts`, by code unit; 0 for what is no letter. */
const table = new Uint8Array(0x1_0000);
for (const [first, last, script] of ranges) table.fill(scripts.indexOf(script) + 1, first, last + 1);

/** What each code unit weighs: a letter its script's weight, every other visible character 1. */
const unitWeights = new Float32Array(0x1_0000).fill(1);
for (const [first, last, script] of ranges) unitWeights.fill(letterWeight(script), first, last + 1);
// Spaces, marks on letters, and the second of a pair of surrogates, which belongs to the first.
const weightless = [
  [0, 0x20],
  [0x7f, 0xa0],
  [0x300, 0x36f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x3000, 0x3000],
  [0xdc00, 0xdfff],
];
for (const [first, last] of weightless) unitWeights.fill(0, first, last! + 1);

/** The length of `text` in Latin letters: its visible characters, each by its weight. */
export function weightedLength(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) length += unitWeights[text.charCodeAt(at)]!;
  return length;
}

/** The script of the letter that a UTF-16 code unit is or begins; undefined for all else. */
export function scriptOf(codeUnit: number): Script | undefined {
  return scripts[table[codeUnit]! - 1];
}

/** Whether a UTF-16 code unit is a letter or begins one. */
export function isLetter(codeUnit: number): boolean {
  return table[codeUnit] !== 0;
}

/** How many letters of each script `text` has. */
export function countLetters(text: string): Record<Script, number> {
  const counts = new Uint32Array(scripts.length + 1);
  for (let at = 0; at < text.length; at++) counts[table[text.charCodeAt(at)]!]!++;
  return Object.fromEntries(scripts.map((script, at) => [script, counts[at + 1]!])) as Record<Script, number>;
}

const written: Partial<Record<LanguageCode, readonly Script[]>> = {
  'zh-Hans': ['Han'],
  'zh-Hant': ['Han'],
  ja: ['Han', 'Kana'],
  ko: ['Hangul'],
  ar: ['Arabic'],
  fa: ['Arabic'],
  ur: ['Arabic'],
  ru: ['Cyrillic'],
  uk: ['Cyrillic'],
  hi: ['Devanagari'],
  mr: ['Devanagari'],
  ne: ['Devanagari'],
  th: ['Thai'],
  el: ['Greek'],
};

/** The scripts that a language of B 2.4 is written in. */
export function scriptsOf(language: string): readonly Script[] {
  return written[language as LanguageCode] ?? ['Latin'];
}

/** Whether the letter at `at` is inside a word. False in scripts without spaces. */
export function isInsideWord(text: string, at: number): boolean {
  const script = at > 0 ? scriptOf(text.charCodeAt(at)) : undefined;
  if (
    script === undefined ||
    script === 'Han' ||
    script === 'Kana' ||
    script === 'Hangul' ||
    script === 'Thai'
  )
    return false;
  return scriptOf(text.charCodeAt(at - 1)) === script;
}
