import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { tmx } from '#test/translation-memory/tmx.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/**
 * Uploads a set over the API. Its name is long, and contains markup and a character that changes the text direction.
 * @returns the ID of the set
 */
async function upload(apiKey: string, path: string, part: string, file: File): Promise<string> {
  const form = new FormData();
  form.append(part, file);
  form.append('name', `<img src=x onerror=alert(1)> \u202E${'a'.repeat(80)}`);
  form.append('source_lang', 'en');
  form.append('target_lang', 'fr');
  const headers = { 'x-api-key': apiKey };
  const response = await fetch(`${app.address}${path}`, { method: 'POST', headers, body: form });
  expect(response.status).toBe(200);
  return ((await response.json()) as { id: string }).id;
}

const hostile = '<script>alert(1)</script> \u202E{x} hello ';

describe.skipIf(withoutBrowser)('the screens of glossaries and TMs', { timeout: 40_000 }, () => {
  test.each([
    { locale: 'en-GB', colorScheme: 'light' as const },
    { locale: 'ar', colorScheme: 'dark' as const },
  ])('are accessible with hostile texts, also at 320 px ($locale)', async (options) => {
    const { page, apiKey } = await signedIn(app, browser, '/app/memories', options);
    const units = tmx([[hostile + 'x'.repeat(2000), 'Bonjour']]);
    const memory = await upload(apiKey, '/api/tm', 'tmx_file', new File([units], 'a.tmx'));
    const terms = new File([`source_term,target_term\n${hostile},bonjour\n`], 'a.csv', { type: 'text/csv' });
    const glossary = await upload(apiKey, '/api/terminology', 'terminology_file', terms);
    for (const path of [
      'memories',
      `memories/${memory}`,
      'memories/concordance?from=en&to=fr&text=hello',
      'glossaries',
      `glossaries/${glossary}`,
    ]) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`/app/${path}`);
      await page.locator('main table').waitFor();
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      await expectAccessible(page);
    }
  });
});
