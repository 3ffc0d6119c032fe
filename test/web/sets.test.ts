import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { pairs, readTmx, tmx } from '#test/translation-memory/tmx.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { choose as chooseOption } from './kit.ts';
import { patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const choose = (page: Page, name: string, text: string) =>
  page.getByLabel('File', { exact: true }).setInputFiles({
    name,
    mimeType: '',
    buffer: Buffer.from(text),
  });

/** Selects the languages of a file. The search above the form has the same fields. */
async function choosePair(page: Page) {
  const form = page.getByRole('group');
  await form.getByLabel('From').selectOption('English');
  await form.getByLabel(/^To/).selectOption('French');
}

/** The rows of segments or terms, without the row that adds a term. */
const rowsOf = (page: Page) => page.locator('main tbody tr:not(:has(form))');

describe.skipIf(withoutBrowser)('a member at /app/glossaries', () => {
  test('sees the wrong line of a file, corrects it, searches the terms and deletes the glossary', async () => {
    const { page } = await signedIn(app, browser, '/app/glossaries');
    await page.getByText('No glossaries yet.').waitFor();
    const header = 'source_term,target_term,source_lang,target_lang,case_sensitive';
    await choose(page, 'house.csv', `${header}\nlease,bail,en,fr,\n"contract,contrat,en,fr,\n`);
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('terminology_file: line 3:').waitFor();
    await page.getByRole('figure', { name: 'Line 3 of your file' }).getByText('"contract,contrat').waitFor();
    await page.getByText('No glossaries yet.').waitFor();

    await choose(
      page,
      'house.csv',
      `${header}\nlease,bail,en,fr,\nContract 100%,contrat,en,fr,true\nrent,,en,fr,\n`,
    );
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Changes to house' });
    await preview.getByText('2 added').waitFor();
    await preview.getByText('rent,,en,fr,').waitFor();
    expect(await preview.getByRole('row').allInnerTexts()).toEqual([
      expect.anything(),
      expect.stringMatching(/Added\s+lease\s+bail\s+2/),
      expect.stringMatching(/Added\s+Contract 100%\s+contrat\s+3/),
    ]);
    // Nothing is stored before the member confirms.
    await page.getByText('No glossaries yet.').waitFor();
    // The form is empty as soon as the result is shown, because the next file usually becomes another glossary.
    const nameWithResult = page.evaluate(
      () =>
        new Promise((resolve) => {
          const look = () =>
            document.querySelector('main .notice') &&
            resolve(document.querySelector<HTMLInputElement>('main form input[maxlength="128"]')?.value);
          new MutationObserver(look).observe(document, { childList: true, subtree: true });
        }),
    );
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('house now has 2 terms.').first().waitFor();
    await page.getByText('entries without a source or target term were skipped: line 4').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await nameWithResult).toBe('');
    await page.getByRole('rowheader', { name: 'house' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'house' }).waitFor();
    await expect.poll(() => rowsOf(page).count()).toBe(2);
    await page.getByRole('searchbox', { name: 'Text' }).fill('0%');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await expect.poll(() => rowsOf(page).allInnerTexts()).toEqual([expect.stringContaining('Contract 100%')]);
    await page.waitForURL('**?text=0%25');
    await chooseOption(page.getByRole('main'), 'Search in', 'Translation');
    await page.getByText('No results.').waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL('**/app/glossaries');
    await page.getByText('No glossaries yet.').waitFor();
  });
});

describe.skipIf(withoutBrowser)('a member at /app/memories', { timeout: 120_000 }, () => {
  test('imports 6,000 units, finds a word in them, exports them and deletes them', async () => {
    const { page } = await signedIn(app, browser, '/app/memories');
    await choose(page, 'contracts.tmx', tmx(pairs(6000)));
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('Select a language.').waitFor();
    await choosePair(page);
    await page.getByRole('button', { name: 'Upload' }).click();
    const imports = page.getByRole('region', { name: 'Background imports' });
    await imports.getByText('In progress').waitFor({ timeout: 60_000 });
    expect(await imports.getByRole('progressbar').count()).toBe(1);
    // After a reload, a running import is shown again.
    await page.reload();
    await imports.getByText('6,000 segments').waitFor();
    await withWorkers(app, () => imports.getByText('Completed').waitFor());
    await page.getByRole('link', { name: 'contracts' }).waitFor();

    await page.getByRole('link', { name: 'Concordance' }).first().click();
    await page.getByRole('heading', { name: 'Concordance', level: 1 }).waitFor();
    await page.getByLabel('From').selectOption('English');
    await page.getByLabel(/^To/).selectOption('French');
    await page.getByRole('searchbox', { name: 'Text' }).fill('SENTENCE 29');
    await page.getByLabel('Whole words only').check();
    await expect.poll(() => rowsOf(page).count(), patient).toBe(1);
    expect(await page.locator('mark').allInnerTexts()).toEqual(['sentence 29']);
    await page.getByLabel('Whole words only').uncheck();
    // The numbers that contain 29, such as 29 and 290 to 299: 219 units, of which the first page is shown.
    await expect.poll(() => rowsOf(page).count(), patient).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rowsOf(page).count(), patient).toBe(100);
    await page.getByRole('link', { name: 'contracts' }).first().click();

    await page.getByRole('heading', { name: 'contracts' }).waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as TMX' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/\.tmx$/);
    expect(readTmx(await readFile(await saved.path())).units).toHaveLength(6000);

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL('**/app/memories');
    await page.getByText('No translation memories yet.').waitFor();
  });

  test('a file that is not TMX is rejected with its wrong line, and nothing is imported', async () => {
    const { page } = await signedIn(app, browser, '/app/memories');
    await choose(page, 'broken.tmx', tmx([['Hello', 'Bonjour']]).replace('</seg>', '</segment>'));
    await choosePair(page);
    await page.getByRole('button', { name: 'Upload' }).click();
    await page
      .getByRole('alert')
      .getByText(/line 4/)
      .waitFor();
    await page.getByRole('figure', { name: 'Line 4 of your file' }).getByText('</segment>').waitFor();
    await page.getByText('No translation memories yet.').waitFor();
  });
});
