/** The supported languages, by canonical code. */
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

/** Whether a language is written without spaces between sentences. */
export function isUnspaced(code: string): boolean {
  return code === 'zh-Hans' || code === 'zh-Hant' || code === 'ja' || code === 'th';
}

export type LanguageCode = keyof typeof supportedLanguages;

// This file is part of the SDK's bundle. The pure annotations let a bundler remove expressions that an application
// does not use.
export const languageCodes = /* @__PURE__ */ Object.keys(supportedLanguages) as LanguageCode[];

const byLowerCase = /* @__PURE__ */ new Map(
  /* @__PURE__ */ languageCodes.map((code) => [code.toLowerCase(), code]),
);

/**
 * Returns the canonical code for `code` in any letter case. Undefined if `code` is not in `supportedLanguages`; a
 * regional code is not reduced to its language.
 */
export function canonicalLanguage(code: string): LanguageCode | undefined {
  return byLowerCase.get(code.toLowerCase());
}

const otherNames = new Intl.DisplayNames('en', { type: 'language' });

/**
 * Returns the English name of a language for messages, also of one that is not supported.
 *
 * @param code a well-formed language tag
 */
export function languageName(code: string): string {
  const known = canonicalLanguage(code);
  return known ? supportedLanguages[known] : (otherNames.of(code) ?? code);
}

/** Maximum characters of a language tag; longer tags count as unsupported. */
const maxTagLength = 100;

/** The second subtags of Chinese that determine the script: the script itself, or a region. */
const chineseScripts = /* @__PURE__ */ new Map<string, LanguageCode>([
  ['hant', 'zh-Hant'],
  ['tw', 'zh-Hant'],
  ['hk', 'zh-Hant'],
  ['mo', 'zh-Hant'],
  ['hans', 'zh-Hans'],
  ['cn', 'zh-Hans'],
  ['sg', 'zh-Hans'],
  ['my', 'zh-Hans'],
]);

/**
 * Returns the supported language for a tag of a glossary or memory. Returns undefined for a base code without a
 * variant if only variants are supported (zh, pt), for a region of such a language that has no variant (pt-AO), and
 * for unsupported codes. `_` is read as `-`; letter case does not matter.
 *
 * A three-letter second subtag names a different language, not a region (zh-yue, ar-arz, no-nyn), so a tag with such
 * a subtag gives undefined.
 */
export function readLanguage(tag: string): LanguageCode | undefined {
  if (tag.length > maxTagLength) return undefined;
  const spelled = tag.toLowerCase().replaceAll('_', '-');
  if (!/^[a-z]{2,3}(-(?![a-z]{3}(-|$))[a-z0-9]{1,8}(-[a-z0-9]{1,8})*)?$/.test(spelled)) return undefined;
  const [base, second] = spelled.split('-', 2) as [string, string | undefined];
  if (base === 'zh') return chineseScripts.get(second ?? '');
  if (base === 'no' || base === 'nob') return 'nb';
  return (second === undefined ? undefined : byLowerCase.get(`${base}-${second}`)) ?? byLowerCase.get(base);
}

/** Languages of which only variants are supported, not the base code. */
const splitLanguages: ReadonlySet<string> = new Set(['zh', 'pt']);

/**
 * Reads the tag of a text in a glossary or TM file whose languages are declared. Like `readLanguage`, but a base code
 * without a variant (zh, pt) gives the declared variant of this language.
 */
export function readDeclaredVariant(tag: string, declared: LanguageCode): LanguageCode | undefined {
  const base = tag.toLowerCase();
  return splitLanguages.has(base) && declared.startsWith(`${base}-`) ? declared : readLanguage(tag);
}

const byName = /* @__PURE__ */ new Map(
  /* @__PURE__ */ languageCodes.map((code) => [supportedLanguages[code].toLowerCase(), code]),
);

/**
 * Returns the language with an English name, in any letter case. Undefined if the name is unknown or leaves the
 * variant open, like "Chinese".
 */
export function languageOfName(name: string): LanguageCode | undefined {
  if (name.length > maxTagLength) return undefined;
  const spelled = name.trim().toLowerCase().replace(/\s+/g, ' ');
  // Plain "French" means fr, French as written in France.
  return spelled === 'french' ? 'fr' : byName.get(spelled);
}

const denseScripts: ReadonlySet<string> = new Set(['zh-Hans', 'zh-Hant', 'ja', 'ko', 'th', 'hi', 'mr', 'ne']);

/** Whether characters of this language have the weight DENSE_SCRIPT_WEIGHT. */
export function isDenseScript(code: string): boolean {
  return denseScripts.has(code);
}

const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'ur']);

/** The direction in which a supported language is written. */
export function languageDirection(code: LanguageCode): 'ltr' | 'rtl' {
  return rightToLeft.has(code) ? 'rtl' : 'ltr';
}

/** A supported language, for guides and clients. */
export interface Language {
  code: LanguageCode;
  /** The English name. */
  name: (typeof supportedLanguages)[LanguageCode];
  direction: 'ltr' | 'rtl';
  /** Whether each character of a language pair with this language counts DENSE_SCRIPT_WEIGHT times, 3.5 by default. */
  dense: boolean;
}

/** All supported languages, in a fixed order. */
export const languages: readonly Language[] = /* @__PURE__ */ languageCodes.map((code) => ({
  code,
  name: supportedLanguages[code],
  direction: languageDirection(code),
  dense: isDenseScript(code),
}));

/** A language pair, as canonical language codes. */
export interface LanguagePair {
  pairSource: string;
  pairTarget: string;
}

/** Returns the name of a pair. `lookUpExact` returns such names in `pairs`. */
export function pairName({ pairSource, pairTarget }: LanguagePair): string {
  return `${pairSource} ${pairTarget}`;
}
