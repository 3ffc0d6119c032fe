import type { TaskStyle } from '#server/platform/engines/engine.ts';
import type { Range } from '../integrity/found.ts';

type Formality = NonNullable<TaskStyle['formality']>;

/** Matches the words of a list: in lower case or with a capital, not in capitals only, because these are abbreviations. */
function anyOf(words: string): RegExp {
  const listed = words
    .split(' ')
    .map((word) => `[${word[0]!.toUpperCase()}${word[0]!.toLowerCase()}]${word.slice(1)}`)
    .join('|');
  return new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}_])(?:${listed})(?![\p{L}\p{M}\p{N}_])`, 'gu');
}

/** Matches the words of a list with a capital inside of a sentence, where only forms of address have one. */
function insideSentence(words: string): RegExp {
  const listed = words.split(' ').join('|');
  return new RegExp(String.raw`(?<=[\p{L}\p{N},] )(?:${listed})(?![\p{L}\p{M}\p{N}_-])`, 'gu');
}

const portuguese = { formal: anyOf('tu ti contigo teu tua teus tuas'), informal: null };
const french = {
  // “Ton” is also a noun, and “tu” a participle.
  formal: new RegExp(
    String.raw`(?<!’est |'est |[\p{L}\p{M}\p{N}_])[Tt]u(?![\p{L}\p{M}\p{N}_])|${anyOf('toi ta tes te').source}|(?<![\p{L}\p{N}_])[Tt][’'](?=[aeiouyhéèêà])|(?<!\b(?:l|d|un|le|du|ce|au|de|en|son|bon|quel|même|autre) )${anyOf('ton').source}`,
    'gu',
  ),
  informal: anyOf('vous votre vos vôtre vôtres'),
};

/**
 * For each language that can be checked, the words that a formal guide forbids, and those that an informal guide
 * forbids; null: not checked. Words that also mean something else are left out, such as German “ihr” and Polish “pan”.
 */
const formsOfAddress: Readonly<Record<string, Readonly<Record<Formality, RegExp | null>>>> = {
  de: {
    formal: anyOf(
      'du dich dir dein deine deinem deinen deiner deines euch euer eure eurem euren eurer eures',
    ),
    informal: insideSentence('Sie Ihnen Ihr Ihre Ihrem Ihren Ihrer Ihres'),
  },
  es: {
    formal: anyOf(
      'tú tu tus ti te contigo tuyo tuya tuyos tuyas vosotros vosotras vuestro vuestra vuestros vuestras',
    ),
    informal: anyOf('usted'),
  },
  fr: french,
  'fr-CA': french,
  it: { formal: anyOf('tu te ti tuo tua tuoi tue'), informal: null },
  nl: {
    formal: anyOf('je jij jou jouw jullie'), // A “U-bocht” is a U-turn.
    informal: new RegExp(`${anyOf('u uw uwe').source}(?!-)`, 'gu'),
  },
  pl: {
    formal: anyOf(
      'ty ciebie cię tobie tobą twój twoja twoje twojego twojej twojemu twoim twoich twoją twoimi',
    ),
    informal: null,
  },
  'pt-BR': portuguese,
  'pt-PT': portuguese,
  ru: {
    formal: anyOf('ты тебя тебе тобой твой твоя твоё твое твои твоего твоей твоему твоим твоих твою твоими'),
    informal: insideSentence(
      'Вы Вас Вам Вами Ваш Ваша Ваше Ваши Вашего Вашей Вашему Вашим Ваших Вашу Вашими',
    ),
  },
};

/** German “du” in French names, such as “Cirque du Soleil”, inside of a sentence. */
const nameWithDu = /(?<=[\p{L}\p{N},] \p{Lu}[\p{L}’-]+ )du(?= \p{Lu})/gu;

/**
 * Finds forms of address of the other formality.
 * @param prose the result of `proseOf`
 */
export function wrongAddress(prose: string, formality: Formality, language: string): Range[] {
  const forms = formsOfAddress[language]?.[formality];
  if (!forms) return [];
  const names = language === 'de' ? new Set([...prose.matchAll(nameWithDu)].map(({ index }) => index)) : null;
  return [...prose.matchAll(forms)]
    .filter(({ index }) => !names?.has(index))
    .map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
}
