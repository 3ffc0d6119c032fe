import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { hostileTexts } from './hostile.ts';
import { field, opened, openReview, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const ways: [string, PersonOptions][] = [
  ['light, English', { locale: 'en', colorScheme: 'light', viewport: { width: 1400, height: 900 } }],
  ['dark, Arabic, 320 px', { locale: 'ar', colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
  ['light, German, 800 px', { locale: 'de', colorScheme: 'light', viewport: { width: 800, height: 640 } }],
];

/** One text of each kind. One translation lacks its placeholder. */
const hostile = [
  '<img src=x onerror="window.harmed = true"> {name}',
  ...hostileTexts.filter((text) => text.startsWith('</textarea>') || text.startsWith('\u202emirrored')),
  'W'.repeat(20_000),
];

describe.skipIf(withoutBrowser)('the editor of texts is accessible, fits, and shows texts as text', () => {
  test.each(ways)('%s', async (_, options) => {
    const { page, apiKey } = await signedIn(app, browser, '/app', options);
    await page.goto('/app/edit/texts');
    await page.locator('h1').waitFor();
    await expectAccessible(page);

    await waitingJobs(app, { 'x-api-key': apiKey }, hostile, 'ar');
    await openReview(page);
    // The translation lacks the placeholder, and differs from the machine translation.
    await field(page).fill(hostile.join(' ').replace('{name}', ''));
    await page.getByRole('button').filter({ hasText: '{name}' }).last().waitFor();
    await expectAccessible(page);
    for (const text of hostile.slice(1)) {
      await page.keyboard.press('Alt+ArrowDown');
      await opened(page, text.slice(0, 4000));
    }
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    for (const key of ['?', 'Control+k']) {
      await page.keyboard.press(key);
      await page.getByRole('dialog').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(
      await page.evaluate(() => [
        'harmed' in window,
        document.querySelectorAll('main img, main script').length,
      ]),
    ).toEqual([false, 0]);
  });
});
