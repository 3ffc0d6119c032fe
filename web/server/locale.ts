import { prefixedCookie } from '#server/http/cookies.ts';

/** The languages of the interface. */
export const locales = ['en', 'fr', 'de', 'es', 'pt', 'ar', 'ja'] as const;

export type Locale = (typeof locales)[number];

/** The name of each language, in that language. */
export const localeNames: Readonly<Record<Locale, string>> = {
  en: 'English',
  fr: 'Français',
  de: 'Deutsch',
  es: 'Español',
  pt: 'Português',
  ar: 'العربية',
  ja: '日本語',
};

/** The supported language of texts in a language of the interface. Of Portuguese, only variants are supported. */
export function languageOf(locale: string): string {
  return locale === 'pt' ? 'pt-BR' : locale;
}

/** The direction of a language's script. */
export function directionOf(locale: Locale): 'ltr' | 'rtl' {
  return locale === 'ar' ? 'rtl' : 'ltr';
}

/**
 * The name of the cookie in which the application stores the selected language of the interface. The cookie contains
 * nothing else.
 * @param secure whether the public URL is https
 */
export function localeCookie(secure: boolean): string {
  return prefixedCookie('ll_locale', secure);
}

/** Returns a language of the interface by its code; undefined for anything else. */
export function localeNamed(code: unknown): Locale | undefined {
  return locales.find((locale) => locale === code);
}

/**
 * Selects the language of a response: the language that was selected in the application, otherwise the first supported
 * language of the Accept-Language header by preference.
 * @param chosen the value of the cookie
 * @param accepted the Accept-Language header
 */
export function localeFor(chosen: string | null, accepted: string | undefined): Locale {
  const known = (tag: string) => localeNamed(tag.split('-')[0]?.toLowerCase());
  if (chosen && known(chosen)) return known(chosen) as Locale;
  const ranges = (accepted ?? '')
    .slice(0, 1000)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().split(';');
      const quality = parameters.map((one) => /^\s*q=([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  for (const { tag } of ranges) {
    const found = known(tag);
    if (found) return found;
  }
  return 'en';
}

/**
 * The parts of a language's messages. `signIn`: the messages of the sign-in, which all screens need; `sets`: those of
 * glossaries and TMs; `tools`: those of dialogs and of tools that the editor loads on demand; `settings`: those of members,
 * security, API keys, storage and billing; `work`: those of files, texts and the editor; `workspace`: those of all areas
 * that no other part has. The others have the messages of their area.
 */
export const catalogParts = [
  'signIn',
  'workspace',
  'demo',
  'operator',
  'styleGuides',
  'audit',
  'estimates',
  'sets',
  'tools',
  'usage',
  'quality',
  'settings',
  'assignments',
  'translate',
  'work',
] as const;
export type CatalogPart = (typeof catalogParts)[number];
