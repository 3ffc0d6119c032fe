import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, patient, said, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('two reviewers of one workspace', () => {
  test('do not get the same job, and lose no text if they work on it nevertheless', async () => {
    const one = await found(app);
    const other = await join(app, one);
    const jobs = await waitingJobs(app, one.key, ['First text', 'Second text', 'Third text']);
    const text = async (n: number) =>
      (await app.json('GET', `/api/translations/${jobs[n]?.id}`, { headers: one.key })).body
        .final_translation;

    const { page: mine } = await memberAt(browser, one, '/app');
    const upcoming = mine.waitForResponse(
      (response) =>
        response.url().includes('reviews.claim') &&
        response
          .request()
          .postData()
          ?.includes(jobs[1]?.id ?? '') === true,
    );
    await openReview(mine);
    await opened(mine, 'First text');
    await (await upcoming).finished();
    const { page: theirs } = await memberAt(browser, other, '/app');
    await openReview(theirs);
    // The second reviewer starts with the third text: the first is open, and the second is next, in the other browser.
    // Both can still be opened.
    await opened(theirs, 'Third text');
    const first = theirs.getByRole('button', { name: /^First text/ });
    await first.getByText(`In review by ${one.email}`).waitFor();
    await first.click();
    await theirs.getByText(`Also reviewing: ${one.email}`).waitFor();

    // Both reviewers type, and the other reviewer saves a draft first.
    await field(mine).fill('Mon texte');
    await field(theirs).fill('Leur texte');
    await theirs.keyboard.press('Control+s');
    await said(theirs, 'Draft saved.');
    await mine.keyboard.press('Control+Enter');
    await said(mine, 'A review was not saved because someone else changed the translation.');
    expect(await text(0)).toBe('Leur texte');

    await mine.getByRole('button', { name: /^First text/ }).click();
    const conflict = mine.getByRole('region', { name: `${other.email} changed this translation` });
    await conflict.getByText('[fr] First text', { exact: true }).waitFor();
    expect(await conflict.locator('ins').allTextContents()).toEqual(expect.arrayContaining(['Leur', 'Mon']));
    await conflict.getByRole('button', { name: 'Keep my text' }).click();
    await mine.waitForFunction(() => document.activeElement?.matches('textarea[data-edited]'));
    expect(await field(mine).inputValue()).toBe('Mon texte');
    await mine.keyboard.press('Control+Enter');
    await expect.poll(() => text(0), patient).toBe('Mon texte');

    // The other reviewer continues to type. The text stays in the field, and is not sent, because the job is completed.
    await field(theirs).fill('Leur autre texte');
    await theirs.keyboard.press('Control+Enter');
    await said(theirs, 'A review was not saved because someone else changed the translation.');
    await theirs.getByRole('button', { name: /^First text/ }).click();
    await theirs.getByRole('region', { name: `${one.email} already completed this review` }).waitFor();
    expect(await field(theirs).inputValue()).toBe('Leur autre texte');
    expect(await text(0)).toBe('Mon texte');
  });

  test('keep the focus when a draft of the other reviewer appears in the open item', async () => {
    const founder = await found(app);
    const [, second] = await waitingJobs(app, founder.key, ['First text', 'Second text', 'Third text']);
    const { page } = await memberAt(browser, founder, '/app');
    await page.clock.install();
    await openReview(page);
    /** Another reviewer saves a draft of the second job, and the screen refreshes. */
    const change = async (final_translation: string) => {
      const { status } = await app.json('POST', `/api/translations/${second?.id}/review`, {
        headers: founder.key,
        body: { action: 'save', final_translation },
      });
      expect(status).toBe(200);
      await page.clock.fastForward(21_000);
      await expect.poll(() => field(page).inputValue(), patient).toBe(final_translation);
    };
    await field(page).press('Control+Enter');
    await opened(page, 'Second text');
    await field(page).and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Escape');
    await change('Un');
    await page.keyboard.press('j');
    await opened(page, 'Third text');
    await page.keyboard.press('k');
    await opened(page, 'Second text');

    await page.keyboard.press('/');
    await page.keyboard.type('sec');
    await change('Deux');
    await page.keyboard.type('ond');
    expect(await page.getByRole('searchbox').first().inputValue()).toBe('second');
    await page.keyboard.press('Escape');

    await page.keyboard.press('Enter');
    await change('Trois');
    await page.keyboard.type('Et ');
    expect(await field(page).inputValue()).toBe('Et Trois');
  });

  test('keep the focus in the search field when an item finishes loading', async () => {
    const founder = await found(app);
    await waitingJobs(app, founder.key, ['First text', `Second text ${'is long '.repeat(50)}`]);
    const { page } = await memberAt(browser, founder, '/app');
    const read = Promise.withResolvers<void>();
    await page.route('**/api/translations/*', async (route) => {
      await read.promise;
      await route.continue();
    });
    await openReview(page);
    await field(page).press('Control+Enter');
    await field(page).waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('sec');
    read.resolve();
    await opened(page, 'Second text');
    await page.keyboard.type('ond');
    expect(await page.getByRole('searchbox').first().inputValue()).toBe('second');
  });
});
