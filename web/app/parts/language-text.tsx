import { createElement, type JSX, type ReactNode } from 'react';

const rightToLeft = /^(ar|fa|he|ur)\b/;

/** The direction of a language's script. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return rightToLeft.test(language) ? 'rtl' : 'ltr';
}

/** `lang` and `dir` of an element that holds text of a language, whatever the language of the interface is. `auto`: it is not known yet. */
export function languageOf(language: string): { lang: string; dir: 'ltr' | 'rtl' | 'auto' } {
  if (language === 'auto') return { lang: '', dir: 'auto' };
  return { lang: language, dir: directionOf(language) };
}

/**
 * A text of a tenant in its own language. It is never translated by the browser.
 * @param isSource whether words may be selected in it that become a term of a glossary (web/app/terms)
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
 * A name where there is no element to keep its direction to itself, as in the title of the page or beside a number in a choice: without
 * the characters that would turn what stands around it.
 */
export function plainName(name: string): string {
  return name.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
}
