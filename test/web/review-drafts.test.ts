import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, patient, said, signInAt, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens the first of two jobs that await review. */
async function atFirstJob() {
  const founder = await found(app);
  const [job] = await waitingJobs(app, founder.key, ['The first text', 'The second text']);
  const person = await memberAt(browser, founder, '/app');
  await openReview(person.page);
  const stored = async () =>
    (await app.json('GET', `/api/translations/${job?.id}`, { headers: founder.key })).body;
  return { founder, stored, ...person };
}

describe.skipIf(withoutBrowser)('a text that was typed but not sent', () => {
  test('is offered as a difference after a crash and a reload, is never sent automatically, and is listed at sign-out', async () => {
    const { page, tab, stored, context } = await atFirstJob();
    await field(page).fill('Un texte');
    await page.keyboard.type(' tapé');
    // After 300 ms, the text is in the browser's storage.
    await page.waitForTimeout(300);
    const crashed = page.waitForEvent('crash');
    void (await context.newCDPSession(page)).send('Page.crash').catch(() => undefined);
    await crashed;

    const second = await tab();
    await openReview(second);
    const offered = second.getByRole('region', { name: 'Unsent changes' });
    await offered.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await offered.locator('ins').allTextContents()).toContain('tapé');
    expect(await field(second).inputValue()).toBe('[fr] The first text');
    expect((await stored()).final_translation).toBe('[fr] The first text');

    await second.reload();
    await offered.getByRole('button', { name: 'Restore' }).click();
    expect(await field(second).inputValue()).toBe('Un texte tapé');
    await signOut(second);
    const dialog = second.getByRole('dialog', { name: 'Unsent changes' });
    await dialog.getByText('Un texte tapé').waitFor();
    await dialog.getByRole('button', { name: 'Stay signed in' }).click();

    await field(second).press('Control+Enter');
    await expect.poll(async () => (await stored()).status, patient).toBe('human_edited');
    expect((await stored()).final_translation).toBe('Un texte tapé');
    // After a review was sent, its text is deleted from the browser.
    await signOut(second);
    await second.waitForURL('**/signin*');
  });

  test('stays in place when the session ends, and continues after signing in again', async () => {
    const { page, founder, stored } = await atFirstJob();
    await field(page).fill('Avant la fin');
    await openSuperuser(app.superuserUrl)`delete from tokens where tenant_id = ${founder.tenantId}`;
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    expect(await field(page).inputValue()).toBe('Avant la fin');
    await signInAt(page, founder);
    await said(page, 'Draft saved.');
    expect((await stored()).final_translation).toBe('Avant la fin');
    expect(await field(page).inputValue()).toBe('Avant la fin');
  });

  test('returns with its item if the service cannot be reached, and can be sent later', async () => {
    const { page, context, stored } = await atFirstJob();
    await field(page).fill('Hors ligne');
    await context.setOffline(true);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: /^The first text.*Not saved/ }).waitFor();
    await page.getByRole('button', { name: /^The first text/ }).click();
    await page.getByRole('alert').getByText("You're offline.").first().waitFor();
    expect(await field(page).inputValue()).toBe('Hors ligne');
    expect((await stored()).status).toBe('awaiting_review');
    await context.setOffline(false);
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored()).final_translation, patient).toBe('Hors ligne');
  });

  test('is offered with an older undecided one, even after several crashes of the page', async () => {
    const { page, tab } = await atFirstJob();
    const offers = (at: Page) => at.getByRole('region', { name: 'Unsent changes' });
    let open = page;
    for (const text of ['Un', 'Deux', 'Trois']) {
      await field(open).fill(text);
      await open.waitForTimeout(300);
      await open.close();
      open = await tab();
      await openReview(open);
      await offers(open).first().waitFor();
    }
    expect(await offers(open).locator('ins').allTextContents()).toEqual(['Trois', 'Deux', 'Un']);
    await field(open).fill('Quatre');
    await offers(open).nth(1).getByRole('button', { name: 'Discard' }).click();
    await open.waitForTimeout(300);
    await open.reload();
    await expect
      .poll(() => offers(open).locator('ins').allTextContents(), patient)
      .toEqual(['Quatre', 'Trois', 'Un']);
  });

  test('is kept when the response to an earlier save arrives after it was typed', async () => {
    const { page, tab } = await atFirstJob();
    await field(page).fill('Premier');
    let answer: (() => void) | undefined;
    await page.route('**/trpc/translations.act*', async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    });
    await page.keyboard.press('Control+s');
    await expect.poll(() => answer).toBeDefined();
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'The second text');
    await page.keyboard.press('Alt+ArrowUp');
    await opened(page, 'The first text');
    await field(page).fill('Second');
    await page.waitForTimeout(300);
    answer?.();
    await said(page, 'Draft saved.');
    await page.waitForTimeout(300);
    await page.close();
    const again = await tab();
    await openReview(again);
    await again.getByRole('button', { name: /^The first text/ }).click();
    await again.getByRole('region', { name: 'Unsent changes' }).getByText('Second').waitFor();
  });

  test('returns with its approval if the draft that was saved just before cannot be sent', async () => {
    const { page, context, stored } = await atFirstJob();
    await field(page).fill('Hors ligne');
    await context.setOffline(true);
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Control+Enter');
    await said(page, /Approving… Next/);
    await page.getByRole('button', { name: /^The first text.*Not saved/ }).click();
    expect(await field(page).inputValue()).toBe('Hors ligne');
    await context.setOffline(false);
    await page.keyboard.press('Control+Enter');
    await page.getByText('1 saved').waitFor();
    const { status, final_translation } = await stored();
    expect({ status, final_translation }).toEqual({
      status: 'human_edited',
      final_translation: 'Hors ligne',
    });
    await said(page, '1 review is saved.');
  });
});
