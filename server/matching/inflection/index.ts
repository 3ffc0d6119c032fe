import type { LanguageCode } from '#server/languages.ts';
import { arabic } from './arabic.ts';
import { greek } from './greek.ts';
import { hindi, marathi, nepali, persian, urdu } from './indo-iranian.ts';
import { type Inflection, matching } from './paradigm.ts';
import { french, italian, portuguese, romanian, spanish } from './romance.ts';
import { danish, norwegian, swedish } from './scandinavian.ts';
import { czech, polish, russian, ukrainian } from './slavic.ts';
import { turkish } from './turkish.ts';
import { finnish, hungarian } from './uralic.ts';
import { dutch, english, german } from './west-germanic.ts';

/**
 * The inflection of Indonesian and Malay. Pronouns and particles are attached to a word, but the word itself does not
 * change.
 */
const indonesian: Inflection = {
  stems: (word) => [{ stem: word, endings: enclitics }],
};

const enclitics = matching(/^(?:nya|ku|mu)?(?:lah|kah|pun|tah)?$/);

export type { Endings, Inflection, Stem } from './paradigm.ts';

/**
 * The inflection of each language. Undefined for languages whose words do not change, or change only by attached
 * particles.
 */
export const inflections: Readonly<Record<LanguageCode, Inflection | undefined>> = {
  en: english,
  es: spanish,
  fr: french,
  'fr-CA': french,
  de: german,
  it: italian,
  'pt-BR': portuguese,
  'pt-PT': portuguese,
  nl: dutch,
  'zh-Hans': undefined,
  'zh-Hant': undefined,
  ja: undefined,
  ko: undefined,
  ar: arabic,
  ru: russian,
  hi: hindi,
  tr: turkish,
  vi: undefined,
  th: undefined,
  id: indonesian,
  pl: polish,
  uk: ukrainian,
  cs: czech,
  ro: romanian,
  hu: hungarian,
  el: greek,
  sv: swedish,
  da: danish,
  nb: norwegian,
  fi: finnish,
  ms: indonesian,
  fa: persian,
  ur: urdu,
  mr: marathi,
  ne: nepali,
};
