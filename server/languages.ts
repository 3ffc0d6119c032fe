/** The supported languages (B 2.4), by canonical code. */
export const supportedLanguages = {
  en: 'English',
  es: 'Spanish',
  fr: 'French (France)',
  'fr-CA': 'French (Canada)',
  de: 'German',
  it: 'Italian',
  'pt-BR': 'Portuguese (Brazil)',
  'pt-PT': 'Portuguese (Portugal)',
  nl: 'Dutch',
  'zh-Hans': 'Chinese (Simplified)',
  'zh-Hant': 'Chinese (Traditional)',
  ja: 'Japanese',
  ko: 'Korean',
  ar: 'Arabic',
  ru: 'Russian',
  hi: 'Hindi',
  tr: 'Turkish',
  vi: 'Vietnamese',
  th: 'Thai',
  id: 'Indonesian',
  pl: 'Polish',
  uk: 'Ukrainian',
  cs: 'Czech',
  ro: 'Romanian',
  hu: 'Hungarian',
  el: 'Greek',
  sv: 'Swedish',
  da: 'Danish',
  nb: 'Norwegian',
  fi: 'Finnish',
  ms: 'Malay',
  fa: 'Persian',
  ur: 'Urdu',
  mr: 'Marathi',
  ne: 'Nepali',
} as const;

export type LanguageCode = keyof typeof supportedLanguages;

export const languageCodes = Object.keys(supportedLanguages) as LanguageCode[];

const byLowerCase = new Map(languageCodes.map((code) => [code.toLowerCase(), code]));

/** The canonical code that `code` spells in any case; undefined for everything else, regional tags included. */
export function canonicalLanguage(code: string): LanguageCode | undefined {
  return byLowerCase.get(code.toLowerCase());
}

/** A language's English name, or its code where it has none here: what people read in messages. */
export function languageName(code: string): string {
  const known = canonicalLanguage(code);
  return known ? supportedLanguages[known] : code;
}

/** The longest tag that is looked at. */
const longestTag = 100;

/** Second subtags of Chinese that say which script it is written in: the script itself, or a region. */
const chineseScripts = new Map<string, LanguageCode>([
  ...['hant', 'tw', 'hk', 'mo'].map((subtag) => [subtag, 'zh-Hant'] as const),
  ...['hans', 'cn', 'sg', 'my'].map((subtag) => [subtag, 'zh-Hans'] as const),
]);

/**
 * The supported language that a tag of a glossary or memory stands for (B 4.4 "Language code reading"); undefined where
 * it stands for none: a bare base of a split language (zh, pt), a region that none of its variants is of (pt-AO), an
 * unsupported code. `_` is read as `-`, in any case of letters.
 *
 * A three-letter second subtag is no region but another language (zh-yue, ar-arz, no-nyn): such a tag stands for none.
 */
export function readLanguage(tag: string): LanguageCode | undefined {
  if (tag.length > longestTag) return undefined;
  const spelled = tag.toLowerCase().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-(?![a-z]{3}(-|$))[a-z0-9]{1,8}(-[a-z0-9]{1,8})*)?$/.test(spelled)) return undefined;
  const [base, second] = spelled.split('-', 2) as [string, string | undefined];
  if (base === 'zh') return chineseScripts.get(second ?? '');
  if (base === 'no' || base === 'nob') return 'nb';
  return (second === undefined ? undefined : byLowerCase.get(`${base}-${second}`)) ?? byLowerCase.get(base);
}

/** Languages whose bare base is no language (B 2.4). */
const splitLanguages: ReadonlySet<string> = new Set(['zh', 'pt']);

/**
 * `readLanguage` for a variant of a file whose languages were declared: a tag that names only the base of a split
 * language is the declared variant of it (B 4.4 "TMX terminology", C 7: in memory too).
 */
export function readDeclaredVariant(tag: string, declared: LanguageCode): LanguageCode | undefined {
  const base = tag.toLowerCase();
  return splitLanguages.has(base) && declared.startsWith(`${base}-`) ? declared : readLanguage(tag);
}

const byName = new Map(languageCodes.map((code) => [supportedLanguages[code].toLowerCase(), code]));

/** The language of an English name in any case (B 4.4); undefined for names that leave the variant open, and all else. */
export function languageOfName(name: string): LanguageCode | undefined {
  if (name.length > longestTag) return undefined;
  const spelled = name.trim().toLowerCase().replace(/\s+/g, ' ');
  // The plain name of fr too: fr is French as written in France (B 2.4).
  return spelled === 'french' ? 'fr' : byName.get(spelled);
}

const denseScripts: ReadonlySet<string> = new Set(['zh-Hans', 'zh-Hant', 'ja', 'ko', 'th', 'hi', 'mr', 'ne']);

/** Whether a character of this language counts more (A 8.1). */
export function isDenseScript(code: string): boolean {
  return denseScripts.has(code);
}
