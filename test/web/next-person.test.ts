import { describe, expect, test } from 'vitest';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { memberAt, signInAt, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('who signs in after somebody else, in the same tab', () => {
  test('sees nothing that the other one has read, even while the service has not answered', async () => {
    const one = await found(app);
    const other = await found(app);
    await waitingJobs(app, one.key, ['A text of the first workspace']);
    const { page } = await memberAt(browser, one, '/app');
    const secret = page.getByText('A text of the first workspace');
    await secret.first().waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
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
});
