import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const pairs: [string, string][] = [
  ['The notice period is long.', 'Die Kündigungsfrist ist lang.'],
  ['A notice period applies to the lease.', 'Für den Mietvertrag gilt eine Kündigungsfrist.'],
  ['The lease ends after the notice period.', 'Der Mietvertrag endet nach der Kündigungsfrist.'],
  ['The lease is long. Ask the guarantor.', 'Der Mietvertrag ist lang. Fragen Sie den Bürgen.'],
  ['Pay the guarantor.', 'Bezahlen Sie den Bürgen.'],
];

describe.skipIf(withoutBrowser)('a member at /app/glossaries/candidates', () => {
  test('accepts a candidate with its proposed translation, rejects another, and undoes that', async () => {
    const { page, apiKey } = await signedIn(app, browser, async (founder) => {
      const headers = { 'x-api-key': founder.apiKey };
      const units = pairs.map(([source, target]) => ({ source, target }));
      for (const [name, body] of [
        ['memory.importPairs', { name: 'House', source_lang: 'en', target_lang: 'de', pairs: units }],
        ['terminology.create', { name: 'Lease terms', source_lang: 'en', target_lang: 'de' }],
      ] as const)
        expect((await app.json('POST', `/trpc/${name}`, { headers, body: { json: body } })).status).toBe(200);
      return '/app/glossaries/candidates';
    });
    await page.getByLabel('From').selectOption('English');
    await page.getByLabel('To').selectOption('German');
    await page.getByLabel('At least').fill('2');
    await page.getByRole('button', { name: 'Find candidates' }).click();
    const list = page.getByRole('list', { name: 'Term candidates' });
    await list.waitFor();
    expect(await list.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/notice period\s+3\s+Kündigungsfrist/),
      expect.stringMatching(/lease\s+3\s+Mietvertrag/),
      expect.stringMatching(/guarantor\s+2\s+Bürgen/),
    ]);
    await page.getByLabel('Translation').press('Enter');
    await page.getByText('“notice period” added to the glossary.').first().waitFor();
    await list.getByRole('button', { name: 'guarantor' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('“guarantor” rejected. It is not suggested again.').first().waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    const { body } = await app.json('GET', '/api/terminology', { headers: { 'x-api-key': apiKey } });
    expect(body).toMatchObject([{ name: 'Lease terms', entry_count: 1 }]);
    await page.getByRole('button', { name: 'Find candidates' }).click();
    await expect.poll(() => list.getByRole('listitem').allInnerTexts()).toHaveLength(2);
  });
});
