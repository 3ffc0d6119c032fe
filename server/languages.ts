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

const denseScripts: ReadonlySet<string> = new Set(['zh-Hans', 'zh-Hant', 'ja', 'ko', 'th', 'hi', 'mr', 'ne']);

/** Whether a character of this language counts more (A 8.1). */
export function isDenseScript(code: string): boolean {
  return denseScripts.has(code);
}
