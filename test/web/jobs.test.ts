import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { breakingEngine } from './breaking-engine.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { dayField, typeDay } from './kit.ts';

const model = breakingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: model.engine });
const browser = useBrowser(app);

/** Translates texts over the API. @returns the jobs that have not failed */
async function translate(apiKey: string, ...texts: { source_text: string; [field: string]: unknown }[]) {
  const jobs = [];
  for (const text of texts) {
    const { body } = await app.json('POST', '/api/translations', {
      headers: { 'x-api-key': apiKey },
      body: { target_lang: 'de', ...text },
    });
    jobs.push(body);
  }
  return jobs;
}

describe.skipIf(withoutBrowser)('a member at /app/texts', () => {
  test('finds a failed job, and why it failed', async () => {
    model.break();
    const { page, apiKey } = await signedIn(app, browser, '/app/texts?status=failed');
    await translate(apiKey, { source_text: 'A broken text' }, { source_text: 'Good' });
    await page.reload();
    await page.getByRole('link', { name: 'A broken text' }).click();
    await page.getByText('the model could not be reached').first().waitFor();
  });

  test('finds jobs by status, and the filter stays in the URL after a reload', async () => {
    model.mend();
    const { page, apiKey } = await signedIn(app, browser, '/app/texts');
    await page.getByText('No jobs yet. Your translations appear here.').waitFor();
    await translate(apiKey, { source_text: 'Sign here.', domain: 'legal' }, { source_text: 'Good morning' });
    await page.reload();
    await page.getByRole('link', { name: 'Good morning' }).waitFor();
    await page.getByLabel('Status').selectOption('Awaiting review');
    await page.getByRole('link', { name: 'Sign here.' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Good morning' }).count()).toBe(0);
    await page.waitForURL('**/app/texts?status=awaiting_review');
    await page.reload();
    await page.getByRole('link', { name: 'Sign here.' }).waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('awaiting_review');
    await page.getByLabel('Status').selectOption('Rejected');
    await page.getByText('No jobs match these filters.').waitFor();
  });

  test('finds jobs by a combination of text, language, reason and day', async () => {
    model.mend();
    const { page, apiKey } = await signedIn(app, browser, '/app/texts');
    await translate(
      apiKey,
      { source_text: 'Sign 100% here.', domain: 'legal' },
      { source_text: 'Good morning' },
      { source_text: 'Good evening', target_lang: 'fr' },
    );
    const shown = async () => {
      const links = await page.locator('main tbody').getByRole('link').allTextContents();
      return links.map((text) => text.split('[')[0]).toSorted();
    };
    await page.goto('/app/texts?text=good');
    await expect.poll(shown).toEqual(['Good evening', 'Good morning']);
    await page.getByLabel(/^To/).selectOption('French');
    await expect.poll(shown).toEqual(['Good evening']);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(shown).toEqual(['Good evening', 'Good morning', 'Sign 100% here.']);
    await page.getByLabel('Reason for review').selectOption('Review required by policy');
    await expect.poll(shown).toEqual(['Sign 100% here.']);
    await page.getByRole('button', { name: 'Clear all' }).click();
    // A wildcard of SQL is plain text here.
    await page.getByRole('searchbox').fill('0%');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(shown).toEqual(['Sign 100% here.']);
    // While a year is typed, incomplete years do not change the filter.
    const main = page.getByRole('main');
    const shownDay = () => dayField(main, 'Updated from').getByRole('presentation').textContent();
    await typeDay(main, 'Updated from', '01312999');
    await page.getByText('No jobs match these filters.').waitFor();
    expect(new URL(page.url()).searchParams.get('since')).toBe('2999-01-31');
    // When the field loses the focus, an incomplete value is replaced by the active filter.
    await page.getByRole('searchbox').focus();
    await typeDay(main, 'Updated from', '020120');
    expect(await shownDay()).toMatch(/^\W*2\W+1\W+20\W*$/);
    await page.getByRole('searchbox').focus();
    await expect.poll(shownDay).toMatch(/^\W*2\W+1\W+2999\W*$/);
  });

  test('a URL with unknown filters shows the whole list', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/texts');
    await translate(apiKey, { source_text: 'Good morning' });
    await page.goto(
      '/app/texts?status=__proto__&from=xx&to=%5B%5D&trigger=no&since=0000-99-99&until=1&text=%20',
    );
    await page.getByRole('link', { name: 'Good morning' }).waitFor();
  });
});

describe.skipIf(withoutBrowser)('a member at /jobs/{id}', () => {
  test('reads the events in words, and the steps behind the details; an administrator deletes it', async () => {
    model.mend();
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const [job] = await translate(apiKey, { source_text: 'Sign here.', domain: 'legal' });
    await page.goto(`/jobs/${job.id}`);
    await page.getByText('Texts of the domain \u2068legal\u2069 always require a review.').waitFor();
    await page.getByText('Review required by policy').waitFor();
    const events = page.getByRole('region', { name: 'Timeline' }).locator('ol > li b:first-child');
    expect(await events.evaluateAll((all) => all.map((one) => one.textContent))).toEqual([
      'Submitted',
      'Translated',
      'Checked: score 95',
      'Verified: score 95',
      'Held for a reviewer',
      'Review required by policy',
    ]);
    await page.getByText('10 characters · Domain: \u2068legal\u2069').waitFor();
    expect(await page.getByText('quality_gate').first().isVisible()).toBe(false);
    await page.getByText(/^Details: \d steps$/).click();
    await page.getByText('quality_gate').first().waitFor();
    expect(await page.getByRole('button', { name: 'Download' }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete this job' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Delete this job' }).click();
    await dialog.getByRole('button', { name: 'Delete this job' }).click();
    await page.waitForURL('**/app/texts');
    await page.getByText('No jobs yet.').waitFor();
    const { status } = await app.json('GET', `/api/translations/${job.id}`, {
      headers: { 'x-api-key': apiKey },
    });
    expect(status).toBe(404);
  });

  test('copies a draft and a rejected translation only by their names', async () => {
    model.mend();
    const { page, context, apiKey } = await signedIn(app, browser, '/app');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const [job] = await translate(apiKey, { source_text: 'Sign here.', domain: 'legal' });
    const review = async (body: object) => {
      const headers = { 'x-api-key': apiKey };
      await app.json('POST', `/api/translations/${job.id}/review`, {
        headers,
        body: { reviewer: 'Ann', ...body },
      });
      await page.reload();
    };
    const copied = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await page.goto(`/jobs/${job.id}`);
    expect(await copied('Copy draft')).toBe('[de] Sign here.');
    await review({ action: 'save', final_translation: 'Hier unterschreiben.' });
    expect(await copied('Copy draft')).toBe('Hier unterschreiben.');
    await review({ action: 'reject', notes: 'Not the right form' });
    expect(await copied('Copy rejected translation')).toBe('Hier unterschreiben.');
    expect(await page.getByRole('button', { name: 'Copy', exact: true }).count()).toBe(0);
    const [approved] = await translate(apiKey, { source_text: 'Sign here.', domain: 'legal' });
    await app.json('POST', `/api/translations/${approved.id}/review`, {
      headers: { 'x-api-key': apiKey },
      body: { action: 'approve', reviewer: 'Ann' },
    });
    await page.goto(`/jobs/${approved.id}`);
    expect(await copied('Copy')).toBe('[de] Sign here.');
  });
});
