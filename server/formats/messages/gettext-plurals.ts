import type { PluralCategory } from './plural-forms.ts';

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
