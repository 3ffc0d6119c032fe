import type { LanguageCode } from '#server/languages.ts';
import { arabic } from './arabic.ts';
import { czech } from './czech.ts';
import { dutch } from './dutch.ts';
import { english } from './english.ts';
import { finnish } from './finnish.ts';
import { french, italian, romanian } from './french.ts';
import { german } from './german.ts';
import { greek } from './greek.ts';
import { hungarian } from './hungarian.ts';
import { hindi, marathi, nepali } from './indic.ts';
import { type Inflection, matching } from './paradigm.ts';
import { persian, urdu } from './persian.ts';
import { polish } from './polish.ts';
import { portuguese } from './portuguese.ts';
import { russian, ukrainian } from './russian.ts';
import { danish, norwegian, swedish } from './scandinavian.ts';
import { spanish } from './spanish.ts';
import { turkish } from './turkish.ts';

/**
 * The inflection of Indonesian and Malay. Pronouns and particles are attached to a word, but the word itself does not
 * change.
 */
const indonesian: Inflection = {
  stems: (word) => [{ stem: word, endings: enclitics }],
};

const enclitics = matching(/^(?:nya|ku|mu)?(?:lah|kah|pun|tah)?$/);

export type { Endings, Inflection, Stem, WordContext } from './paradigm.ts';

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
