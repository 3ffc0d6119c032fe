import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument, opened } from './document-editor.ts';
import { corpusDocument, sendDocument } from './document-files.ts';
import { field, memberAt, noteReplaced, patient, said } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const rows = (page: Page) => page.getByRole('grid').getByRole('row');
const typed = async (page: Page, text: string) => {
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
};

describe.skipIf(withoutBrowser)('the editor of a document', () => {
  test('confirms segments by keyboard only, moves on, and undoes the last decision', async () => {
    const { page, segments } = await openDocument(app, browser, ['One', 'Two', 'Three']);
    await opened(page, 1);
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await typed(page, 'Un');
    await page.keyboard.press('Control+Enter');
    await opened(page, 2);
    await said(page, 'Segment 1 confirmed.');
    await expect.poll(async () => (await segments())[0], patient).toMatchObject({ target_text: 'Un' });
    await page.keyboard.press('Control+Enter');
    await opened(page, 3);
    await page.getByText('2 of 3').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.getByText('1 of 3').waitFor();
    expect((await segments()).map(({ confirmed_at }) => confirmed_at !== null)).toEqual([true, false, false]);
    await page.keyboard.press('Control+z');
    await page.getByText('0 of 3').waitFor();
    expect((await segments())[0]).toMatchObject({ target_text: '[fr] One', confirmed_at: null });
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(async () => (await segments())[0]?.target_text, patient).toBe('Un');
  });

  test('stores a draft while the reviewer types, and shows that it is saved', async () => {
    const { page, segments } = await openDocument(app, browser, ['One', 'Two']);
    await opened(page, 1);
    await typed(page, 'A draft');
    await page.getByText(/Saved \d/).waitFor();
    expect((await segments())[0]).toMatchObject({ target_text: 'A draft', confirmed_at: null });
    await page.getByRole('button', { name: 'Drafts 1' }).waitFor();
  });

  test('does not touch the field or the caret when a draft is stored', async () => {
    const { page, segments } = await openDocument(app, browser, ['One', 'Two']);
    await noteReplaced(page);
    await opened(page, 1);
    await page.keyboard.press('Home');
    await page.keyboard.type('A ');
    await page.getByText(/Saved \d/).waitFor();
    expect((await segments())[0]?.target_text).toBe('A [fr] One');
    expect(await page.evaluate('replaced')).toEqual([]);
    await page.keyboard.type('B ');
    expect(await field(page).inputValue()).toBe('A B [fr] One');
  });

  test('does not confirm a critical finding without a reason, and stores the reason in the history', async () => {
    const { page, segments } = await openDocument(app, browser, ['Pay 2,500 euros now.', 'Two']);
    await opened(page, 1);
    await typed(page, 'Payez 2 050 euros.');
    await page.keyboard.press('Control+Enter');
    await said(page, 'Segment 1 was not saved.');
    // The next segment is open if the checks were not done before the confirmation.
    await page.keyboard.press('Alt+o');
    await page.getByText('Not confirmed.').waitFor();
    expect((await segments())[0]?.confirmed_at).toBeNull();
    // A second press does not overrule the finding.
    await page.keyboard.press('Control+Enter');
    await page.getByRole('radio', { name: 'Requested by the client' }).check();
    await page.getByLabel('Note (at least 10 characters)').fill('Too short');
    await page.keyboard.press('Control+Shift+Enter');
    expect((await segments())[0]?.confirmed_at).toBeNull();
    await page.getByLabel('Note (at least 10 characters)').fill('The client changed the amount.');
    await page.keyboard.press('Control+Shift+Enter');
    await opened(page, 2);
    await expect.poll(async () => (await segments())[0]?.confirmed_at, patient).not.toBeNull();
    await page.getByRole('row', { name: /Payez/ }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('The client changed the amount.').waitFor();
  });

  test('fills repetitions, and a repetition can be changed alone', async () => {
    const { page, segments } = await openDocument(app, browser, ['Same', 'Other', 'Same']);
    await opened(page, 1);
    await typed(page, 'Pareil');
    await page.keyboard.press('Control+Enter');
    await said(page, '1 repetition filled.');
    await expect
      .poll(async () => (await segments()).map(({ target_text }) => target_text), patient)
      .toEqual(['Pareil', '[fr] Other', 'Pareil']);
    await rows(page).nth(3).click();
    await opened(page, 3);
    await typed(page, 'Identique');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => (await segments()).map(({ target_text }) => target_text), patient)
      .toEqual(['Pareil', '[fr] Other', 'Identique']);
  });

  test('marks placeholders, and puts a missing one back by a key', async () => {
    const { page } = await openDocument(app, browser, ['Hello {name}, welcome', 'Two']);
    await opened(page, 1);
    await typed(page, 'Bonjour ');
    await page.getByRole('button', { name: /Insert \{name\}/ }).waitFor();
    await page.keyboard.press('Control+.');
    expect(await field(page).inputValue()).toBe('Bonjour {name}');
    // The browser's undo reverts the insertion.
    await page.keyboard.press('Control+z');
    expect(await field(page).inputValue()).toBe('Bonjour ');
  });

  test('shows both texts if a colleague has changed the translation, and overwrites nothing unseen', async () => {
    const { page, correct, segments } = await openDocument(app, browser, ['One', 'Two']);
    await opened(page, 1);
    await correct(0, 'Theirs');
    await typed(page, 'Mine');
    const conflict = page.getByRole('row').filter({ hasText: 'Keep mine' });
    await conflict.getByText('Theirs', { exact: true }).first().waitFor();
    expect((await segments())[0]?.target_text).toBe('Theirs');
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await segments())[0]?.target_text, patient).toBe('Mine');
  });

  test('filters by status, and by text in source and translation', async () => {
    const { page } = await openDocument(app, browser, ['First text', 'Second text', 'Third']);
    await opened(page, 1);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Confirmed 1' }).click();
    // The first row is the head.
    await expect.poll(() => rows(page).count()).toBe(2);
    await page.getByRole('button', { name: 'All 3' }).click();
    await page.getByRole('searchbox', { name: 'Find in source and translation' }).fill('TEXT');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).count()).toBe(3);
  });

  test.each([
    ['docx/header-footer-fields.docx', 'Kind'],
    ['xlsx/charts-header-rich-text.xlsx', 'Page or sheet'],
  ])('filters by kind, page and decision, until the filter is removed: %s', async (path, label) => {
    const { page } = await openDocument(app, browser, corpusDocument(path));
    const shown = async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1;
    const all = await shown();
    await page.getByRole('button', { name: 'Filters' }).click();
    const filters = page.getByRole('dialog', { name: 'Filters' });
    const option = await filters.getByLabel(label).locator('option').nth(1).innerText();
    const [, name, count] = /^(.+) \((\d+)\)$/.exec(option) ?? [];
    await filters.getByLabel(label).selectOption({ index: 1 });
    await expect.poll(shown).toBe(Number(count));
    expect(Number(count)).toBeLessThan(all);
    await filters.getByLabel('Corrected').check();
    await page.getByText('No translations match these filters.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove filter: Corrected' }).click();
    await expect.poll(shown).toBe(Number(count));
    await page.getByRole('button', { name: `Remove filter: ${name}` }).click();
    await expect.poll(shown).toBe(all);
  });

  test('keeps opening the next segment of a filter whose matches become fewer with each confirmation', async () => {
    const { page } = await openDocument(app, browser, ['One text', 'Two texts', 'Three texts', 'Four texts']);
    await page.goto(`${page.url()}?status=todo`);
    for (const number of [1, 2, 3]) {
      await opened(page, number);
      const stored = page.waitForResponse((response) => response.url().includes('documents.save'));
      await field(page).press('Control+Enter');
      await stored;
    }
    await opened(page, 4);
    expect(await field(page).inputValue()).toBe('[fr] Four texts');
  });

  test('shows which segment a colleague has open', async () => {
    const one = await found(app);
    const other = await join(app, one);
    const id = await sendDocument(app, { apiKey: one.apiKey }, workbookFile(['One', 'Two']));
    const { page: theirs } = await memberAt(browser, other, `/app/edit/documents/${id}`);
    await opened(theirs, 1);
    const { page: mine } = await memberAt(browser, one, `/app/edit/documents/${id}`);
    await opened(mine, 1);
    await mine.keyboard.press('Alt+ArrowDown');
    await opened(mine, 2);
    await rows(mine).nth(1).getByText(`${other.email} is editing`).waitFor();
    expect(await mine.getByRole('list', { name: 'Also in this document' }).innerText()).toContain(
      other.email,
    );
  });

  test('approves all segments without findings, leaves critical ones out, and says so before', async () => {
    const { page, segments } = await openDocument(app, browser, ['One', 'Two']);
    await page.getByRole('button', { name: 'Approve all…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 segments without findings').waitFor();
    await dialog.getByRole('button', { name: 'Approve the file' }).click();
    await page.getByText('Approved', { exact: true }).waitFor();
    // The file is as it was approved until it is reopened.
    await expect.poll(() => page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
    expect((await segments()).every(({ confirmed_at }) => confirmed_at !== null)).toBe(true);
  });
});
