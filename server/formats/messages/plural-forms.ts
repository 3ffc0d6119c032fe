import { hasVoidCode } from './inline-codes.ts';

/*
 * Plural categories of languages by the Unicode CLDR, from the data of the JavaScript engine. `cardinal` is for counts
 * ("2 files"), `ordinal` for ranks ("2nd file").
 */

export const pluralCategories = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;

/** The keys that describe a message of go-i18n next to its plural forms. */
export const describingKeys: ReadonlySet<string> = new Set([
  'id',
  'description',
  'hash',
  'leftDelim',
  'rightDelim',
]);

export type PluralCategory = (typeof pluralCategories)[number];

export type PluralType = 'cardinal' | 'ordinal';

const known = new Map<string, readonly PluralCategory[]>();

/**
 * Returns the plural categories of a language in the order of `pluralCategories`. Each language has `other`.
 *
 * @param language a supported language code
 */
export function categoriesOf(language: string, type: PluralType = 'cardinal'): readonly PluralCategory[] {
  const key = `${language} ${type}`;
  let categories = known.get(key);
  if (!categories) {
    const has = new Set(new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories);
    categories = pluralCategories.filter((category) => has.has(category));
    known.set(key, categories);
  }
  return categories;
}

/** The highest whole number that is tried as a sample. French and Spanish have a category for millions only. */
const samples = [...Array.from({ length: 201 }, (_, number) => number), 1_000_000];

/** Up to five samples of each category, by language and type. */
const knownSamples = new Map<string, Map<string, number[]>>();

/** Returns up to five whole numbers of a category, such as 2, 3, 4, 22 and 23; none if it has only fractions. */
export function samplesOf(language: string, category: string, type: PluralType = 'cardinal'): number[] {
  const key = `${language} ${type}`;
  let byCategory = knownSamples.get(key);
  if (!byCategory) {
    const rules = new Intl.PluralRules(language, { type });
    byCategory = Map.groupBy(samples, (number) => rules.select(number));
    for (const [name, numbers] of byCategory) byCategory.set(name, numbers.slice(0, 5));
    knownSamples.set(key, byCategory);
  }
  return byCategory.get(category) ?? [];
}

/** Describes a plural form for the model and the reviewer: `plural form “few”, for numbers such as 2, 3, 4`. */
export function describeForm(language: string, category: string, type: PluralType = 'cardinal'): string {
  const numbers = samplesOf(language, category, type);
  const name = `${type === 'ordinal' ? 'ordinal' : 'plural'} form “${category}”`;
  if (numbers.length > 0) return `${name}, for numbers such as ${numbers.join(', ')}`;
  // Rails and i18next use `zero` for 0 in all languages.
  return category === 'zero' ? `${name}, for the number 0` : `${name}, for fractions`;
}

/**
 * Returns the text of a source that a plural form of the target language is translated from: the form with the same
 * name, or `other` if that form is missing or empty, or else the last one with text. In English, `one` may be "a file" and show no number. In Russian, the
 * form `one` is for 21, too, so its source is `other`.
 */
export function sourceOfForm(
  forms: ReadonlyMap<string, string>,
  category: string,
  language: string,
  type: PluralType = 'cardinal',
): string {
  const filled = new Map([...forms].filter(([, text]) => text.trim() !== ''));
  const other = filled.get('other') ?? [...filled.values()].at(-1) ?? '';
  const own = filled.get(category) ?? other;
  const isForMany = samplesOf(language, category, type).length > 1;
  const shows = (text: string) => hasPlaceholder.test(text) || hasVoidCode(text);
  return isForMany && shows(other) && !shows(own) ? other : own;
}

const hasPlaceholder = /[%{#$]/;

/** The plural forms of a language in PO files: the header `Plural-Forms`, and the category of each form. */
interface PoPlurals {
  header: string;
  forms: readonly PluralCategory[];
}

const slavic = 'n%10>=2 && n%10<=4 && (n%100<12 || n%100>14)';

/**
 * The rules, as programs for gettext use them. They have the categories of the CLDR for whole numbers, but not its `many`
 * for millions in French, Spanish, Italian and Portuguese, which gettext has never had.
 */
const rules: readonly [languages: string, expression: string, ...forms: PluralCategory[]][] = [
  ['ja ko zh-Hans zh-Hant vi th id ms', '0', 'other'],
  ['fr fr-CA pt-BR hi fa', '(n > 1)', 'one', 'other'],
  ['ru uk', `(n%10==1 && n%100!=11 ? 0 : ${slavic} ? 1 : 2)`, 'one', 'few', 'many'],
  ['pl', `(n==1 ? 0 : ${slavic} ? 1 : 2)`, 'one', 'few', 'many'],
  ['cs', '(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2)', 'one', 'few', 'other'],
  ['sl', '(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3)', 'one', 'two', 'few', 'other'],
  ['ro', '(n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2)', 'one', 'few', 'other'],
  [
    'ar',
    '(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)',
    'zero',
    'one',
    'two',
    'few',
    'many',
    'other',
  ],
];

/** @param language a supported language code */
export function poPluralsOf(language: string): PoPlurals {
  const [, expression, ...forms] = rules.find(([languages]) => languages.split(' ').includes(language)) ?? [
    '',
    '(n != 1)',
    'one',
    'other',
  ];
  return { header: `nplurals=${forms.length}; plural=${expression};`, forms: forms as PluralCategory[] };
}
