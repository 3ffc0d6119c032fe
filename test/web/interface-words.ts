import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { BrowserContext, Page } from 'playwright-core';
import { languageCodes } from '#server/languages.ts';

const folder = join(import.meta.dirname, '../../web/locales/en');

/**
 * Serves an artificial language instead of English. Each message is in brackets, and a third longer, because messages
 * are longer in many languages. Text without brackets is therefore in no catalog.
 */
export async function servePseudoLocale(context: BrowserContext): Promise<void> {
  const messages = Object.fromEntries(
    readdirSync(folder).flatMap((file) => {
      const area: Record<string, string> = JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return Object.entries(area).map(([key, text]) => {
        const more = ' ł'.repeat(Math.ceil(text.length / 6));
        return [`${basename(file, '.json')}.${key}`, compileMessage(`⟦${text}${more}⟧`)];
      });
    }),
  );
  await context.route('**/static/locale-en-*.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript; charset=utf-8',
      body: `export const messages = ${JSON.stringify(messages)};`,
    }),
  );
}

/** Names of languages and months, which come from the browser. */
const known = (() => {
  const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
  const months = (style: 'short' | 'long') =>
    Array.from({ length: 12 }, (_, month) =>
      new Intl.DateTimeFormat('en', { month: style }).format(new Date(2026, month, 15)),
    );
  const all = [...languageCodes.map((code) => names.of(code) ?? code), ...months('long'), ...months('short')];
  // The longest names are first, because a name may be the beginning of another one.
  return all.toSorted((a, b) => b.length - a.length);
})();

/**
 * Words that a page in the artificial language shows, or exposes to a screen reader, although they are in no catalog.
 * Texts of tenants, names and codes are excluded: the elements that contain them are marked.
 */
export function wordsInNoCatalog(page: Page): Promise<string[]> {
  return page.evaluate((namesOfBrowser) => {
    const notOurs = '[translate=no], bdi, code, kbd, [lang]:not(html), time, script, style';
    const isOurs = (element: Element) =>
      !element.closest(notOurs) && (element.closest('select') ?? element).checkVisibility();
    const leftOf = (text: string) => {
      let left = text;
      // A message may contain another message.
      for (let before = ''; before !== left; ) {
        before = left;
        left = left.replace(/⟦[^⟦⟧]*⟧/g, ' ');
      }
      for (const name of namesOfBrowser) left = left.replaceAll(name, ' ');
      left = left.replace(/https:\/\/\S+/g, ' ');
      // Parts of times, durations and sizes, which the browser formats.
      left = left.replace(/\b(AM|PM|UTC|min|sec|kB|MB|GB|bytes?)\b/g, ' ').trim();
      return /\p{L}/u.test(left) ? left : '';
    };
    const found = new Set<string>();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode as Text;
      if (!parentElement || !isOurs(parentElement)) continue;
      const left = leftOf(data);
      if (left) found.add(`<${parentElement.localName}> ${left}`);
    }
    for (const attribute of ['aria-label', 'aria-description', 'placeholder', 'title', 'alt'])
      for (const element of document.querySelectorAll(`[${attribute}]`)) {
        const left = isOurs(element) ? leftOf(element.getAttribute(attribute) ?? '') : '';
        if (left) found.add(`<${element.localName} ${attribute}> ${left}`);
      }
    return [...found];
  }, known);
}

/** Words of a page in the artificial language that are partly hidden, because the surrounding element is too small. */
export function cutWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isCut = (element: Element) => {
      const { overflowX, overflowY } = getComputedStyle(element);
      const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
      return (
        (hides(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
        (hides(overflowY) && element.scrollHeight > element.clientHeight + 1)
      );
    };
    /** Whether a text is only for screen readers: the column of the navigation hides names at some widths. */
    const isClipped = (element: Element): boolean =>
      getComputedStyle(element).clipPath === 'inset(50%)' ||
      (element.parentElement !== null && isClipped(element.parentElement));
    return [...document.querySelectorAll('body *')]
      .filter((element) =>
        [...element.childNodes].some((node) => node instanceof Text && node.data.includes('⟦')),
      )
      .filter(
        (element) =>
          element.checkVisibility() && !isClipped(element) && !element.closest('.skip-link, [aria-live]'),
      )
      .filter((element) => {
        for (let around: Element | null = element; around; around = around.parentElement)
          if (isCut(around)) return true;
        return false;
      })
      .map((element) => `cut: ${element.textContent}`);
  });
}
