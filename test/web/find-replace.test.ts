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

  test('leaves confirmed segments out until the reviewer includes them; they become drafts', async () => {
    const { page, segments, targets } = await openDocument(app, browser, ['Old rent', 'New rent']);
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await segments())[0]?.confirmed_at, patient).not.toBeNull();
    const dialog = await search(page, 'rent', 'loyer');
    await dialog.getByText('1 segment is left out.').waitFor();
    expect(await dialog.getByRole('listitem').filter({ hasText: 'Old' }).innerText()).toContain('Confirmed');
    await dialog.getByLabel('Also confirmed segments').check();
    await dialog.getByRole('button', { name: 'Replace in 2 segments' }).click();
    await dialog.getByText('Replaced in 2 segments.').waitFor();
    expect(await targets()).toEqual(['[fr] Old loyer', '[fr] New loyer']);
    expect((await segments()).map(({ confirmed_at }) => confirmed_at)).toEqual([null, null]);
  });

  test('does not overwrite what someone else has changed since the search', async () => {
    const { page, correct, targets } = await openDocument(app, browser, ['Old rent', 'New rent']);
    const dialog = await search(page, 'rent', 'loyer');
    await dialog.getByText('2 matches in 2 segments.').waitFor();
    await correct(0, 'Their rent');
    await dialog.getByRole('button', { name: 'Replace in 2 segments' }).click();
    await dialog.getByText('1 segment was not changed').waitFor();
    expect(await targets()).toEqual(['Their rent', '[fr] New loyer']);
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

  test('can be limited to the filter of the editor, and takes over the searched text', async () => {
    const { page, targets } = await openDocument(app, browser, ['A rent', 'B rent', 'B other']);
    await page.goto(`${page.url()}?text=A+rent`);
    await field(page).waitFor();
    await page.keyboard.press('Control+h');
    const dialog = page.getByRole('dialog', { name: 'Find and replace' });
    expect(await dialog.getByLabel('Find in translations').inputValue()).toBe('A rent');
    await dialog.getByLabel('Find in translations').fill('rent');
    await dialog.getByLabel('Replace with').fill('bail');
    await dialog.getByText('1 match in 1 segment.').waitFor();
    await dialog.getByLabel('Only segments that match the filter').uncheck();
    await dialog.getByText('2 matches in 2 segments.').waitFor();
    await dialog.getByRole('button', { name: 'Replace in 2 segments' }).click();
    await dialog.getByText('Replaced in 2 segments.').waitFor();
    expect(await targets()).toEqual(['[fr] A bail', '[fr] B bail', '[fr] B other']);
  });
});
