import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { responseOf } from './answers.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, patient, waitingJobs } from './reviewing.ts';
import { openTexts, row, typed } from './texts-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('the list of texts', () => {
  test('has all pages; a page that fails is requested again on demand', async () => {
    const founder = await found(app);
    await waitingJobs(
      app,
      founder.key,
      Array.from({ length: 103 }, (_, n) => `Sentence ${n + 1}`),
    );
    const { page } = await memberAt(browser, founder, '/app');
    let refused = 0;
    await page.route(
      (url) => url.href.includes('/trpc/reviews.texts') && url.href.includes('cursor'),
      (route) => {
        refused += 1;
        const failure = { code: 'forbidden' as const, detail: 'the list cannot be read on' };
        return route.fulfill(responseOf(failure, new URL(route.request().url()).pathname));
      },
    );
    await openReview(page);
    await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor();
    await page.getByRole('heading', { name: 'More than 100 texts' }).waitFor();
    expect(refused).toBe(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('heading', { name: '103 texts' }).waitFor();
  });

  test('is that of a group of the inbox, and can be filtered by status', async () => {
    const founder = await found(app);
    for (const [source_text, domain] of [
      ['One', 'legal'],
      ['Two', 'legal'],
      ['Three', undefined],
    ])
      await app.json('POST', '/api/translations', {
        headers: founder.key,
        body: { source_text, domain, target_lang: 'fr', metadata: { sensitive: true } },
      });
    const { page } = await memberAt(browser, founder, '/app');
    await page.getByRole('link', { name: '2 texts' }).click();
    await page.getByRole('heading', { name: '2 texts' }).waitFor();
    await opened(page, 'One');
    await typed(page, 'Un');
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'Two');
    await page.getByRole('button', { name: /^Drafts 1/ }).click();
    await opened(page, 'One');
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Remove filter: legal' }).click();
    await page.getByRole('heading', { name: '3 texts' }).waitFor();
  });

  test('begins with the text of the URL, also with one that is decided, which is read-only', async () => {
    const { page, jobs, other } = await openTexts(app, browser, ['One', 'Two', 'Three']);
    await other(1, { action: 'approve' });
    await page.goto(`/app/edit/texts?item=${jobs[1]?.id}`);
    await opened(page, 'Two');
    await page.getByRole('heading', { name: '3 texts' }).waitFor();
    expect(await field(page).isEditable()).toBe(false);
  });

  test('leaves open what was opened before the service has named a first text', async () => {
    const { page } = await openTexts(app, browser, ['One', 'Two']);
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/trpc/reviews.next*', async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto('/app/edit/texts');
    await row(page, 'Two').click();
    await opened(page, 'Two');
    const answered = page.waitForResponse('**/trpc/reviews.next*');
    answer();
    await answered;
    await page.waitForTimeout(300);
    await opened(page, 'Two');
  });

  test('leaves the focus in the search while a long text is loaded, and shows a failure with a retry', async () => {
    const { page } = await openTexts(app, browser, [`${'A long text. '.repeat(400)}`, 'Two']);
    const path = '**/api/translations/*';
    await page.route(path, (route) =>
      route.fulfill(
        responseOf({ code: 'transient_error', detail: 'not now' }, new URL(route.request().url()).pathname),
      ),
    );
    await page.reload();
    const open = page.getByRole('row').filter({ has: field(page) });
    await open.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(path);
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      await asked;
      await route.continue();
    });
    await open.getByRole('button', { name: 'Try again' }).click();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('l');
    answer();
    await expect.poll(() => field(page).isEditable(), patient).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.matches('input'))).toBe(true);
  });

  test('loads the whole of a long text before it can be edited', async () => {
    const long = `${'A long text. '.repeat(400)}The end.`;
    const { page, stored } = await openTexts(app, browser, [long, 'Two']);
    await expect.poll(() => field(page).inputValue(), patient).toBe(`[fr] ${long}`);
    await field(page).press('Control+Enter');
    await opened(page, 'Two');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('published');
    expect((await stored(0)).final_translation).toBe(`[fr] ${long}`);
  });

  test('begins with a text that no one else has open', async () => {
    const { page, founder } = await openTexts(app, browser, ['First text', 'Second text', 'Third text']);
    await opened(page, 'First text');
    const other = await join(app, founder);
    await expect
      .poll(async () => {
        const [claims] = await openSuperuser(app.superuserUrl)`
          select count(*)::int as count from review_claims where tenant_id = ${founder.tenantId}`;
        return claims?.['count'];
      }, patient)
      .toBe(2);
    const { page: theirs } = await memberAt(browser, other, '/app');
    await openReview(theirs);
    // The first is open, and the second is next, in the other browser. Both can still be opened.
    await opened(theirs, 'Third text');
    const first = row(theirs, 'First text');
    await first.getByText(`${founder.email} is editing`).waitFor();
    await first.click();
    await opened(theirs, 'First text');
    await theirs.getByRole('list', { name: 'Also in this document' }).getByText(founder.email).waitFor();
  });
});
