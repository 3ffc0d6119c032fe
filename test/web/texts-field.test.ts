import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, noteReplaced, opened, patient } from './reviewing.ts';
import { openTexts, typed, waits } from './texts-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('the field of a text', () => {
  test('leaves the keys of an input method alone', async () => {
    const { page, context, stored } = await openTexts(app, browser, ['Japan', 'Another one'], 'ja');
    await field(page).fill('');
    const input = await context.newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    // The Enter key that ends a composition, in the form in which Chromium and Safari report it.
    await field(page).evaluate((element) => {
      const enter = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', { ...enter, isComposing: true }));
      element.dispatchEvent(new KeyboardEvent('keydown', { ...enter, keyCode: 229 }));
    });
    await input.send('Input.insertText', { text: '日本' });
    await opened(page, 'Japan');
    expect((await stored(0)).status).toBe(waits);
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Another one');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('日本');
  });

  test('decides once while a key is held', async () => {
    const { page, statuses } = await openTexts(app, browser, ['One', 'Two', 'Three']);
    await page.keyboard.down('Control');
    for (const _ of [1, 2, 3]) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    await opened(page, 'Two');
    await expect.poll(statuses, patient).toEqual(['published', waits, waits]);
    await page.waitForTimeout(500);
    expect(await statuses()).toEqual(['published', waits, waits]);
  });

  test('does not change, and keeps its caret, when a draft is stored', async () => {
    const { page, stored } = await openTexts(app, browser, ['One', 'Two']);
    await noteReplaced(page);
    await page.keyboard.press('Home');
    await page.keyboard.type('A ');
    await page.getByText(/Saved \d/).waitFor();
    expect((await stored(0)).final_translation).toBe('A [fr] One');
    expect(await page.evaluate('replaced')).toEqual([]);
    await page.keyboard.type('B ');
    expect(await field(page).inputValue()).toBe('A B [fr] One');
  });

  test('has the direction of the translation', async () => {
    const { page } = await openTexts(app, browser, ['Welcome to {city}'], 'ar');
    const direction = await field(page).evaluate((element) => [
      (element as HTMLElement).lang,
      getComputedStyle(element).direction,
    ]);
    expect(direction).toEqual(['ar', 'rtl']);
  });

  test('gets missing placeholders and TM matches by a key', async () => {
    const { page, other } = await openTexts(app, browser, [
      'The door is open.',
      'The door is open now.',
      'Dear {name}, hello.',
    ]);
    await other(0, { action: 'approve', final_translation: 'La porte est ouverte.' });
    await page.goto('/app/edit/texts');
    await page.getByRole('tab', { name: 'Memory' }).click();
    await page
      .getByRole('button', { name: /^Insert/ })
      .last()
      .waitFor();
    await field(page).focus();
    await page.keyboard.press('Alt+1');
    expect(await field(page).inputValue()).toBe('La porte est ouverte.');
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'Dear');
    await typed(page, 'Bonjour ');
    await page.keyboard.press('Control+.');
    expect(await field(page).inputValue()).toBe('Bonjour {name}');
  });

  test('keeps the focus when the draft of a colleague appears in it', async () => {
    const { page, context, other } = await openTexts(app, browser, ['One', 'Two']);
    await field(page).focus();
    await other(0, { action: 'save', final_translation: 'Leur texte' });
    // The list is loaded again.
    await context.setOffline(true);
    await page.getByText('Offline. Everything is saved.').first().waitFor();
    await context.setOffline(false);
    await expect.poll(() => field(page).inputValue(), patient).toBe('Leur texte');
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' et le mien');
    expect(await field(page).inputValue()).toBe('Leur texte et le mien');
  });
});
