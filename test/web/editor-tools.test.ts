import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument, opened } from './document-editor.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';
import { field, patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const value = (page: Page) => field(page).inputValue();

describe.skipIf(withoutBrowser)('tools of the editor', () => {
  test('F8 goes through the open findings in both directions, and starts again after the last one', async () => {
    const texts = ['One', 'Pay 2,500 euros', 'Three', 'Pay 700 euros'];
    const { page, correct } = await openDocument(app, browser, texts);
    await correct(1, 'Payez en euros');
    await correct(3, 'Payez des euros');
    for (const [key, number] of [
      ['F8', 2],
      ['F8', 4],
      ['F8', 2],
      ['Shift+F8', 4],
      ['Shift+F8', 2],
    ] as const) {
      await page.keyboard.press(key);
      await opened(page, number);
    }
  });

  test('the case of a word changes by the rules of its language, and back', async () => {
    const { page } = await openDocument(app, browser, ['One', 'Two']);
    await field(page).fill('élan vital. oui');
    await page.keyboard.press('Home');
    const forms: string[] = [];
    for (let times = 0; times < 3; times += 1) {
      await page.keyboard.press('Shift+F3');
      await expect.poll(() => value(page)).not.toBe(forms.at(-1) ?? 'élan vital. oui');
      forms.push(await value(page));
    }
    expect(forms).toEqual(['ÉLAN vital. oui', 'Élan vital. oui', 'élan vital. oui']);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Shift+F3');
    await page.keyboard.press('Shift+F3');
    await page.keyboard.press('Shift+F3');
    await expect.poll(() => value(page)).toBe('Élan vital. Oui');
    await page.keyboard.press('Control+z');
    await expect.poll(() => value(page)).toBe('Élan Vital. Oui');
  });

  test('an error of the machine translation is marked by keys, and its row shows it to all members', async () => {
    const { page, correct } = await openDocument(app, browser, ['Pay the deposit', 'Two']);
    await correct(1, 'Deux');
    await page.reload();
    await field(page).waitFor();
    await field(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(5, 8));
    await page.keyboard.press('Alt+q');
    const form = page.getByRole('form', { name: 'Mark error' });
    await form.getByText('Pay', { exact: true }).waitFor();
    await expectAccessible(page);
    for (const key of ['3', 'c', 'Enter']) await page.keyboard.press(key);
    await form.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
    const marks = page.getByRole('list', { name: 'Marked errors' }).getByRole('listitem');
    await expect.poll(() => marks.allTextContents(), patient).toEqual(['CriticalTerminology: Pay']);
    // The machine translation does not have the words of the reviewer.
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 2);
    await field(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(0, 4));
    await page.keyboard.press('Alt+q');
    await form.getByText('Error in the whole machine translation').waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await expect.poll(() => marks.allTextContents(), patient).toEqual(['CriticalTerminology: Pay']);
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('button', { name: 'Remove the mark: Terminology' }).click();
    await expect.poll(() => marks.count(), patient).toBe(0);
  });

  test('keys are found in the help by name and by key', async () => {
    const { page } = await openDocument(app, browser, ['One', 'Two']);
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await page.locator('[role=grid]').focus();
    await page.keyboard.press('?');
    for (const sought of ['confirm and', 'ctrl+⏎']) {
      await keys.getByRole('searchbox').fill(sought);
      await keys
        .getByRole('listitem')
        .filter({ hasText: 'Confirm and open next' })
        .getByText('Ctrl+⏎')
        .waitFor();
    }
    await expectAccessible(page);
  });

  test('misspelled words are marked, corrected by key and click, and added for all members', async () => {
    const { page } = await openDocument(app, browser, ['Hello', 'Two'], { targetLang: 'nl' });
    const marked = page.locator('[class*=misspelled]');
    // The last word is a compound; the others are correct, a placeholder and an address.
    await field(page).fill('Hello Zuiqel, het beginnt op {dgg} bij me@exmple.org in de huurovereenkomst');
    await expect.poll(() => marked.allTextContents(), { timeout: 30_000 }).toEqual(['Zuiqel', 'beginnt']);
    await page.keyboard.press('Home');
    await page.keyboard.press('F7');
    const bar = page.getByRole('toolbar', { name: 'Suggestions for “Zuiqel”' });
    await bar.waitFor();
    await expectAccessible(page);
    await bar.getByRole('button', { name: 'Add to the workspace’s words' }).click();
    await expect.poll(() => marked.allTextContents(), patient).toEqual(['beginnt']);
    await page.keyboard.press('F7');
    const best = page.getByRole('toolbar', { name: 'Suggestions for “beginnt”' }).getByRole('button').first();
    await expect.poll(() => best.evaluate((one) => one === document.activeElement), patient).toBe(true);
    await expect.poll(() => best.textContent()).toBe('begint');
    await expect.poll(() => best.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    expect(await value(page)).toContain('het begint op');
    await expect.poll(() => marked.count(), patient).toBe(0);
    await page.keyboard.press('Control+s');
    await page.reload();
    await field(page).fill('Zuiqel wordt zuikel');
    await expect.poll(() => marked.allTextContents(), { timeout: 30_000 }).toEqual(['zuikel']);
    await field(page).press('End');
    await field(page).click({ position: { x: 130, y: 14 } });
    await page.getByRole('toolbar', { name: 'Suggestions for “zuikel”' }).waitFor();
    expect(await field(page).evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test('special characters are inserted at the caret by keys', async () => {
    const { page } = await openDocument(app, browser, ['One', 'Two']);
    await field(page).fill('oeuvre');
    await page.keyboard.press('Home');
    await page.keyboard.press('Alt+i');
    const bar = page.getByRole('toolbar', { name: 'Special characters' });
    await expect
      .poll(
        () =>
          bar
            .getByRole('button', { name: '«', exact: true })
            .evaluate((one) => one === document.activeElement),
        patient,
      )
      .toBe(true);
    await expectAccessible(page);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await value(page)).toBe('»oeuvre');
    await page.keyboard.press('Control+Shift+Space');
    expect(await value(page)).toBe('»\u00a0oeuvre');
    await page.keyboard.press('Alt+i');
    await bar.waitFor({ state: 'detached' });
  });

  test('the changes since the machine translation are shown in the rows, and it can be restored', async () => {
    const { page, correct } = await openDocument(app, browser, ['One', 'Two']);
    await correct(1, '[fr] Deux');
    await page.reload();
    await field(page).fill('[fr] Un');
    await page.keyboard.press('Alt+m');
    await page.locator('del', { hasText: 'One' }).waitFor();
    await page.locator('ins', { hasText: 'Deux' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Restore it' }).click();
    await page.getByText('Same as the machine translation.').waitFor();
    expect(await value(page)).toBe('[fr] One');
  });

  test('F3 searches the TM for the selected words or the word at the caret, then on the other side, and marks the hits', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const sets = setsOf(app, { 'x-api-key': founder.apiKey });
    await sets.memory([['The notice period is long', 'Le préavis est long']]);
    const id = await sendDocument(app, founder, workbookFile(['Give notice now', 'Two']));
    await page.goto(`/app/edit/documents/${id}`);
    await field(page).fill('Un préavis');
    await page.keyboard.press('End');
    await page.keyboard.press('F3');
    const hit = page.getByRole('tabpanel').locator('mark');
    await expect.poll(() => hit.allTextContents(), patient).toEqual(['préavis']);
    await expectAccessible(page);
    await page.keyboard.press('F3');
    await page.getByText('Nothing found.').waitFor();
    await page
      .locator('[data-source]')
      .first()
      .evaluate((source) => {
        (document.activeElement as HTMLElement).blur();
        const range = document.createRange();
        range.setStart(source.firstChild as Node, 5);
        range.setEnd(source.firstChild as Node, 11);
        getSelection()?.removeAllRanges();
        getSelection()?.addRange(range);
      });
    await page.keyboard.press('F3');
    await expect.poll(() => hit.allTextContents(), patient).toEqual(['notice']);
  });

  test('filters by finding, TM match, reviewer and regular expression are in the URL, and the same segment is open after a reload', async () => {
    const { page, correct } = await openDocument(app, browser, ['Pay 10 euros', 'Two', 'Pay 20 euros']);
    await correct(0, 'Payez');
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('TM match').selectOption({ label: 'No match (3)' });
    await page.getByLabel('Finding').selectOption({ label: 'Accuracy (1)' });
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('row').count(), patient).toBe(2);
    await page.getByRole('button', { name: 'Remove filter: Accuracy' }).click();
    await page.getByRole('button', { name: 'Regular expression' }).click();
    await page.getByRole('searchbox', { name: 'Find in source and translation' }).fill('^pay \\d+');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('row').count(), patient).toBe(3);
    await page.getByRole('row').nth(2).click();
    await opened(page, 3);
    await page.reload();
    await opened(page, 3);
    expect(new URL(page.url()).searchParams.get('pattern')).toBe('^pay \\d+');
  });

  test('a confirmation fills the repetitions only if that is selected', async () => {
    const { page, targets } = await openDocument(app, browser, ['One', 'Two', 'One', 'One']);
    await page.getByRole('checkbox', { name: 'Also 2 repetitions' }).waitFor();
    await page.keyboard.press('Alt+p');
    await field(page).fill('Un');
    await page.keyboard.press('Control+Enter');
    await opened(page, 2);
    await expect.poll(targets, patient).toEqual(['Un', '[fr] Two', '[fr] One', '[fr] One']);
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 3);
    await page.getByRole('checkbox', { name: 'Also 2 repetitions' }).check();
    await field(page).fill('Une');
    await page.keyboard.press('Control+Enter');
    await expect.poll(targets, patient).toEqual(['Un', '[fr] Two', 'Une', 'Une']);
  });
});
