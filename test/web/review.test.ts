import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { responseOf } from './answers.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { field, opened, openReview, patient, said, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a reviewer at /app/edit/texts', () => {
  test('does twenty reviews using only the keyboard', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    const jobs = await waitingJobs(
      app,
      headers,
      Array.from({ length: 20 }, (_, n) => `Sentence ${n + 1} has {name}.`),
    );
    await openReview(page);
    const { keyboard } = page;
    const at = (n: number) => opened(page, `Sentence ${n} has`);
    await at(1);

    // Fifteen jobs are approved in the text field; each third with another text.
    await keyboard.press('Enter');
    for (let n = 1; n <= 15; n++) {
      await at(n);
      await page.waitForFunction(() => document.activeElement?.matches('textarea[data-edited]'));
      if (n % 3 === 0) {
        await keyboard.press('Control+a');
        await keyboard.type(`Phrase ${n} a {name}.`);
      }
      await keyboard.press('Control+Enter');
    }
    await at(16);
    await said(page, 'Next: 16 of 20.');

    // Then five jobs are reviewed in the list: one is rejected with a reason, one is approved, and three are approved
    // together.
    await keyboard.press('Escape');
    await keyboard.press('r');
    await page.getByRole('dialog').waitFor();
    await keyboard.type('Not what was asked for');
    await keyboard.press('Control+Enter');
    await at(17);
    await keyboard.press('a');
    await at(18);
    await keyboard.press('x');
    await keyboard.press('Shift+j');
    await keyboard.press('Shift+j');
    await page.getByText('3 selected').waitFor();
    await keyboard.press('a');
    // Two of the jobs were only passed, so they do not count as opened.
    const leftOut = page.getByRole('dialog', { name: '2 items were not approved' });
    await leftOut.waitFor();
    for (const box of await leftOut.getByRole('checkbox').all()) await box.check();
    await leftOut.getByRole('button', { name: 'Approve 2 items' }).click();
    await said(page, '2 done.');
    await page.getByText('Nothing to review.').waitFor();

    const done = await Promise.all(
      jobs.map(async ({ id }) => (await app.json('GET', `/api/translations/${id}`, { headers })).body),
    );
    expect(done.map(({ status }) => status)).toEqual(
      Array.from({ length: 20 }, (_, index) => {
        if (index === 15) return 'rejected';
        return index < 15 && (index + 1) % 3 === 0 ? 'human_edited' : 'published';
      }),
    );
    expect(done[2].final_translation).toBe('Phrase 3 a {name}.');
    expect(done[15].agent_run.human_review_task.metadata.notes).toBe('Not what was asked for');
  });

  test('approves several together: failed ones return, and one with unsent changes is skipped', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    const jobs = await waitingJobs(app, headers, ['First', 'Second', 'Third', 'Fourth', 'Fifth']);
    const status = async (n: number) =>
      (await app.json('GET', `/api/translations/${jobs[n]?.id}`, { headers })).body.status;
    await openReview(page);
    await field(page).fill('Premier, pas encore envoyé');
    // The job is shown long enough to count as opened.
    const isOpened = page.waitForResponse((response) => {
      const sent = response.request().postData() ?? '';
      return sent.includes('"opened":true') && sent.includes(String(jobs[1]?.id));
    });
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'Second');
    await isOpened;
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await opened(page, 'First');
    await page.keyboard.press('j');
    for (const _ of [1, 2, 3]) await page.keyboard.press('Shift+j');
    await page.locator('[data-row]').first().locator('xpath=../input').check();
    await page.getByText('5 selected').waitFor();

    // Someone else saves a draft of the third job and completes the fourth.
    const saved = { action: 'save', final_translation: 'Troisième' };
    await app.json('POST', `/api/translations/${jobs[2]?.id}/review`, { headers, body: saved });
    await app.json('POST', `/api/translations/${jobs[3]?.id}/review`, {
      headers,
      body: { action: 'approve' },
    });
    await page.getByRole('group', { name: '5 selected' }).getByRole('button', { name: 'Approve' }).click();
    await page.getByText('2 done, 2 not saved, 1 skipped because it has unsent changes.').first().waitFor();
    expect(await Promise.all([0, 1, 2, 3, 4].map(status))).toEqual([
      'awaiting_review',
      'published',
      'awaiting_review',
      'published',
      'published',
    ]);

    await page.getByRole('button', { name: /^Third/ }).click();
    await page.getByRole('button', { name: 'Use their text' }).click();
    await page.waitForFunction(() => document.activeElement?.matches('textarea[data-edited]'));
    expect(await field(page).inputValue()).toBe('Troisième');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /^Fourth/ }).click();
    await page.getByText('already completed this review').first().waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await opened(page, 'First');
    expect(await status(2)).toBe('human_edited');
  });

  test('undoes a decision: directly after it, and later on the page of the job', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const headers = { 'x-api-key': apiKey };
    const [job] = await waitingJobs(app, headers, ['First', 'Second']);
    const status = async () =>
      (await app.json('GET', `/api/translations/${job?.id}`, { headers })).body.status;
    await openReview(page);
    await opened(page, 'First');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await opened(page, 'Second');
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Reopened. It awaits review again.');
    await opened(page, 'First');
    expect(await status()).toBe('awaiting_review');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await opened(page, 'Second');
    await expect.poll(status, patient).toBe('published');
    await page.goto(`/jobs/${job?.id}`);
    const reopen = page.getByRole('button', { name: 'Reopen' });
    await reopen.click();
    await reopen.waitFor({ state: 'detached' });
    await page.locator('main').getByText('Awaiting review', { exact: true }).waitFor();
    expect(await status()).toBe('awaiting_review');
  });

  test('reads the number of jobs, although the list begins with a hundred', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const texts = Array.from({ length: 103 }, (_, n) => `Sentence ${n + 1}`);
    await waitingJobs(app, { 'x-api-key': apiKey }, texts);
    await openReview(page);
    await page.getByText('103 awaiting review', { exact: true }).waitFor();
    expect(await page.locator('[data-row]').count()).toBe(100);
    // With a filter, the service does not count the jobs.
    await page.goto('/app/edit/texts?text=Sentence');
    await page.getByText('More than 100 awaiting review', { exact: true }).waitFor();
  });

  test('requests a failing page of the list once, and continues when it is requested again', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    const texts = Array.from({ length: 103 }, (_, n) => `Sentence ${n + 1}`);
    await waitingJobs(app, { 'x-api-key': apiKey }, texts);
    let refused = 0;
    await page.route(
      (url) => url.href.includes('/trpc/translations.search') && url.href.includes('cursor'),
      (route) => {
        refused += 1;
        const detail = 'the list cannot be read on';
        return route.fulfill(
          responseOf({ code: 'forbidden', detail }, new URL(route.request().url()).pathname),
        );
      },
    );
    await openReview(page);
    const rows = page.locator('[data-row]');
    await rows.nth(79).click();
    await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor();
    await page.keyboard.press('Escape');
    for (const n of [81, 82, 83]) {
      await page.keyboard.press('j');
      await opened(page, `Sentence ${n}`);
    }
    expect(refused).toBe(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(102).waitFor();
  });
});
