import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { type Founder, signedIn } from './founder.ts';
import { patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens a glossary with three terms. */
async function openGlossary({
  lines = 'order,commande\nbill,addition\nrent,loyer',
  pair = true,
  ...options
}: PersonOptions & { lines?: string; pair?: boolean } = {}) {
  const founder = await signedIn(app, browser, '/app/glossaries', options);
  const form = new FormData();
  form.append('terminology_file', new File([lines], 'house.csv', { type: 'text/csv' }));
  form.append('name', 'house');
  if (pair)
    for (const [side, code] of Object.entries({ source: 'en', target: 'fr' }))
      form.append(`${side}_lang`, code);
  const response = await fetch(`${app.address}/api/terminology`, {
    method: 'POST',
    headers: { 'x-api-key': founder.apiKey },
    body: form,
  });
  const { id } = (await response.json()) as { id: string };
  await founder.page.goto(`/app/glossaries/${id}`);
  await founder.page.getByRole('heading', { name: 'house' }).waitFor();
  return { ...founder, setId: id };
}

const rows = (page: Page) => page.locator('main tbody tr:not(:has(form))');
const shown = async (page: Page) =>
  (await rows(page).allInnerTexts()).map((row) =>
    row
      .split(/\s*\t\s*|\n/)
      .slice(0, 2)
      .join(' '),
  );

/** Changes a term like another member. */
const change = ({ apiKey, setId }: Founder & { setId: string }, target_term: string) => {
  const seen = {
    source_lang: 'en',
    target_lang: 'fr',
    case_sensitive: false,
    priority: 0,
    source_term: 'order',
  };
  return app.json('POST', '/trpc/terminology.updateTerm', {
    headers: { 'x-api-key': apiKey },
    body: {
      json: {
        set_id: setId,
        entry_no: 1,
        replaces: { ...seen, target_term: 'commande' },
        term: { ...seen, target_term },
      },
    },
  });
};

describe.skipIf(withoutBrowser)('a member at /app/glossaries/{id}', () => {
  test('adds, changes, deletes and restores terms by keyboard only', async () => {
    const { page } = await openGlossary();
    await expect.poll(() => shown(page), patient).toEqual(['bill addition', 'order commande', 'rent loyer']);
    await page.getByRole('textbox', { name: 'Source' }).focus();
    await page.keyboard.type('invoice');
    await page.keyboard.press('Tab');
    await page.keyboard.type('facture');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => shown(page), patient)
      .toEqual(['bill addition', 'invoice facture', 'order commande', 'rent loyer']);
    // The row is ready for the next term.
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('');

    await rows(page).first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('purchase');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => shown(page), patient)
      .toEqual(['bill addition', 'invoice facture', 'purchase commande', 'rent loyer']);

    await rows(page).first().focus();
    await page.keyboard.press('Delete');
    await page.getByText('Deleted bill.').waitFor();
    await expect.poll(() => shown(page), patient).not.toContain('bill addition');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent), patient)
      .toContain('invoice');
    await page.keyboard.press('ControlOrMeta+z');
    await expect.poll(() => shown(page), patient).toContain('bill addition');
    await page.getByText('Deleted bill.').waitFor({ state: 'detached' });
  });

  test('restores a deleted term by its key on any layout, but not from behind a dialog', async () => {
    const { page } = await openGlossary();
    await rows(page).first().focus();
    await page.keyboard.press('Delete');
    await page.getByText('Deleted bill.').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const restoring = page.getByRole('button', { name: /^Undo/ });
    await restoring.waitFor();
    expect(await restoring.isEnabled()).toBe(true);
    expect(await shown(page)).not.toContain('bill addition');
    // The key of the letter Z on a Russian keyboard.
    await page.evaluate(() => {
      const key = { key: 'я', code: 'KeyZ', ctrlKey: true, bubbles: true };
      document.querySelector('main')?.dispatchEvent(new KeyboardEvent('keydown', key));
    });
    await expect.poll(() => shown(page), patient).toContain('bill addition');
  });

  test('Escape cancels a change after a question, and the row keeps the focus', async () => {
    const { page } = await openGlossary();
    await rows(page).first().focus();
    await page.keyboard.press('F2');
    await page.keyboard.type('something else');
    page.once('dialog', (dialog) => dialog.accept());
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent), patient)
      .toContain('bill');
    expect(await shown(page)).toEqual(['bill addition', 'order commande', 'rent loyer']);
  });

  test('sees the present term if another member has changed it, and decides', async () => {
    const mine = await openGlossary();
    const { page } = mine;
    await page.getByRole('button', { name: 'Edit order' }).click();
    await page.getByRole('textbox', { name: 'Translation' }).nth(1).fill('ordre');
    expect((await change(mine, 'achat')).status).toBe(200);
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText('order → achat').waitFor();
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(() => shown(page), patient).toContain('order ordre');
  });

  test('sorts by both sides, and the order stays in the URL', async () => {
    const { page } = await openGlossary();
    await page.getByRole('columnheader', { name: 'Translation' }).getByRole('button').click();
    await page.waitForURL('**?sort=target');
    await page.locator('th[aria-sort=ascending]').getByText('Translation').waitFor();
    await page.getByRole('columnheader', { name: 'Translation' }).getByRole('button').click();
    await expect.poll(() => shown(page), patient).toEqual(['rent loyer', 'order commande', 'bill addition']);
    await page.reload();
    await expect.poll(() => shown(page), patient).toEqual(['rent loyer', 'order commande', 'bill addition']);
  });

  test('sets the fields of a term, and allows and forbids other translations', async () => {
    const { page } = await openGlossary();
    await page.getByRole('button', { name: 'Edit order' }).click();
    const sheet = page.locator('main tr').filter({ has: page.getByLabel('Part of speech') });
    await sheet.getByLabel('Part of speech').selectOption('Noun');
    await sheet.getByLabel('Definition').fill('What a customer buys.');
    await sheet.getByRole('textbox', { name: 'Forbidden' }).fill('ordre');
    await page.keyboard.press('Enter');
    await sheet.getByRole('button', { name: 'Delete ordre' }).waitFor();
    await sheet.getByRole('textbox', { name: 'Also allowed' }).fill('bon');
    await sheet.getByLabel('Picture').fill('http://a.example');
    await sheet.getByText('Enter a link that starts with https://.').waitFor();
    await sheet.getByLabel('Picture').fill('https://a.example/b.png');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await shown(page)).toSorted(), patient)
      .toEqual(['bill addition', 'order bon', 'order commande', 'order ordre', 'rent loyer']);

    await page.getByRole('button', { name: 'Forbidden words' }).click();
    await page.waitForURL('**?only=forbidden');
    await expect.poll(() => shown(page), patient).toEqual(['order ordre']);
    await page.getByRole('button', { name: 'No definition' }).click();
    await expect.poll(() => shown(page), patient).toEqual(['bill addition', 'rent loyer']);
  });

  test.each([
    { locale: 'en-GB', colorScheme: 'light' as const },
    { locale: 'ar', colorScheme: 'dark' as const },
  ])('is accessible while the fields of a term are shown ($locale)', async (options) => {
    const lines = [
      'source_term,target_term,status,definition,note,do_not_translate',
      'deposit,caution,,Money that is given back,Not for hotels,',
      'deposit,dépôt,forbidden,,,',
      'deposit,garantie,allowed,,,',
      'KapiMart,,,,,yes',
    ];
    const { page } = await openGlossary({ lines: lines.join('\n'), ...options });
    await expectAccessible(page);
    await rows(page).filter({ hasText: 'caution' }).getByRole('button').first().click();
    await page.getByRole('button', { name: /dépôt/ }).first().waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectAccessible(page);
  });

  test('selects the languages of a term if the glossary has none', async () => {
    const { page } = await openGlossary({ lines: 'order,commande', pair: false });
    const row = page.locator('main tbody tr').first();
    await row.getByRole('textbox', { name: 'Source' }).fill('invoice');
    await row.getByRole('textbox', { name: 'Translation' }).fill('Rechnung');
    await row.getByLabel('To').selectOption('German');
    await row.getByRole('button', { name: 'Add' }).click();
    await page.getByText('any language → German').waitFor();
  });
});
