import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from './normal-form.ts';

/** The quotation marks of a language, as most of its books have them. */
const quotes: Partial<Record<LanguageCode, readonly [string, string]>> = {
  ...{ fr: ['« ', ' »'], 'fr-CA': ['« ', ' »'], es: ['«', '»'], it: ['«', '»'], 'pt-PT': ['«', '»'] },
  ...{ ru: ['«', '»'], uk: ['«', '»'], el: ['«', '»'], nb: ['«', '»'], fa: ['«', '»'] },
  ...{ de: ['„', '“'], cs: ['„', '“'], pl: ['„', '”'], ro: ['„', '”'], hu: ['„', '”'] },
  ...{ sv: ['”', '”'], fi: ['”', '”'], ja: ['「', '」'], 'zh-Hant': ['「', '」'] },
};
const english = ['“', '”'] as const;
const quotesOf = (language: string) => quotes[language as LanguageCode] ?? english;

/** The kinds of marks that have several spellings, each with a pattern of the spellings and their plain one. */
const marks = {
  ellipsis: { typographic: /…/g, plain: /\.\.\./g },
  single: { typographic: /[‘’‚‛ʼ´′‹›]/g, plain: /'/g },
  double: { typographic: /[“”„‟«»″]/g, plain: /"/g },
  spacedDash: {
    typographic: /(?<=[^\S\n])[–—―−](?=[^\S\n])/g,
    plain: /(?<=[^\S\n])--?(?=[^\S\n])/g,
  },
  dash: { typographic: /[‒–—―−]/g, plain: /-/g },
} as const;

/** Characters that only divide words or join letters for print. */
const printed = /[\u00ad\u200b\u2060\ufeff]/g;
const ligatures = /[\ufb00-\ufb06]/g;

/**
 * Returns the normal form of a text with plain marks only: `'` and `"` for apostrophes and quotation marks, `-` for
 * dashes, `...` for an ellipsis, no soft hyphens and no ligatures. Texts that differ only in typography have the same.
 */
export function plainTypography(text: string, language: string): string {
  const letters = normalForm(text.replace(printed, '').replace(ligatures, (one) => one.normalize('NFKC')));
  const inner = language.startsWith('fr') ? letters.replace(/« /g, '«').replace(/ »/g, '»') : letters;
  return inner
    .replace(/[‐‑]/g, '-')
    .replace(marks.ellipsis.typographic, '...')
    .replace(marks.single.typographic, "'")
    .replace(marks.double.typographic, '"')
    .replace(/(?<= )--(?= )/g, '-')
    .replace(marks.dash.typographic, '-');
}

/** Matches a text that may have another spelling. */
const hasMarks = /['"´ʼ«»‐-―‘-‟′″‹›…−\u00ad\u200b\u2060\ufb00-\ufb06\ufeff]|\.\.\.|\s--?\s|\d-\d/;

/** Maximum number of spellings of one text that are looked up. */
const maxSpellings = 24;

/**
 * Returns the normal forms in which a memory may have a text, plain ones first: each kind of mark has one spelling in the
 * whole text. Texts that differ in typography only have the same. None for a text that has no such mark.
 */
export function spellings(text: string, language: string): string[] {
  if (!hasMarks.test(text)) return [];
  const plain = plainTypography(text, language);
  const ways: ((one: string) => string)[][] = [
    [same, (one) => one.replace(marks.ellipsis.plain, '…')],
    [same, curlySingle],
    [same, (one) => pairQuotes(one, english), (one) => pairQuotes(one, quotesOf(language))],
    [same, ...['–', '—'].map((dash) => (one: string) => one.replace(marks.spacedDash.plain, dash))],
    [same, (one) => one.replace(/(?<=\d)-(?=\d)/g, '–')],
  ];
  let spelled = new Set([plain]);
  for (const kind of ways) spelled = new Set(kind.flatMap((way) => [...spelled].map(way)));
  // French spaces within quotation marks are white space of any kind.
  return [...new Set([...spelled].map(normalForm))].filter((one) => one !== '').slice(0, maxSpellings);
}

const same = (text: string): string => text;

function curlySingle(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{N}])'(?=[\p{L}\p{N}])(?=[^']*[\p{L}\p{N}.,!?]'(?![\p{L}\p{N}]))/gu, '‘')
    .replace(marks.single.plain, '’');
}

/** Sets the quotation marks of a language for straight ones, if these are pairs. Those in tags stay. */
function pairQuotes(text: string, [open, close]: readonly [string, string]): string {
  const parts = text.split(/(<[^<>]*>)/);
  const straight = parts.reduce((sum, part, at) => sum + (at % 2 ? 0 : part.split('"').length - 1), 0);
  if (straight === 0 || straight % 2 === 1) return text;
  let count = 0;
  return parts
    .map((part, at) => (at % 2 ? part : part.replace(/"/g, () => (count++ % 2 === 0 ? open : close))))
    .join('');
}

/**
 * Returns the translation of a stored text with the typography of another text that differs from the stored one in
 * typography only: for each kind of mark that the two spell differently, the translation gets plain marks or those of
 * its language, as the text has. Apostrophes are changed within words only, and marks in tags stay.
 */
export function withTypographyOf(
  text: string,
  stored: { sourceText: string; targetText: string },
  targetLang: string,
): string {
  const wants = (kind: keyof typeof marks): 'typographic' | 'plain' | null => {
    const has = (one: string, way: 'typographic' | 'plain') => one.search(marks[kind][way]) >= 0;
    for (const [way, other] of [
      ['typographic', 'plain'],
      ['plain', 'typographic'],
    ] as const)
      if (
        has(text, way) &&
        !has(text, other) &&
        has(stored.sourceText, other) &&
        !has(stored.sourceText, way)
      )
        return way;
    return null;
  };
  let target = stored.targetText;
  const change = (
    kind: keyof typeof marks,
    typographic: (one: string) => string,
    plain: (one: string) => string,
  ) => {
    const wanted = wants(kind);
    if (wanted !== null) target = wanted === 'typographic' ? typographic(target) : plain(target);
  };
  change(
    'ellipsis',
    (one) => outsideTags(one, '\\.\\.\\.', '…'),
    (one) => outsideTags(one, '…', '...'),
  );
  const inWord = (mark: string) => `(?<=\\p{L}(?:<[^<>]*>)*)${mark}(?=(?:<[^<>]*>)*\\p{L})`;
  change(
    'single',
    (one) => outsideTags(one, inWord("'"), '’'),
    (one) => outsideTags(one, inWord('’'), "'"),
  );
  change(
    'double',
    (one) => pairQuotes(one, quotesOf(targetLang).map(unbroken) as [string, string]),
    plainDouble,
  );
  const [dash] = text.match(marks.spacedDash.typographic) ?? ['–'];
  change(
    'spacedDash',
    (one) => one.replace(marks.spacedDash.plain, dash),
    (one) => one.replace(marks.spacedDash.typographic, '-'),
  );
  return target;
}

/** Replaces marks, but not those in tags. */
function outsideTags(text: string, mark: string, by: string): string {
  return text.replace(new RegExp(`<[^<>]*>|${mark}`, 'gu'), (found) => (found.startsWith('<') ? found : by));
}

/** French quotation marks are not parted from their words at the end of a line. */
const unbroken = (mark: string): string => mark.replace(' ', '\u00a0');

function plainDouble(text: string): string {
  return text
    .replace(/«[\u0020\u00a0\u202f]/g, '«')
    .replace(/[\u0020\u00a0\u202f]»/g, '»')
    .replace(marks.double.typographic, '"');
}
