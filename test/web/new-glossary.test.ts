import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { said } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);
const screenshots = process.env['SCREENSHOTS'];

describe.skipIf(withoutBrowser)('a new glossary', () => {
  test('is created without a file, only by keyboard, and opens for its first term', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/glossaries');
    const sets = setsOf(app, { 'x-api-key': apiKey });
    await sets.glossary(['order,commande'], { name: 'Taken' });
    await page.getByText('No glossaries yet.').waitFor();
    await page.getByRole('button', { name: 'New glossary' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New glossary' });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByText('Select a language.').waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Taken');
    await dialog.getByRole('combobox', { name: 'From' }).selectOption('English');
    await dialog.getByRole('combobox', { name: 'To', exact: true }).selectOption('English');
    await dialog.getByText('Select two different languages.').waitFor();
    await dialog.getByRole('combobox', { name: 'To', exact: true }).selectOption('French');
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await dialog.getByText('Another glossary has this name.').waitFor();
    await expectAccessible(page);
    if (screenshots) await page.screenshot({ path: `${screenshots}/new-glossary.png` });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('\u202eHouse');
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await said(page, 'Created');
    await page.waitForURL('**/app/glossaries/*');
    await page.getByText('0 terms').waitFor();
    const row = page.getByRole('row').nth(1);
    await row.getByRole('textbox').nth(0).fill('invoice');
    await row.getByRole('textbox').nth(1).fill('facture');
    await page.keyboard.press('Enter');
    await page.getByText('1 term').first().waitFor();
    expect(await sets.glossaries()).toMatchObject([
      { name: '\u202eHouse', source_lang: 'en', target_lang: 'fr', entry_count: 1 },
      { name: 'Taken' },
    ]);
  });

  test('is accessible in Arabic and dark, 320 px wide too', async () => {
    const { page } = await signedIn(app, browser, '/app/glossaries', { locale: 'ar', colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 700 });
    await page.locator('main header button').click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page);
    if (screenshots) await page.screenshot({ path: `${screenshots}/new-glossary-ar.png` });
    await page.keyboard.press('Escape');
    expect(await page.locator('main header button').evaluate((one) => one === document.activeElement)).toBe(
      true,
    );
  });
});
