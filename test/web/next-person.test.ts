import type { Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, signInAt, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a member who signs in after another one, in the same tab', () => {
  test('sees no data of the other one, even before the service responds', async () => {
    const one = await found(app);
    const other = await found(app);
    await waitingJobs(app, one.key, ['A text of the first workspace']);
    const { page } = await memberAt(browser, one, '/app/texts');
    const secret = page.getByText('A text of the first workspace');
    await secret.first().waitFor();
    await signOut(page);
    await page.waitForURL('**/signin*');

    let held = 0;
    await page.route(/\/(api|trpc)\//, () => {
      held += 1;
    });
    await page.evaluate(() => {
      const seen = { text: false };
      Object.assign(globalThis, { seen });
      new MutationObserver(() => {
        seen.text ||= document.body.textContent.includes('A text of the first workspace');
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    await signInAt(page, other);
    await page.locator('#main h1').waitFor();
    await expect.poll(() => held).toBeGreaterThan(0);
    expect(await secret.count()).toBe(0);
    expect(await page.evaluate(() => (globalThis as unknown as { seen: { text: boolean } }).seen.text)).toBe(
      false,
    );
  });

  test('does not continue a review that the other one was still sending', async () => {
    const one = await found(app);
    const other = await join(app, one);
    const jobs = await waitingJobs(app, one.key, ['First text', 'Second text']);
    const { page, tab } = await memberAt(browser, one, '/app');
    await openReview(page);
    await opened(page, 'First text');
    await page.route('**/trpc/translations.act*', () => undefined);
    // A retry that is still queued would be sent for the next member.
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('translations.act'));
    await field(page).press('Control+Enter');
    await opened(page, 'Second text');
    const second = await tab();
    await second.goto('/app');
    await signOut(second);
    await second.getByRole('button', { name: 'Delete and sign out' }).click();
    await page.waitForURL('**/signin*');
    await ended;
    await signInAt(page, other);
    await page.locator('#main h1').waitFor();
    // Through a link, because a new load of the page would empty its memory.
    await page.locator('#main a[href*="/app/edit/texts"]').first().click();
    await opened(page, 'First text');
    expect(await field(page).inputValue()).toBe('[fr] First text');
    const path = `/api/translations/${jobs[0]?.id}`;
    expect((await app.json('GET', path, { headers: one.key })).body.status).toBe('awaiting_review');
  });
});

describe.skipIf(withoutBrowser)('a member who signs out while reviews are being sent', () => {
  test('is asked before they are lost, but not after they were sent', async () => {
    const founder = await found(app);
    const [job] = await waitingJobs(app, founder.key, ['First text', 'Second text']);
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    await opened(page, 'First text');
    const held = Promise.withResolvers<Route>();
    await page.route('**/trpc/translations.act*', (route) => held.resolve(route), { times: 1 });
    await field(page).press('Control+Enter');
    await opened(page, 'Second text');
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Unsent changes' });
    await dialog.getByText('[fr] First text').waitFor();
    await (await held.promise).continue();
    await dialog.getByRole('button', { name: 'Stay signed in' }).click();
    await page.getByText(/Saved \d/).waitFor();
    await signOut(page);
    await page.waitForURL('**/signin*');
    const path = `/api/translations/${job?.id}`;
    expect((await app.json('GET', path, { headers: founder.key })).body.status).toBe('published');
  });
});
