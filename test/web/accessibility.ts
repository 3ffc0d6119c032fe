import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The findings of axe for the page: a line for each violated rule, with the elements. */
export async function violationsOn(page: Page): Promise<string[]> {
  // The script of axe has half a megabyte, so it is loaded only once for each page.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  // In the middle of a transition, text and background may have the colors of two themes.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((animation) => animation instanceof CSSTransition)
        .map(({ finished }) => finished),
    ),
  );
  return page.evaluate(
    `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) =>
      id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join(' | ')))`,
  );
}

/** The elements that make horizontal scrolling necessary; empty if everything fits into the window. */
export function tooWideOn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const wide = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > innerWidth || left < 0;
    });
    return ['wider than the window', ...wide.slice(0, 5).map(({ outerHTML }) => outerHTML.slice(0, 150))];
  });
}

/** Expects that axe finds nothing, and that no horizontal scrolling is necessary. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsOn(page)).toEqual([]);
  expect(await tooWideOn(page)).toEqual([]);
}
