import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { expectAccessible } from './accessibility.ts';
import { selectInterfaceLanguage } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { field, opened, openReview, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('the figures of reviewers at /app/reports', () => {
  test('approvals in the editor and in bulk, with time only for the former, and as a file', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    await waitingJobs(app, { 'x-api-key': apiKey }, ['One two three four.', 'Second', 'Third']);
    const begun = Date.now();
    await openReview(page);
    await field(page).fill('Un deux trois quatre.');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await page.getByRole('button', { name: 'Approve all' }).click();
    await page.getByRole('button', { name: 'Approve 2 texts' }).click();
    await page.getByText('3 of 3').waitFor();
    const longest = Date.now() - begun;

    await page.goto('/app/reports');
    const reviewers = page.getByRole('region', { name: 'Reviewers' });
    const row = reviewers.locator('tbody tr');
    await row.waitFor();
    const cells = await row.locator('td').allInnerTexts();
    expect(cells.slice(0, 4)).toEqual(['3', '2', '1', '0']);
    expect(cells[4]).toMatch(/^\d+(\.\d)?%$/);
    expect(cells[5]).toMatch(/^<?\d+(\.\d)? sec\s*1 of 3 reviews$/);

    const download = page.waitForEvent('download');
    await reviewers.getByRole('button', { name: 'Export reviewers (CSV)' }).click();
    const saved = await download;
    expect(saved.suggestedFilename()).toMatch(/^reviewers-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    const [head, line = ''] = (await readFile(await saved.path(), 'utf8')).split('\r\n');
    expect(head).toBe('user_id,email,approved,edited,rejected,measured,words,edits,timed,worked_ms');
    const values = line.split(',');
    expect(values.slice(2, 6)).toEqual(['2', '1', '0', '3']);
    expect(values[8]).toBe('1');
    expect(Number(values[9])).toBeGreaterThan(0);
    expect(Number(values[9])).toBeLessThan(longest);

    const approved = page.getByRole('region', { name: 'Approved texts and documents' });
    await approved.getByText('Excel').click();
    const workbook = page.waitForEvent('download');
    await approved.getByRole('button', { name: 'Export approved items' }).click();
    expect((await workbook).suggestedFilename()).toMatch(/^approved-.*\.xlsx$/);

    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 700 });
    await selectInterfaceLanguage(page, 'ar');
    await page.getByRole('region', { name: 'المراجعون' }).waitFor();
    await expectAccessible(page);
    await selectInterfaceLanguage(page, 'en');

    // These reviews are on days that the page does not show.
    await openSuperuser(app.superuserUrl)`update review_days set day = '2026-02-03'`;
    await page.goto('/app/reports?from=2026-02-03&to=2026-02-04');
    await row.waitFor();
    await page.goto('/app/reports?from=2026-02-04&to=2026-02-05');
    await reviewers.getByText('No member has decided about a text in this period.').waitFor();
  });

  test('time in a hidden tab does not count', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app');
    await waitingJobs(app, { 'x-api-key': apiKey }, ['One', 'Two']);
    await page.clock.install();
    await openReview(page);
    const see = (state: 'hidden' | 'visible') =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'visibilityState', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await page.clock.fastForward(5_000);
    await see('hidden');
    await page.clock.fastForward(3_600_000);
    await see('visible');
    // Of a pause of an hour in a visible tab, one minute counts.
    await page.clock.fastForward(3_600_000);
    await field(page).press('Control+Enter');
    await opened(page, 'Two');
    const worked = async () => {
      const [row] = await openSuperuser(app.superuserUrl)<{ worked_ms: string }[]>`
        select worked_ms from review_days order by worked_ms desc limit 1`;
      return Number(row?.worked_ms);
    };
    await expect.poll(worked).toBeGreaterThanOrEqual(65_000);
    expect(await worked()).toBeLessThan(80_000);
  });
});
