import { createElement, type JSX, type ReactNode } from 'react';

const rightToLeft = /^(ar|fa|he|ur)\b/;

/** The direction of a language's script. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return rightToLeft.test(language) ? 'rtl' : 'ltr';
}

/** `lang` and `dir` of an element with text in a language, independent of the interface language. `auto`: not known yet. */
export function languageOf(language: string): { lang: string; dir: 'ltr' | 'rtl' | 'auto' } {
  if (language === 'auto') return { lang: '', dir: 'auto' };
  return { lang: language, dir: directionOf(language) };
}

/**
 * A tenant's text in its language. Never translated by the browser.
 * @param isSource whether words in it can be selected as a glossary term (web/app/terms)
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
 * A name in a place without an element to isolate its direction, such as the page title or next to a number in an option:
 * without characters that would reverse the surrounding text.
 */
export function plainName(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}
