import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';
import { field, patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const body = paragraph(run('Pay '), run('all', '<w:b/>'), run(' of '), link(run('this bill')), run(' now.'));

/** Opens a Word file with bold words and a link. */
const openLetter = (...more: string[]) =>
  openDocument(app, browser, new File([new Uint8Array(wordFile([body, ...more].join('')))], 'Letter.docx'));

/** A tag as in the field: isolating characters surround it. */
const tag = (text: string) => text.replace(/<[\d/]+>/g, '\u2066$&\u2069');
const shown = async (page: Page) => (await field(page).inputValue()).replace(/[\u2066\u2069]/g, '');
/** Puts the caret after a text, in which tags are written without isolating characters. */
const caretAfter = (page: Page, text: string) =>
  field(page).evaluate((element, before) => {
    const field = element as HTMLTextAreaElement;
    field.focus();
    const at = field.value.indexOf(before) + before.length;
    field.setSelectionRange(at, at);
  }, tag(text));
const caret = (page: Page) =>
  field(page).evaluate((element) => {
    const { value, selectionStart } = element as HTMLTextAreaElement;
    return value.slice(0, selectionStart).replace(/[\u2066\u2069]/g, '');
  });
const source = (page: Page) => page.locator('[role=gridcell]:has([data-source])');
const tagged = '[fr] Pay <2>all</2> of <1>this bill</1> now.';

describe.skipIf(withoutBrowser)('tags in the editor', () => {
  test('are chips in the source and the field, with number, format and a name', async () => {
    const { page } = await openLetter();
    expect(await shown(page)).toBe(tagged);
    const names = ['Bold 2, start', 'Bold 2, end', 'Link or style 1, start', 'Link or style 1, end'];
    const chips = source(page).getByRole('img');
    expect(await chips.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual(names);
    // The chip of bold text is bold, and covers the characters of its tag.
    const inField = page.locator('textarea ~ [aria-hidden] > [data-tag="2"]').first();
    await inField.waitFor();
    const drawn = await inField.evaluate((chip) => {
      const { content, fontWeight, backgroundColor } = getComputedStyle(chip, '::before');
      return { content, fontWeight, isOpaque: !/, 0\)$/.test(backgroundColor), width: chip.clientWidth };
    });
    expect(drawn).toMatchObject({ content: '"B\u00a02"', fontWeight: '800', isOpaque: true });
    await expectAccessible(page);
  });

  test('are crossed and deleted whole, a pair with both chips, and one undo restores them', async () => {
    const { page } = await openLetter();
    await page.waitForLoadState('networkidle');
    await caretAfter(page, '[fr] Pay ');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => caret(page)).toBe('[fr] Pay <2>');
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => caret(page)).toBe('[fr] Pay ');
    await caretAfter(page, '[fr] Pay <2>all</2>');
    await page.keyboard.press('Backspace');
    expect(await shown(page)).toBe('[fr] Pay all of <1>this bill</1> now.');
    await expect.poll(() => caret(page)).toBe('[fr] Pay all');
    await page.keyboard.press('Control+z');
    expect(await shown(page)).toBe(tagged);
    await caretAfter(page, '[fr] Pay ');
    await page.keyboard.press('Delete');
    expect(await shown(page)).toBe('[fr] Pay all of <1>this bill</1> now.');
    // Keys that follow fast find the caret in a chip, before an event has moved it.
    await page.keyboard.press('Control+z');
    await field(page).evaluate((element, between) => {
      const field = element as HTMLTextAreaElement;
      const at = field.value.indexOf(between) + 2;
      field.setSelectionRange(at, at);
      document.execCommand('delete');
    }, tag('<2>'));
    expect(await shown(page)).toBe('[fr] Pay all of <1>this bill</1> now.');
    await page.keyboard.press('Control+z');
    expect(await shown(page)).toBe(tagged);
    await page.keyboard.press('Control+Shift+z');
    expect(await shown(page)).toBe('[fr] Pay all of <1>this bill</1> now.');
    // A part of a chip that another action has deleted is removed, too.
    await caretAfter(page, 'this bill</1>');
    await page.keyboard.press('Control+Backspace');
    await expect.poll(() => shown(page), patient).not.toContain('<');
  });

  test('that are missing are named before the segment is confirmed, and a key puts them around words', async () => {
    const { page, segments } = await openLetter();
    await page.waitForLoadState('networkidle');
    await field(page).fill('Payez toute cette facture.');
    const buttons = page.getByRole('button', { name: /^Insert / });
    expect(await buttons.evaluateAll((all) => all.map((one) => one.textContent?.trim()))).toHaveLength(2);
    await page.getByText('The tag <1>…</1> of the source is missing.').waitFor(patient);
    await page.getByText('The tag <2>…</2> (bold) of the source is missing.').waitFor();
    await field(page).focus();
    // Selects "toute", with the space after it.
    await caretAfter(page, 'Payez ');
    for (let count = 0; count < 6; count++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+.');
    expect(await shown(page)).toBe('Payez <2>toute</2> cette facture.');
    await field(page).evaluate((element) => {
      const { value } = element as HTMLTextAreaElement;
      const at = value.indexOf('cette facture');
      (element as HTMLTextAreaElement).setSelectionRange(at, at + 'cette facture'.length);
    });
    await source(page).locator('[data-tag="1"]').first().click();
    expect(await shown(page)).toBe('Payez <2>toute</2> <1>cette facture</1>.');
    expect(await buttons.count()).toBe(0);
    await expect.poll(() => page.getByText('of the source is missing').count(), patient).toBe(0);
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => (await segments())[0], patient)
      .toMatchObject({ target_text: 'Payez toute cette facture.', confirmed_at: expect.any(String) });
    await page.reload();
    await expect.poll(() => shown(page), patient).toBe('Payez <2>toute</2> <1>cette facture</1>.');
  });

  test('keep their width in the copy of the text, so that all chips cover their characters', async () => {
    const { page } = await openLetter();
    const sizes = await page.locator('[data-edited]').evaluate((element) => {
      const [copy] = element.parentElement!.children;
      return [(copy as HTMLElement).clientHeight, element.clientHeight, element.scrollHeight];
    });
    expect(new Set(sizes).size).toBe(1);
  });
});
