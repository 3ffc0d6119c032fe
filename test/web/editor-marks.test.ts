import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';
import { field, patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const pair = { source_lang: 'en', target_lang: 'fr' };

/** Opens a document with these texts in the editor, in a workspace with a glossary of these lines. */
async function editorOf(texts: readonly string[], glossary: string[] = []) {
  const founder = await signedIn(app, browser, '/app/files');
  const sets = setsOf(app, { 'x-api-key': founder.apiKey });
  if (glossary.length > 0) await sets.glossary(glossary, { name: 'House', ...pair });
  const id = await sendDocument(app, founder, workbookFile([...texts]));
  const requests: string[] = [];
  founder.page.on('request', (request) => {
    if (request.url().includes('terminology.matches')) requests.push(request.url());
  });
  await founder.page.goto(`/app/edit/documents/${id}`);
  await field(founder.page).waitFor();
  return { page: founder.page, sets, requests };
}

/** The underlined terms in the sources of all rows that are in the page. */
const terms = (page: Page) =>
  page
    .locator('[role=gridcell]:nth-child(2) [class*=term]')
    .evaluateAll((marks) => marks.map((mark) => [mark.textContent, (mark as HTMLElement).title]));

describe.skipIf(withoutBrowser)('terms in the rows', () => {
  test('are underlined in all visible rows with their translation, with few requests', async () => {
    const texts = Array.from({ length: 300 }, (_, index) => `Sign lease ${index}`);
    const { page, requests } = await editorOf(texts, ['lease,bail']);
    const rows = await page.getByRole('row').count();
    expect(rows).toBeGreaterThan(10);
    await expect.poll(async () => (await terms(page)).length, patient).toBeGreaterThan(10);
    expect((await terms(page))[5]).toEqual(['lease', 'bail']);
    expect(requests.length).toBeLessThanOrEqual(3);
    await expectAccessible(page);
    // A segment that was a visible row is opened without another request.
    const before = requests.length;
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Translation of segment 2', exact: true }).waitFor();
    await page.getByRole('tab', { name: /^Terms/ }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'bail' }).waitFor();
    expect(requests.length).toBe(before);
    // Far below, the rows have theirs.
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('textbox', { name: 'Translation of segment 300' }).waitFor();
    await expect.poll(async () => (await terms(page)).length, patient).toBeGreaterThan(5);
    expect(requests.length).toBeLessThanOrEqual(before + 4);
  });
});

describe.skipIf(withoutBrowser)('a changed number', () => {
  test('is corrected by a key in the format of the target language, and undone by one key', async () => {
    const { page } = await editorOf(['Pay 2,500.00 euros', 'Two']);
    await field(page).fill('Payez 2 050,00 euros');
    const button = page.getByRole('button', { name: 'Use 2\u202f500,00' });
    await button.waitFor(patient);
    await expectAccessible(page);
    await field(page).press('Alt+Enter');
    expect(await field(page).inputValue()).toBe('Payez 2\u202f500,00 euros');
    await expect.poll(() => button.count(), patient).toBe(0);
    await expect.poll(() => page.getByText('The number 2,500.00').count(), patient).toBe(0);
    await page.keyboard.press('Control+z');
    expect(await field(page).inputValue()).toBe('Payez 2 050,00 euros');
    await button.click();
    expect(await field(page).inputValue()).toBe('Payez 2\u202f500,00 euros');
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
  });
});
