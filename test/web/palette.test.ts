import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { memberAt, patient } from './reviewing.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);

const file = (person: Person, name: string, fields = {}) =>
  addDocument(app, person, { source_document: workbookFile(['plain'], name), ...fields });

const openPalette = async (page: Page) => {
  await page.locator('main h1').waitFor();
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search files and commands' });
  return { dialog, field: dialog.getByRole('combobox', { name: 'Find a file, screen or command' }) };
};

/** The names of the entries, by group. */
const entriesOn = (page: Page) =>
  page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll('dialog [role=group]')].map((group) => [
        group.getAttribute('aria-label'),
        [...group.querySelectorAll('[role=option] bdi')].map(({ textContent }) => textContent),
      ]),
    ),
  );

describe.skipIf(withoutBrowser)('the palette', () => {
  test('finds files by a part of their name, and opens the selected one by keyboard', async () => {
    const founder = await found(app);
    await file(founder, 'prices.xlsx');
    const french = await file(founder, 'Lease 2026.xlsx');
    await file(founder, 'Lease 2026.xlsx', { target_lang: 'de' });
    const { page } = await memberAt(browser, founder, '/app');
    const { field } = await openPalette(page);
    await field.fill('lease');
    await expect
      .poll(() => entriesOn(page), patient)
      .toEqual({ Files: ['Lease 2026.xlsx', 'Lease 2026.xlsx'] });
    const options = page.locator('dialog [role=option]');
    await expect.poll(() => options.first().getAttribute('aria-selected'), patient).toBe('true');
    expect(await options.first().textContent()).toContain('German');
    await page.getByRole('status').filter({ hasText: '2 results' }).waitFor();
    // From the first entry, the key goes to the last one.
    await page.keyboard.press('ArrowUp');
    const active = await field.getAttribute('aria-activedescendant');
    expect(await options.nth(1).getAttribute('id')).toBe(active);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/app/edit/documents/${french}`);
  });

  test('goes to screens, runs commands, and closes on Escape', async () => {
    const { page } = await memberAt(browser, await found(app), '/app');
    let { dialog, field } = await openPalette(page);
    await field.fill('memor');
    expect(await entriesOn(page)).toEqual({ 'Go to': ['Translation memories'] });
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/memories');

    ({ dialog, field } = await openPalette(page));
    await field.fill('shortcuts');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');

    ({ dialog, field } = await openPalette(page));
    await field.fill('nothing has this name');
    await dialog.getByText('No results.').waitFor();
    await page.keyboard.press('Enter');
    expect(await dialog.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });

  test('shows no screens of administrators to other members, and no files of other workspaces', async () => {
    const founder = await found(app);
    const other = await found(app);
    await file(other, 'secret.xlsx');
    const { page } = await memberAt(browser, await join(app, founder), '/app');
    const { dialog, field } = await openPalette(page);
    await expect.poll(async () => (await entriesOn(page))['Go to'] ?? []).toContain('Glossaries');
    const screens = (await entriesOn(page))['Go to'];
    for (const name of ['Reports', 'Members', 'Audit']) expect(screens).not.toContain(name);
    await field.fill('secret');
    await dialog.getByText('No results.').waitFor();
  });

  test.each([
    ['light', { colorScheme: 'light' as const }],
    ['dark', { colorScheme: 'dark' as const }],
    ['Arabic', { locale: 'ar' }],
    ['320 px', { viewport: { width: 320, height: 640 } }],
  ])('is accessible and fits: %s', async (_, options) => {
    const founder = await found(app);
    await file(founder, 'A file with a long name that does not fit into one line of a phone.xlsx');
    const { page, context } = await browser.person('/about', options);
    await context.addCookies([await sessionCookie(app, founder)]);
    await page.goto('/app');
    await page.locator('main h1').waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('dialog [role=option]').first().waitFor();
    await expectAccessible(page);
    await page.locator('dialog input').fill('file');
    await page.locator('dialog [role=option]').filter({ hasText: 'long name' }).waitFor();
    await expectAccessible(page);
  });
});
