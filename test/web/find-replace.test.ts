import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';
import { field, patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens the dialog by its key, and fills it in. */
async function search(page: Page, sought: string, replacement: string) {
  await page.keyboard.press('Control+h');
  const dialog = page.getByRole('dialog', { name: 'Find and replace' });
  await dialog.getByLabel('Find in translations').fill(sought);
  await dialog.getByLabel('Replace with').fill(replacement);
  return dialog;
}

describe.skipIf(withoutBrowser)('find and replace in a document', () => {
  test('shows each change first, replaces the selected ones as drafts, and can be undone', async () => {
    const { page, segments, targets } = await openDocument(app, browser, [
      'Old rent',
      'The RENT',
      'Other',
      'rental',
    ]);
    const dialog = await search(page, 'rent', 'loyer');
    await dialog.getByText('3 matches in 3 segments.').waitFor();
    await dialog.getByLabel('Whole words').check();
    await dialog.getByText('2 matches in 2 segments.').waitFor();
    expect(await dialog.locator('li ins').allInnerTexts()).toEqual(['loyer', 'loyer']);
    await expectAccessible(page);
    await dialog.getByLabel('Replace in segment 1', { exact: true }).uncheck();
    await dialog.getByRole('button', { name: 'Replace in 1 segment' }).click();
    await dialog.getByText('Replaced in 1 segment.').waitFor();
    expect(await targets()).toEqual(['[fr] Old rent', '[fr] The loyer', '[fr] Other', '[fr] rental']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /The loyer/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await expect.poll(targets, patient).toContain('[fr] The RENT');
    expect((await segments())[1]?.confirmed_at).toBeNull();
  });

  test('sends what the reviewer has typed before the search, so that it is found', async () => {
    const { page, targets } = await openDocument(app, browser, ['One', 'Two']);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Un loyer');
    const dialog = await search(page, 'loyer', 'bail');
    await dialog.getByRole('button', { name: 'Replace in 1 segment' }).click();
    await dialog.getByText('Replaced in 1 segment.').waitFor();
    expect((await targets())[0]).toBe('Un bail');
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await field(page).inputValue()).toBe('Un bail');
  });
});
