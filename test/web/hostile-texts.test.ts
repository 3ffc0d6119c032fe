import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Texts that would do harm as markup, as a pattern, as a message's placeholder, or by their direction and width. */
const hostile = [
  '<img src=x onerror="window.harmed = true">',
  '"><script>window.harmed = true</script>',
  '</textarea><svg onload=window.harmed=true>',
  'javascript:window.harmed=true',
  '{harmed, plural, one {x} other {y}} {0} %s #',
  '\u202emirrored\u202c and \u2066isolated',
  '\u202e'.repeat(50),
  'مرحبا <b>hello</b> שלום',
  `Z${'\u0300'.repeat(200)}algo`,
  '&lt;b&gt; &amp;amp; &#60;',
  '\u200b\u200d\ufeff👩‍👩‍👧‍👦'.repeat(20),
];

/** A text of 50,000 characters without a space. */
const endless = 'W'.repeat(50_000);

/** Nothing of a text became part of the page, and nothing makes the page wider than the window. */
async function staysWhole(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    harmed: 'harmed' in window,
    width: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    foreign: document.querySelectorAll('main script, main img, main svg[onload]').length,
  }));
  expect(found).toEqual({ harmed: false, width: 0, foreign: 0 });
}

describe.skipIf(withoutBrowser)('texts that want to be more than text', () => {
  test.each([
    { name: 'a window', viewport: { width: 1280, height: 800 }, locale: 'en' },
    { name: 'a telephone', viewport: { width: 320, height: 640 }, locale: 'en' },
    { name: 'a telephone from right to left', viewport: { width: 320, height: 640 }, locale: 'ar' },
  ])('are shown as text in the list, at home and as a job, in $name', async ({ viewport, locale }) => {
    const { page, apiKey } = await signedIn(app, browser, '/app', { viewport, locale });
    const headers = { 'x-api-key': apiKey };
    const ids = [];
    for (const [i, source_text] of [...hostile, endless].entries()) {
      const body = { source_text, target_lang: i % 2 ? 'ar' : 'de', domain: i % 3 ? 'legal' : null };
      ids.push((await app.json('POST', '/api/translations', { headers, body })).body.id);
    }
    await page.goto('/app/jobs');
    await page
      .getByText(hostile[0] as string, { exact: true })
      .first()
      .waitFor();
    await staysWhole(page);
    await page.goto('/app');
    await page
      .getByText(hostile.at(-1) as string, { exact: true })
      .first()
      .waitFor();
    await staysWhole(page);
    for (const id of [ids[1], ids[6], ids.at(-1)]) {
      await page.goto(`/jobs/${id}`);
      await page.locator('main h2').nth(1).waitFor();
      await staysWhole(page);
    }
  });

  test('are translated from every field as they are, and shown so', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?to=["de"]', {
      viewport: { width: 320, height: 640 },
    });
    const submit = page.getByRole('button', { name: 'Translate', exact: true });
    await page.getByText('Tone, domain and other options').click();
    for (const text of [hostile[0], hostile[4], hostile[5], endless] as string[]) {
      await page.getByLabel('Text to translate').fill(text);
      await page.getByLabel('Domain').fill(text.slice(0, 1000));
      await page.getByLabel('Further models to compare').fill(text.slice(0, 100));
      await submit.click();
      const article = page.getByRole('article');
      await expect.poll(() => article.locator('p[lang=de]').textContent()).toBe(`[de] ${text}`);
      await staysWhole(page);
    }
    const { body } = await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } });
    expect(body.map(({ request }: { request: { source_text: string } }) => request.source_text)).toEqual([
      endless,
      hostile[5],
      hostile[4],
      hostile[0],
    ]);
  });

  test('a file whose name is markup is refused by its name as text, and a search by a text is only a search', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file&to=["de"]');
    await page.getByLabel('File to translate').setInputFiles({
      name: '<img src=x onerror=window.harmed=true>.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Hello'),
    });
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('[de] Hello').waitFor();
    await staysWhole(page);
    await page.goto(`/app/jobs?text=${encodeURIComponent(hostile[1] as string)}`);
    await page.getByRole('searchbox').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe(hostile[1]);
    await staysWhole(page);
  });
});
