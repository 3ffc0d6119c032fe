import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { breakingEngine } from './breaking-engine.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const model = breakingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: model.engine });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a member at /app/translate', () => {
  test('creates a workspace, sees the weight of a text in each language, translates and downloads it', async () => {
    const { page } = await browser.person('/signin');
    await page
      .getByRole('link', { name: 'Create a workspace' })
      .or(page.getByRole('button', { name: 'Create a workspace' }))
      .click();
    await page.getByLabel('Workspace name').fill('Cats');
    await page.getByLabel('Email').fill('cats@example.org');
    await page.getByLabel('New password', { exact: true }).fill('a long enough passphrase');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await page.getByRole('link', { name: 'Translate' }).click();

    await page.getByLabel('From').selectOption('English');
    await page.getByLabel('Text to translate').fill('The cat sleeps. 😀');
    await page.getByText('17 / 50,000 characters').waitFor();
    for (const name of ['German', 'Japanese']) {
      await page.getByLabel('Find a language').fill(name);
      await page.getByRole('checkbox', { name, exact: true }).check();
    }
    // 17 × 3.5, rounded up.
    await page.getByRole('listitem').filter({ hasText: 'Japanese' }).getByText('60').waitFor();
    await page.getByText('2 translations use 77 characters of your allowance.').waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();

    const german = page.getByRole('article').filter({ hasText: 'German' });
    await page.getByText('[ja] The cat sleeps. 😀').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      german.getByRole('button', { name: 'Download TXT' }).click(),
    ]);
    const chunks = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toContain('[de] The cat sleeps. 😀');
    expect(page.url()).toContain('to=');

    await german.getByRole('link', { name: 'Open the job' }).click();
    await page.getByRole('heading', { name: 'Translation job' }).waitFor();
    for (const format of ['TXT', 'DOCX', 'PDF'])
      await page.getByRole('button', { name: `Download ${format}` }).waitFor();
  });

  test('the language is detected unless one is selected; the result and the job show that, with warnings', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?to=["de"]');
    expect(await page.getByLabel('From').inputValue()).toBe('auto');
    await page.getByLabel('Text to translate').fill('Bitte speichern Sie Ihre Änderungen, bevor Sie gehen.');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('German (detected)').waitFor();
    await page.getByText('Source and target are the same language.').waitFor();
    await page.getByRole('link', { name: 'Open the job' }).click();
    await page.getByText('German (detected) → German').waitFor();
    await page.getByText('Source and target are the same language.').waitFor();
  });

  test('a text whose language cannot be detected is translated with one click on a language', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?to=["de","fr"]');
    await page.getByLabel('Text to translate').fill('Hello');
    await page
      .getByText('The detected language determines how much of your allowance this translation uses.')
      .waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    const question = page.getByRole('alert');
    await question.getByText('The source language could not be detected. Select it.').waitFor();
    expect(await question.count()).toBe(1);
    await question.getByRole('button', { name: 'English' }).click();
    for (const code of ['de', 'fr']) await page.getByText(`[${code}] Hello`).waitFor();
    expect(await page.getByLabel('From').inputValue()).toBe('en');
    expect(await question.count()).toBe(0);
  });

  test('the selected options are part of the request, and a job that awaits review links to it', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?from=en&to=["fr"]');
    await page.getByLabel('Text to translate').fill('Sign here.');
    await page.getByText('Tone, domain and other options').click();
    await page.getByLabel('Tone').selectOption('Formal');
    await page.getByLabel('Grammatical gender').selectOption('Feminine');
    await page.getByLabel('Domain').fill('legal');
    await page.getByLabel('Minimum quality score').fill('70');
    await page.getByLabel('Require human review').check();
    await page.getByText('5 options are set').waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('This translation needs review before it is published.').waitFor();
    const { body } = await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } });
    expect(body).toHaveLength(1);
    expect(body[0].request).toMatchObject({
      source_lang: 'en',
      target_lang: 'fr',
      tone: 'formal',
      gender: 'feminine',
      domain: 'legal',
      text_type: 'Plain',
      metadata: { min_quality_score: 70, requires_human_review: true },
    });
  });

  test('sending again after a failure is the same job, under the same key; after a success it is a new one', async () => {
    model.break();
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?from=en&to=["de"]');
    const jobs = async () =>
      (await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } })).body;
    await page.getByLabel('Text to translate').fill('A broken text');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByRole('alert').getByText('the model could not be reached').waitFor();
    model.mend();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('[de] A broken text').waitFor();
    expect(await jobs()).toHaveLength(1);
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('[de] A broken text').waitFor();
    await expect.poll(async () => (await jobs()).length).toBe(2);
  });

  test('a lost response is found again by the key: nothing is translated twice', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?from=en&to=["de"]');
    let isDown = true;
    await page.route('**/api/translations', async (route) => {
      // The service completes the request, but its response is lost.
      await route.fetch();
      return isDown ? route.fulfill({ status: 502, body: 'bad gateway' }) : route.fallback();
    });
    await page.getByLabel('Text to translate').fill('Said once');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByRole('alert').waitFor();
    isDown = false;
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('[de] Said once').waitFor();
    const { body } = await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } });
    expect(body).toHaveLength(1);
  });

  test('an error is shown at its field, and nothing is sent', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/translate');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('Enter a text.').waitFor();
    await page.getByText('Select at least one language.').waitFor();
    await page.getByLabel('Text to translate').fill('x'.repeat(50_001));
    await page.getByText('The text is longer than 50,000 characters.').waitFor();
    expect(await page.getByLabel('Text to translate').getAttribute('aria-invalid')).toBe('true');
    const { body } = await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } });
    expect(body).toEqual([]);
  });
});
