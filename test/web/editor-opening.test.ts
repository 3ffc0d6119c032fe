import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { violationsOn } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument, opened } from './document-editor.ts';
import { field, patient, said } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Holds the requests whose URL contains a text. @returns a function that lets them continue */
async function hold(page: Page, text: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(
    (url) => decodeURIComponent(url.href).includes(text),
    async (route) => {
      await promise;
      await route.continue();
    },
  );
  return resolve;
}

describe.skipIf(withoutBrowser)('opening segments', () => {
  test('does not take the field away when an edit fails, and a key opens the segment of that edit', async () => {
    const { page, correct, targets } = await openDocument(app, browser, ['One', 'Two', 'Three']);
    await opened(page, 1);
    await correct(0, 'Theirs');
    const release = await hold(page, '/trpc/documents.save');
    await field(page).fill('Mine');
    await page.keyboard.press('Control+Enter');
    await opened(page, 2);
    await field(page).fill('Typing ');
    release();
    await said(page, 'Segment 1 was not saved.');
    await page.getByText('Not saved: segment 1.').first().waitFor();
    await page.keyboard.type('on');
    expect(await field(page).inputValue()).toBe('Typing on');
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Alt+o');
    await opened(page, 1);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(targets, patient).toEqual(['Mine', 'Typing on', '[fr] Three']);
    expect(await page.getByText('Not saved: segment').count()).toBe(0);
  });

  test('clears a filter that excludes the segment whose edit failed', async () => {
    const { page, correct } = await openDocument(app, browser, ['First text', 'Other', 'Third text'], {
      search: '?text=text',
    });
    await opened(page, 1);
    await correct(0, 'Theirs');
    const release = await hold(page, '/trpc/documents.save');
    await field(page).fill('Mine');
    await page.getByRole('searchbox', { name: 'Find in source and translation' }).fill('Other');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('grid').getByRole('row').count(), patient).toBe(2);
    release();
    await page.getByRole('button', { name: /^Open segment 1/ }).click();
    await opened(page, 1);
    expect(await field(page).inputValue()).toBe('Mine');
    expect(new URL(page.url()).search).toBe('');
  });

  test('finds segments that are not loaded, and leaves the found one open when the filter is removed', async () => {
    // Up to 2,000 segments are loaded at once.
    const texts = Array.from({ length: 2600 }, (_, index) => `Text ${index + 1}`);
    const { page } = await openDocument(app, browser, texts);
    await opened(page, 1);
    const count = () => page.getByRole('grid').getAttribute('aria-rowcount');
    await expect.poll(count, patient).toBe('2601');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('text 2555');
    await page.keyboard.press('Enter');
    await expect.poll(count, patient).toBe('2');
    await page.getByRole('row').filter({ hasText: 'Text 2555' }).click();
    await opened(page, 2555);
    await field(page).fill('Texte');
    await page.getByRole('searchbox', { name: 'Find in source and translation' }).fill('');
    await page.keyboard.press('Enter');
    await expect.poll(count, patient).toBe('2601');
    await opened(page, 2555);
    expect(await field(page).inputValue()).toBe('Texte');
    await page.getByRole('row').filter({ hasText: 'Text 2556' }).first().waitFor();
  });

  test('puts what is typed after a confirmation into the next segment, even if it loads slowly', async () => {
    const texts = Array.from({ length: 502 }, (_, index) => `Text ${index + 1}`);
    const { page } = await openDocument(app, browser, texts);
    await opened(page, 1);
    const release = await hold(page, '"offset":500');
    await page.reload();
    await opened(page, 1);
    await page.evaluate(() => document.querySelector<HTMLElement>('[role=grid]')?.scrollTo(0, 1e6));
    await page.getByRole('row').filter({ hasText: 'Text 500' }).first().click();
    await opened(page, 500);
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Typed early. ');
    release();
    await opened(page, 501);
    await expect.poll(() => field(page).inputValue(), patient).toContain('Typed early. ');
    await page.keyboard.type('And late. ');
    expect(await field(page).inputValue()).toContain('Typed early. And late. ');
    await page.getByText(/Saved \d/).waitFor();
    const confirmed = page.getByRole('row').filter({ hasText: '[fr] Text 500' });
    expect(await confirmed.getByText('[fr] Text 500', { exact: true }).count()).toBe(1);
  });

  test('looks for the next segment again when the service can be reached, without a click', async () => {
    const { page, context } = await openDocument(app, browser, ['One', 'Two']);
    await opened(page, 1);
    await page.keyboard.press('Control+Enter');
    await opened(page, 2);
    await page.getByText(/Saved \d/).waitFor();
    await context.setOffline(true);
    await page.keyboard.press('Control+Enter');
    const failed = page.getByText("The next segment couldn't be loaded.");
    await failed.waitFor();
    await page.keyboard.type(' Typed offline');
    await context.setOffline(false);
    await expect.poll(() => failed.count(), patient).toBe(0);
    await expect.poll(() => field(page).inputValue(), patient).toContain('Typed offline');
  });

  test('moves through the list by arrow keys, Home, End and letters, and Enter goes into the field', async () => {
    const { page } = await openDocument(
      app,
      browser,
      Array.from({ length: 40 }, (_, index) => `Text ${index + 1}`),
    );
    await opened(page, 1);
    const hasFocus = () => page.getByRole('grid').evaluate((grid) => grid === document.activeElement);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await opened(page, 3);
    expect(await hasFocus()).toBe(true);
    await page.keyboard.press('ArrowUp');
    await opened(page, 2);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await opened(page, 4);
    await page.keyboard.press('k');
    await opened(page, 3);
    await page.keyboard.press('End');
    await opened(page, 40);
    await page.keyboard.press('Home');
    await opened(page, 1);
    await page.keyboard.press('PageDown');
    await expect.poll(() => field(page).getAttribute('aria-label'), patient).not.toMatch(/ [12]$/);
    await page.keyboard.press('PageUp');
    await opened(page, 1);
    expect(await hasFocus()).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('j');
    expect(await field(page).inputValue()).toBe('j');
  });
});

describe.skipIf(withoutBrowser)('a script that the editor loads on demand', () => {
  const script = '**/static/replace-dialog-*.js';

  test('is requested again if the service does not answer for a moment', async () => {
    const { page } = await openDocument(app, browser, ['One']);
    await opened(page, 1);
    await page.route(script, (route) => route.fulfill({ status: 503 }), { times: 1 });
    await page.keyboard.press('Control+h');
    await page.getByRole('dialog').waitFor();
  });

  test('is replaced by a message if it cannot be loaded, and the editor stays', async () => {
    const { page } = await openDocument(app, browser, ['One']);
    await opened(page, 1);
    await field(page).fill('Typed');
    await page.route(script, (route) => route.fulfill({ status: 503 }));
    await page.keyboard.press('Control+h');
    await page.getByText('Part of this screen could not be loaded.').waitFor();
    expect(await field(page).inputValue()).toBe('Typed');
    expect(await violationsOn(page)).toEqual([]);
    await page.unroute(script);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('dialog').waitFor();
  });
});
