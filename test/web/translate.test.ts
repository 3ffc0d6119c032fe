import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a person at /app/translate', () => {
  test('translates a text into two languages, sees its weight before, and downloads it', async () => {
    const { page } = await signedIn(app, browser, '/app/translate');
    await page.getByLabel('Text to translate').fill('The cat sleeps. 😀');
    await page.getByText('17 of at most 50,000 characters').waitFor();
    await page.getByLabel('Find a language').first().fill('German');
    await page.getByLabel('German', { exact: true }).first().check();
    await page.getByLabel('Find a language').first().fill('Japan');
    await page.getByLabel('Japanese', { exact: true }).first().check();
    // 17 for German, and 17 × 3.5, rounded up, for Japanese.
    await page.getByText('2 translations take 77 characters of the allowance.').waitFor();
    await page.getByRole('button', { name: 'Translate' }).click();
    const german = page.getByRole('article').filter({ hasText: 'German' });
    await german.getByText('[de] The cat sleeps. 😀').waitFor();
    await page.getByText('[ja] The cat sleeps. 😀').waitFor();
    const download = page.waitForEvent('download');
    await german.getByRole('button', { name: 'Download TXT' }).click();
    const file = await (await download).createReadStream();
    expect((await file.toArray()).join('')).toContain('[de] The cat sleeps. 😀');
    await german.getByRole('link', { name: 'Open the job' }).click();
    await page.getByRole('heading', { name: 'Translation job' }).waitFor();
  });
});
