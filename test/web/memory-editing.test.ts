import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { expectAccessible } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const lines: [string, string][] = [
  ['Rent', 'Loyer'],
  ['Deposit', 'Caution'],
  ['Wait 25 minutes.', 'Attendez 52 minutes.'],
  ['Dear {name}', 'Cher client'],
];

/** Opens a screen of a workspace with two TMs: `house`, and `other`, which has another translation of two sources. */
async function openMemory(path: (setId: string) => string, options: PersonOptions = {}) {
  let setId = '';
  const founder = await signedIn(
    app,
    browser,
    async ({ apiKey }) => {
      const sets = setsOf(app, { 'x-api-key': apiKey });
      await sets.memory(
        [
          ['Rent', 'Location'],
          ['Deposit', 'Dépôt'],
        ],
        { name: 'other' },
      );
      setId = (await sets.memory(lines, { name: 'house' })).id;
      return path(setId);
    },
    options,
  );
  return { ...founder, setId };
}

const rows = (page: Page) => page.locator('main [data-row]');
const targets = (page: Page) => rows(page).locator('td:nth-child(2) > span').allInnerTexts();
const undo = (page: Page) => page.getByRole('button', { name: /^Undo/ }).click();
describe.skipIf(withoutBrowser)('a member at /app/memories/{id}', () => {
  test('edits, deletes and restores segments by keyboard only', async () => {
    const { page } = await openMemory((id) => `/app/memories/${id}`);
    await expect.poll(() => targets(page), patient).toEqual(lines.map(([, target]) => target));
    await rows(page).first().focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Le loyer');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expect
      .poll(() => targets(page), patient)
      .toEqual(['Le loyer', 'Caution', ...lines.slice(2).map(([, t]) => t)]);
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => targets(page), patient).toContain('Loyer');

    await rows(page).first().focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => targets(page), patient).not.toContain('Loyer');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Caution');
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => targets(page), patient).toContain('Loyer');
  });

  test('sees a preview before a text is replaced, and undoes it in the history', async () => {
    const { page } = await openMemory((id) => `/app/memories/${id}`);
    await page.getByRole('button', { name: 'Replace' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('input:not([type="checkbox"])').nth(0).fill('minutes');
    await dialog.locator('input:not([type="checkbox"])').nth(1).fill('heures');
    await dialog.getByRole('button', { name: 'Preview' }).click();
    await dialog.getByText('Attendez 52 heures.').waitFor();
    await dialog.getByRole('button', { name: /^Replace/ }).click();
    await expect.poll(() => targets(page), patient).toContain('Attendez 52 heures.');
    await page.getByText('History').click();
    await page.getByRole('listitem').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => targets(page), patient).toContain('Attendez 52 minutes.');
  });

  test('finds bad segments by their problem, and deletes all that are listed, with undo', async () => {
    const { page } = await openMemory((id) => `/app/memories/${id}`);
    await page.getByRole('button', { name: 'All problems' }).click();
    await expect.poll(() => rows(page).count(), patient).toBe(4);
    await page.getByText('Missing number: 25').waitFor();
    await page.getByText('Different tag or placeholder: {name}').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Tags and placeholders' }).click();
    await expect.poll(() => targets(page), patient).toEqual(['Cher client']);
    await page.getByRole('button', { name: 'Delete listed segments' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No problems found.').waitFor();
    await undo(page);
    await expect.poll(() => targets(page), patient).toEqual(['Cher client']);
  });

  test('decides between translations of one source by keys', async () => {
    const { page } = await openMemory((id) => `/app/memories/${id}/duplicates`);
    const open = page.locator('[data-active]');
    await open.getByRole('heading', { name: 'Rent' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('b');
    expect(await open.locator('[data-chosen]').innerText()).toContain('Location');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await open.getByRole('heading', { name: 'Deposit' }).waitFor();
    await page.keyboard.press('s');
    await page.getByText('No source has other translations.').waitFor();
    await undo(page);
    await open.getByRole('heading', { name: 'Rent' }).waitFor();
  });

  test('edits and deletes a segment in the concordance', async () => {
    const { page } = await openMemory(() => '/app/concordance?text=Rent&from=en&to=fr');
    await expect.poll(async () => (await targets(page)).sort(), patient).toEqual(['Location', 'Loyer']);
    await page.getByRole('button', { name: 'Delete Rent' }).first().click();
    await expect.poll(() => rows(page).count(), patient).toBe(1);
    await undo(page);
    await expect.poll(() => rows(page).count(), patient).toBe(2);
    await page.getByRole('button', { name: 'Edit Rent' }).first().click();
    await page.getByRole('textbox', { name: 'Translation' }).fill('Le bail');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => targets(page), patient).toContain('Le bail');
  });
});
