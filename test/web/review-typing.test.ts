import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { selectInterfaceLanguage } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, patient, said, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a reviewer who types', () => {
  test('Japanese with an input method: keys of a composition are not shortcuts', async () => {
    const founder = await found(app);
    const [job] = await waitingJobs(app, founder.key, ['Japan', 'Another one'], 'ja');
    const stored = async () =>
      (await app.json('GET', `/api/translations/${job?.id}`, { headers: founder.key })).body;
    const { page, context } = await memberAt(browser, founder, '/app');
    await openReview(page);
    await field(page).fill('');
    const input = await context.newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    // The Enter key that ends a composition, in the form in which Chromium and Safari report it.
    await field(page).evaluate((element) => {
      const enter = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', { ...enter, isComposing: true }));
      element.dispatchEvent(new KeyboardEvent('keydown', { ...enter, keyCode: 229 }));
    });
    expect(await field(page).inputValue()).toBe('にほん');
    await input.send('Input.insertText', { text: '日本' });
    await opened(page, 'Japan');
    expect(await field(page).inputValue()).toBe('日本');
    expect((await stored()).status).toBe('awaiting_review');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Another one');
    await expect.poll(async () => (await stored()).final_translation, patient).toBe('日本');

    // Single keys are also no shortcuts in the field for the reason of a rejection, or in the search field.
    const press = (element: Locator, key: string, ctrlKey = false) =>
      element.evaluate((at, init) => at.dispatchEvent(new KeyboardEvent('keydown', init)), {
        ...{ key, ctrlKey, keyCode: 229, bubbles: true, cancelable: true },
      });
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    const reason = page.getByRole('dialog').getByRole('textbox');
    await reason.fill('りゆう');
    await press(reason, 'Enter', true);
    expect(await reason.inputValue()).toBe('りゆう');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    const search = page.getByRole('searchbox', { name: 'Search source or translation' });
    await press(search, 'Escape');
    await search.and(page.locator(':focus')).waitFor();
  });

  test('and holds keys: a held key decides once, and moves on', async () => {
    const founder = await found(app);
    const jobs = await waitingJobs(app, founder.key, ['One', 'Two', 'Three', 'Four', 'Five', 'Six']);
    const stored = () =>
      Promise.all(
        jobs.map(async ({ id }) => {
          const { body } = await app.json('GET', `/api/translations/${id}`, { headers: founder.key });
          return body.status;
        }),
      );
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    const hold = async (key: string) => {
      for (const _ of [1, 2, 3]) await page.keyboard.down(key);
      await page.keyboard.up(key);
    };
    await field(page).focus();
    await page.keyboard.down('Control');
    await hold('Enter');
    await page.keyboard.up('Control');
    await opened(page, 'Two');
    await page.keyboard.press('Escape');
    await hold('a');
    await opened(page, 'Three');
    await page.keyboard.press('r');
    await page.getByRole('dialog').getByRole('textbox').fill('No');
    await page.keyboard.down('Control');
    await hold('Enter');
    await page.keyboard.up('Control');
    await opened(page, 'Four');
    await page.getByText('3 saved').waitFor();
    const waits = 'awaiting_review';
    expect(await stored()).toEqual(['published', 'published', 'rejected', waits, waits, waits]);
    await hold('j');
    await opened(page, 'Six');
    await hold('k');
    await opened(page, 'Four');
  });

  test('Arabic: the field has the direction of the translation, not of the interface', async () => {
    const founder = await found(app);
    await waitingJobs(app, founder.key, ['Welcome to {city}'], 'ar');
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    const textarea = field(page);
    expect(
      await textarea.evaluate((element) => [element.lang, element.dir, getComputedStyle(element).direction]),
    ).toEqual(['ar', 'rtl', 'rtl']);
    await selectInterfaceLanguage(page, 'ar');
    const source = page.locator('[lang=en]', { hasText: 'Welcome to {city}' }).last();
    expect(await source.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
    await textarea.fill('مرحبًا بكم');
    expect(await textarea.inputValue()).toBe('مرحبًا بكم');
  });

  test('inserts a missing placeholder with one key, and undoes it', async () => {
    const founder = await found(app);
    await waitingJobs(app, founder.key, ['Dear {name}, you have %s files.']);
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    const textarea = field(page);
    await textarea.press('Control+a');
    await page.keyboard.type('Bonjour ');
    await page.getByRole('button', { name: 'Insert missing {name}' }).waitFor();
    await page.keyboard.press('Control+.');
    expect(await textarea.inputValue()).toBe('Bonjour {name}');
    await page.keyboard.press('Control+.');
    expect(await textarea.inputValue()).toBe('Bonjour {name}%s');
    // How much one undo reverts depends on the browser.
    const undo = async () => {
      await page.keyboard.press('Control+z');
      return textarea.inputValue();
    };
    expect(await undo()).toMatch(/^Bonjour ?(\{name\})?$/);
    await expect.poll(undo, { timeout: 15_000 }).toBe('[fr] Dear {name}, you have %s files.');
  });

  test('inserts TM matches, which does not count as an edit, and restores the original text', async () => {
    const founder = await found(app);
    const [first] = await waitingJobs(app, founder.key, ['The door is open.', 'The door is open now.']);
    await app.json('POST', `/api/translations/${first?.id}/review`, {
      headers: founder.key,
      body: { action: 'approve', final_translation: 'La porte est ouverte.' },
    });
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    const textarea = field(page);
    await page.getByRole('button', { name: 'Insert' }).waitFor();
    await textarea.focus();
    await page.keyboard.press('Control+Shift+ArrowDown');
    await said(page, 'Match 1 of 1.');
    expect(await textarea.inputValue()).toBe('La porte est ouverte.');
    // The text does not count as an edit, so it is not stored.
    await page.reload();
    await textarea.waitFor();
    await page.getByRole('button', { name: 'Insert' }).waitFor();
    expect(await page.getByRole('region', { name: 'Unsent changes' }).count()).toBe(0);
    await textarea.focus();
    await page.keyboard.press('Control+Shift+ArrowDown');
    await page.keyboard.press('Control+Shift+ArrowUp');
    expect(await textarea.inputValue()).toBe('[fr] The door is open now.');
  });

  test('uses the help and the palette, and turns off single-key shortcuts', async () => {
    const founder = await found(app);
    await waitingJobs(app, founder.key, ['One', 'Two']);
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    await field(page).press('Escape');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Approve and open next').waitFor();
    await help.getByLabel('Single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await opened(page, 'One');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a file, screen or command' }).fill('next item');
    await page.keyboard.press('Enter');
    await opened(page, 'Two');
  });
});
