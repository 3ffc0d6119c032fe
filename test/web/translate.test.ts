import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
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

    await page.getByText('500,000 of 500,000 characters left').waitFor();
    await page.getByRole('combobox', { name: 'From' }).selectOption('English');
    await page.getByRole('button', { name: 'English', pressed: true }).waitFor();
    await page.getByLabel('Text to translate').fill('The cat sleeps. 😀');
    await page.getByText('17 / 50,000 characters').waitFor();
    await page.getByRole('button', { name: 'Add a language' }).click();
    for (const name of ['German', 'Japanese']) {
      await page.getByLabel('Find a language').fill(name);
      await page.getByRole('checkbox', { name, exact: true }).check();
    }
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('2 translations use 77 characters of your allowance.').waitFor();
    await page.getByRole('button', { name: 'Options' }).click();
    // 17 × 3.5, rounded up.
    const options = page.getByRole('dialog', { name: 'Options' });
    await options.getByRole('listitem').filter({ hasText: 'Japanese' }).getByText('60 characters').waitFor();
    await page.keyboard.press('Escape');
    await options.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Translate', exact: true }).click();

    // The language that was added last is shown first.
    await page.getByText('[ja] The cat sleeps. 😀').waitFor();
    await page.getByRole('tab', { name: 'Published Japanese', selected: true }).press('ArrowLeft');
    await page.getByRole('tab', { name: 'Published German', selected: true }).waitFor();
    await page.getByText('[de] The cat sleeps. 😀').waitFor();
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download TXT' }).click(),
    ]);
    const chunks = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toContain('[de] The cat sleeps. 😀');
    expect(page.url()).toContain('to=');

    await page.getByRole('link', { name: 'Open the job' }).click();
    await page.getByRole('heading', { name: 'Translation job The cat sleeps.' }).waitFor();
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    for (const format of ['TXT', 'DOCX', 'PDF'])
      await page.getByRole('button', { name: `Download ${format}` }).waitFor();
  });

  test('the language is detected unless one is selected; the result and the job show that, with warnings', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?to=["de"]');
    await page.getByRole('button', { name: 'Detect language', pressed: true }).waitFor();
    await page.getByLabel('Text to translate').fill('Bitte speichern Sie Ihre Änderungen, bevor Sie gehen.');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByRole('button', { name: 'German found', pressed: true }).waitFor();
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
    await page.getByText('[de] Hello').waitFor();
    await page.getByRole('tab', { name: 'French' }).click();
    await page.getByText('[fr] Hello').waitFor();
    expect(await page.getByRole('combobox', { name: 'From' }).inputValue()).toBe('en');
    expect(await question.count()).toBe(0);
  });

  test('the selected options are part of the request, and a job that awaits review links to it', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?from=en&to=["fr"]');
    await page.getByLabel('Text to translate').fill('Sign here.');
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByRole('radio', { name: 'Formal', exact: true }).check();
    await page.getByLabel('Grammatical gender').selectOption('Feminine');
    await page.getByLabel('Domain').fill('legal');
    await page.getByText('This domain always needs review before publication.').waitFor();
    await page.getByText('Quality: score 85, 2 repairs').click();
    await page.getByLabel('Minimum quality score').fill('70');
    await page.getByRole('switch', { name: 'Require human review' }).check();
    await page.getByRole('button', { name: 'Options 5 set' }).waitFor();
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('This translation needs review before it is published.').waitFor();
    await page.getByRole('tab', { name: 'Awaiting review French' }).waitFor();
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
    await expect.poll(async () => (await jobs()).length).toBe(2);
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

  test('a result shows that the source has changed since, and the languages can be swapped', async () => {
    model.mend();
    const { page } = await signedIn(app, browser, '/app/translate?from=en&to=["de"]');
    await page.getByLabel('Text to translate').fill('Good morning');
    await page.getByLabel('Text to translate').press('Control+Enter');
    await page.getByText('[de] Good morning').waitFor();
    await page.getByRole('button', { name: 'Swap languages' }).click();
    expect(await page.getByLabel('Text to translate').inputValue()).toBe('[de] Good morning');
    await page.getByRole('tab', { name: 'English', selected: true }).waitFor();
    await page.getByRole('button', { name: 'Swap languages' }).click();
    await page.getByText('The source text has changed since this translation.').waitFor();
    await page.getByRole('button', { name: 'Clear the text' }).click();
    expect(await page.getByLabel('Text to translate').inputValue()).toBe('');
  });

  test('a translation that awaits review links to it; placeholders and glossary terms are marked', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/translate?from=en&to=["de"]');
    const csv = new File(['source,target\ngarden room,garden room'], 'terms.csv', { type: 'text/csv' });
    const body = new FormData();
    body.append('terminology_file', csv);
    for (const [name, value] of Object.entries({ name: 'Hotel', source_lang: 'en', target_lang: 'de' }))
      body.append(name, value);
    const { status } = await app.request('/api/terminology', {
      method: 'POST',
      headers: { 'x-api-key': apiKey },
      body,
    });
    expect(status).toBe(200);
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByText('Glossaries for these languages apply automatically.').waitFor();
    await page.getByRole('dialog', { name: 'Options' }).getByText('Hotel').waitFor();
    await page.getByLabel('Domain').fill('legal');
    await page.getByLabel('Text to translate').fill('The garden room costs {price}.');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    const result = page.getByRole('article').locator('p[lang=de]');
    await result.waitFor();
    expect(await result.locator('span').allTextContents()).toEqual(['garden room', '{price}']);
    await page.getByText('1 term from Hotel').waitFor();
    await page.getByRole('link', { name: 'Open in review' }).click();
    await page.waitForURL('**/app/edit/texts?item=*');
  });

  test('is accessible with a result, an open drawer and an open list of languages, at 390 px too', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?from=en&to=["de","ar"]');
    await page.getByLabel('Text to translate').fill('Dear {name}');
    await page.getByRole('button', { name: 'Translate', exact: true }).click();
    await page.getByText('[de] Dear {name}').waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByRole('dialog', { name: 'Options' }).getByText('Cost', { exact: true }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Add a language' }).click();
      await page.getByRole('dialog', { name: 'To' }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'To' }).waitFor({ state: 'detached' });
    }
  });
});
