import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { expectAccessible } from './accessibility.ts';
import { selectInterfaceLanguage } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';
import { field, opened, openReview, said, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Selects words in the same way as a mouse, as far as the screen can notice. */
async function selectWords(page: Page, words: string): Promise<void> {
  // The source is rendered again when its terms and matches arrive, and a selection in it is lost.
  await page.waitForLoadState('networkidle');
  await page.evaluate((wanted) => {
    for (const element of document.querySelectorAll('[data-source]')) {
      const text = element.firstChild as Text;
      const at = text.data.indexOf(wanted);
      if (at < 0) continue;
      (document.activeElement as HTMLElement | null)?.blur();
      getSelection()?.setBaseAndExtent(text, at, text, at + wanted.length);
    }
  }, words);
}

const selectInField = (page: Page, words: string) =>
  field(page).evaluate((element: HTMLTextAreaElement, wanted) => {
    element.focus();
    const at = element.value.indexOf(wanted);
    element.setSelectionRange(at, at + wanted.length);
  }, words);

describe.skipIf(withoutBrowser)('selected words become a glossary term', () => {
  test('words of the source and the translation, with the button, and the next translation uses them', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    const sets = setsOf(app, headers);
    await sets.glossary(['order,commande'], { name: 'House', source_lang: 'en', target_lang: 'fr-FR' });
    await sets.glossary(['order,Bestellung'], { name: 'German', source_lang: 'en', target_lang: 'de' });
    await waitingJobs(app, headers, ['Pay the invoice now.']);
    await openReview(page);
    await field(page).fill('Payez la facture.');
    await selectWords(page, 'invoice');
    await selectInField(page, 'facture');
    await page.getByRole('button', { name: 'Add “invoice” to a glossary' }).click();
    const dialog = page.getByRole('dialog');
    const term = dialog.getByLabel('Term (English)');
    const translation = dialog.getByLabel('Translation (French)');
    expect([await term.inputValue(), await translation.inputValue()]).toEqual(['invoice', 'facture']);
    expect([await term.getAttribute('lang'), await translation.getAttribute('lang')]).toEqual(['en', 'fr']);
    expect(await dialog.getByLabel('Glossary').locator('option').allInnerTexts()).toEqual(['House']);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await said(page, 'Added to House.');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // The new term is in the side column immediately, and the edited text stays.
    await page.getByRole('tab', { name: /^Terms/ }).click();
    await page.getByRole('tabpanel').getByRole('button', { name: 'facture' }).waitFor();
    expect(await field(page).inputValue()).toBe('Payez la facture.');

    const { body } = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'The invoice.', target_lang: 'fr' },
    });
    expect(body.request.metadata.terminology_gate.matched_source_terms).toEqual(['invoice']);
  });

  test('only by keyboard; an existing term is announced, other translations are listed', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    await setsOf(app, headers).glossary(['invoice,facture'], { name: 'House' });
    await waitingJobs(app, headers, ['Pay the invoice now.']);
    await openReview(page);
    await field(page).fill('Payez la facture.');
    await selectInField(page, 'facture');
    await page.keyboard.press('Control+i');
    const dialog = page.getByRole('dialog');
    // No words are selected in the source, so the focus is in the dialog's field for the source term.
    await page.waitForFunction(() => document.activeElement?.matches('dialog input[lang=en]'));
    await page.keyboard.type('invoice');
    await page.keyboard.press('Enter');
    await dialog.getByText('The glossary already has this term with this translation.').waitFor();
    await dialog.getByLabel('Translation (French)').fill('note');
    await page.keyboard.press('Enter');
    await dialog.getByText('Added to House.').waitFor();
    await dialog.getByRole('listitem').getByText('facture').waitFor();
    await page.keyboard.press('Escape');
    // The focus has returned to the text field.
    expect(await page.evaluate(() => document.activeElement?.matches('[data-edited]'))).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page
      .getByRole('dialog')
      .getByText('Add the selected words to a glossary', { exact: true })
      .waitFor();
  });

  test('words selected in one item are not offered in the next, nor words outside of a source', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    await waitingJobs(app, headers, ['Pay the invoice now.', 'Second item.']);
    await openReview(page);
    const offer = page.getByRole('button', { name: /^Add “/ });
    await selectWords(page, 'invoice');
    await offer.waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'Second item.');
    expect(await offer.count()).toBe(0);
    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('h1') as Element));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await offer.count()).toBe(0);
    // If the workspace has no glossary, the dialog links to the page that creates one.
    await page.keyboard.press('Control+i');
    await page.getByRole('dialog').getByRole('link', { name: 'Upload a glossary' }).click();
    await page.waitForURL('**/app/glossaries');
  });

  test('without a glossary for the languages, creates one in the same step, by keyboard', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    const sets = setsOf(app, headers);
    // The proposed name is taken by a glossary of other languages.
    await sets.glossary(['order,Bestellung'], {
      ...{ name: 'English → French', source_lang: 'en', target_lang: 'de' },
    });
    await waitingJobs(app, headers, ['Pay the invoice now.']);
    await openReview(page);
    await field(page).fill('Payez la facture.');
    await selectWords(page, 'invoice');
    await selectInField(page, 'facture');
    await page.keyboard.press('Control+i');
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name of the new glossary');
    expect(await name.inputValue()).toBe('English → French');
    await expectAccessible(page);
    if (process.env['SCREENSHOTS'])
      await page.screenshot({ path: `${process.env['SCREENSHOTS']}/new-term-without-glossary.png` });
    await page.waitForFunction(() => document.activeElement?.matches('dialog input'));
    await page.keyboard.press('Enter');
    await dialog.getByText('Another glossary has this name.').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await name.fill('House');
    // A term that the service rejects leaves the new glossary, and the next attempt adds the term to it.
    await dialog.getByLabel('Translation (French)').fill('x'.repeat(501));
    await page.keyboard.press('Enter');
    await dialog.getByText('must have at most 500 characters').waitFor();
    expect(await dialog.getByLabel('Glossary').locator('option').allInnerTexts()).toEqual(['House']);
    await dialog.getByLabel('Translation (French)').fill('facture');
    await page.keyboard.press('Enter');
    await said(page, 'Added to House.');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await sets.glossaries()).toMatchObject([
      { name: 'House', source_lang: 'en', target_lang: 'fr', entry_count: 1 },
      { name: 'English → French', entry_count: 1 },
    ]);
  });

  test('in the segments of a document, with the translation of the open segment', async () => {
    const founder = await signedIn(app, browser, '/app');
    const { page, apiKey } = founder;
    await setsOf(app, { 'x-api-key': apiKey }).glossary(['order,commande'], { name: 'House' });
    const id = await sendDocument(app, founder, workbookFile(['Pay the invoice', 'The other line']));
    await page.goto(`/app/edit/documents/${id}`);
    const first = page.getByRole('textbox', { name: 'Translation of segment 1' });
    await first.fill('facture');
    await first.press('Control+a');
    await selectWords(page, 'invoice');
    await page.getByRole('button', { name: 'Add “invoice” to a glossary' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Translation (French)').inputValue()).toBe('facture');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await said(page, 'Added to House.');
  });

  test('accessible in light and dark, in English and Arabic, 320 px wide too', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    await setsOf(app, headers).glossary(['order,commande'], { name: 'N'.repeat(128) });
    await waitingJobs(app, headers, [`Pay the ${'invoice'.repeat(20)} now.`]);
    await openReview(page);
    const look = async () => {
      await selectWords(page, 'invoice'.repeat(20));
      await page
        .getByRole('button', { name: /invoiceinvoice/ })
        .last()
        .waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Control+i');
      await page.getByRole('dialog').locator('select').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
    };
    await look();
    await selectInterfaceLanguage(page, 'ar');
    await page.locator('html[dir=rtl]').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 700 });
    await look();
  });
});
