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

export type LanguageCode = keyof typeof supportedLanguages;

// The SDK has this file in its bundle. Unused expressions that are marked as pure are removed.
export const languageCodes = /* @__PURE__ */ Object.keys(supportedLanguages) as LanguageCode[];

const byLowerCase = /* @__PURE__ */ new Map(
  /* @__PURE__ */ languageCodes.map((code) => [code.toLowerCase(), code]),
);

/** The canonical code for `code` in any letter case; undefined for everything else, regional tags included. */
export function canonicalLanguage(code: string): LanguageCode | undefined {
  return byLowerCase.get(code.toLowerCase());
}

/** A language's English name for messages, or its code if it has no name here. */
export function languageName(code: string): string {
  const known = canonicalLanguage(code);
  return known ? supportedLanguages[known] : code;
}

/** Longer tags are not read. */
const maxTagLength = 100;

/** Second subtags of Chinese that determine its script: the script itself, or a region. */
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
 * Returns the supported language for a tag of a glossary or memory. Returns undefined for
 * the bare base of a split language (zh, pt), a region without a variant (pt-AO), and unsupported codes. `_` is read as `-`;
 * letter case does not matter.
 *
 * A three-letter second subtag is not a region but another language (zh-yue, ar-arz, no-nyn), so such a tag gives undefined.
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

/** Languages whose bare base is not a supported code. */
const splitLanguages: ReadonlySet<string> = new Set(['zh', 'pt']);

/**
 * `readLanguage` for a variant in a file with declared languages: a tag with only the base of a split language means
 * its declared variant. This applies to glossaries and memories.
 */
export function readDeclaredVariant(tag: string, declared: LanguageCode): LanguageCode | undefined {
  const base = tag.toLowerCase();
  return splitLanguages.has(base) && declared.startsWith(`${base}-`) ? declared : readLanguage(tag);
}

const byName = /* @__PURE__ */ new Map(
  /* @__PURE__ */ languageCodes.map((code) => [supportedLanguages[code].toLowerCase(), code]),
);

/**
 * The language with an English name, in any letter case; undefined for names without a definite variant, and for
 * others.
 */
export function languageOfName(name: string): LanguageCode | undefined {
  if (name.length > maxTagLength) return undefined;
  const spelled = name.trim().toLowerCase().replace(/\s+/g, ' ');
  // Plain "French" means fr, French as written in France.
  return spelled === 'french' ? 'fr' : byName.get(spelled);
}

const denseScripts: ReadonlySet<string> = new Set(['zh-Hans', 'zh-Hant', 'ja', 'ko', 'th', 'hi', 'mr', 'ne']);

/** Whether this language's characters have a higher weight. */
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
  /** Whether every character of a pair with it counts DENSE_SCRIPT_WEIGHT times, 3.5 by default. */
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

/** The name of a pair, as in `pairs` of `lookUpExact`. */
export function pairName({ pairSource, pairTarget }: LanguagePair): string {
  return `${pairSource} ${pairTarget}`;
}
