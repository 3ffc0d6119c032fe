import { type Endings, type Inflection, matching, type Stem, type WordContext } from './paradigm.ts';

const pronouns = '(?:ه|ها|هم|هما|هن|ك|كم|كما|كن|ي|نا)?';
/** The endings of dual and sound plural forms, with attached pronouns. Before a pronoun, the final ن is dropped. */
const noun = matching(new RegExp(`^(?:ان|ين|ون|ات|ا|و|ي)?${pronouns}$`, 'u'));
const feminine = matching(new RegExp(`^(?:ة|ات${pronouns}|تان|تين|ت${pronouns})$`, 'u'));
const broken = matching(new RegExp(`^${pronouns}$`, 'u'));

const definite = /^ال(?=..)/u;

/**
 * Broken plurals, which change the inside of the word, by the shape of the singular. The groups of the patterns match
 * the letters of the root.
 */
const brokenPlurals: readonly [singular: RegExp, ...plurals: string[]][] = [
  [/^(.)([^اويى])(.)$/u, '$1$2و$3', 'ا$1$2ا$3', '$1$2ا$3'],
  [/^(.)(.)$/u, '$1$2و$2'],
  [/^(.)([^اويى])ا(.)$/u, 'ا$1$2$3ة'],
  [/^(.)([^اويى])ي(.)$/u, '$1$2$3اء', 'ا$1$2$3اء'],
  [/^(م)(.)ي(.)$/u, '$1$2$3اء'],
  [/^(.)([^اويى])و(.)$/u, '$1$2$3'],
  [/^(.)ا([^اويى])(.)$/u, '$1$2ا$3', '$1وا$2$3', '$1$2$3ة'],
  [/^(.)(.)[اي](.)ة$/u, '$1$2ائ$3'],
  [/^([^ا])([^اويى])([^اويى])([^اويىة])$/u, '$1$2ا$3$4'],
  [/^([^ا])([^اويى])([^اويى])([^اويىة])ة$/u, '$1$2ا$3$4'],
  [/^([^ا])([^اويى])([^اويى])[اوي](.)$/u, '$1$2ا$3ي$4'],
  [/^(.)ا([^اويى])[اوي](.)$/u, '$1وا$2ي$3'],
];

/**
 * Plurals that are listed by word, because many other words have the same shape. For example, كتب is the plural of
 * كتاب, but حسب is not the plural of حساب.
 */
const irregular: Readonly<Record<string, string>> = {
  كتاب: 'كتب',
  نظام: 'نظم',
  طريق: 'طرق',
  سبيل: 'سبل',
  جديد: 'جدد',
};

function stems(word: string, context: WordContext): Stem[] {
  const bare = word.replace(definite, '');
  const found: [string, Endings][] = [[bare, noun]];
  if (bare.endsWith('ة')) found.push([bare.slice(0, -1), feminine]);
  // For a short noun, the word with the feminine ending is another word: عقد, عقدة.
  else if (bare.startsWith('م') ? bare.length >= 4 : context.inPhrase && !context.last)
    found.push([bare, feminine]);
  if (context.inPhrase && context.last && !bare.endsWith('ة') && bare.endsWith('ي'))
    found.push([bare, feminine]);
  for (const [singular, ...plurals] of brokenPlurals)
    if (singular.test(bare))
      for (const plural of plurals) found.push([bare.replace(singular, plural), broken]);
  if (Object.hasOwn(irregular, bare)) found.push([irregular[bare]!, broken]);
  return found.map(([stem, endings]) => ({ stem, endings }));
}

export const arabic: Inflection = {
  stems,
  /** Particles and the article, as in وبالعقد. */
  before: /^(?:[وف]?(?:[بك]?ال|لل|[بكلس])?)$/u,
  equivalents: { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي' },
};
