import { createElement, type JSX, type ReactNode } from 'react';

const rightToLeft = /^(ar|fa|he|ur)\b/;

/** The direction of a language's script. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return rightToLeft.test(language) ? 'rtl' : 'ltr';
}

/**
 * The attributes `lang` and `dir` of an element that contains text in a given language. `auto`: the language is not
 * known yet.
 */
export function languageOf(language: string): { lang: string; dir: 'ltr' | 'rtl' | 'auto' } {
  if (language === 'auto') return { lang: '', dir: 'auto' };
  return { lang: language, dir: directionOf(language) };
}

/**
 * A tenant's text, marked with its language. The browser is told never to translate it.
 * @param isSource whether words of the text can be selected to create a glossary term (web/app/terms)
 */
export function LanguageText({
  as = 'p',
  language,
  className,
  isSource = false,
  children,
}: {
  as?: keyof JSX.IntrinsicElements;
  language: string;
  className?: string | undefined;
  isSource?: boolean;
  children: ReactNode;
}) {
  return createElement(
    as,
    { ...languageOf(language), className, translate: 'no', ...(isSource && { 'data-source': '' }) },
    children,
  );
}

/**
 * Removes characters from a name that would reverse the text next to it. For places without an element that isolates
 * the direction of the name, such as the page title.
 */
export function plainName(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}

/** A name in characters that isolate its direction, for a sentence that contains it as plain text. */
export function isolated(name: string): string {
  return `\u2068${plainName(name)}\u2069`;
}
