import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { signOut } from './account.ts';
import { type Person, useBrowser, withoutBrowser } from './browser.ts';
import { field, opened, openReview, patient, signInAt } from './reviewing.ts';
import { openTexts, typed, waits } from './texts-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Crashes the process of a page. */
async function crash({ page, context }: Pick<Person, 'page' | 'context'>): Promise<void> {
  const crashed = page.waitForEvent('crash');
  void (await context.newCDPSession(page)).send('Page.crash').catch(() => undefined);
  await crashed;
}

describe.skipIf(withoutBrowser)('a reviewer of texts whose edits are not stored yet', () => {
  test('sees the edits of the former filter, also those that are still being sent', async () => {
    const { page, stored } = await openTexts(app, browser, ['First', 'Second']);
    await page.route('**/trpc/translations.act*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.continue();
    });
    await typed(page, 'Premier');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 text', exact: true }).waitFor();
    expect(await field(page).inputValue()).toBe('Premier');
    await page.waitForTimeout(300);
    expect(await page.getByRole('region', { name: 'Unsent changes' }).count()).toBe(0);
    await typed(page, 'Le premier');
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Le premier');
  });

  test('loses nothing while the service cannot be reached', async () => {
    const { page, context, stored, statuses } = await openTexts(app, browser, ['First', 'Second']);
    await context.setOffline(true);
    await typed(page, 'Hors ligne');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await page.getByText('Offline. 1 change is kept on this device.').waitFor();
    expect(await statuses()).toEqual([waits, waits]);
    await context.setOffline(false);
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Hors ligne');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('human_edited');
  });

  test('has confirmed what was confirmed offline, once, after the tab was closed; a conflict is shown', async () => {
    const { page, tab, context, stored, statuses, other } = await openTexts(app, browser, [
      'First',
      'Second',
      'Third',
      'Fourth',
    ]);
    await page.waitForLoadState('networkidle');
    await context.setOffline(true);
    await typed(page, 'Premier');
    for (const next of ['Second', 'Third', 'Fourth']) {
      await page.keyboard.press('Control+Enter');
      await opened(page, next);
    }
    await typed(page, 'Quatrième');
    await page.getByText('Offline. 4 changes are kept on this device.').waitFor();
    await page.waitForTimeout(300);
    await page.close();
    await context.setOffline(false);
    await other(2, { action: 'save', final_translation: 'Theirs', reviewer: 'Ada' });

    const second = await tab();
    let sent = 0;
    second.on('request', (request) => {
      sent += Number(request.url().includes('translations.act'));
    });
    await openReview(second);
    await expect.poll(statuses, patient).toEqual(['human_edited', 'published', waits, waits]);
    expect((await stored(0)).final_translation).toBe('Premier');
    // It was saved last, so it is the last one of the list.
    await second.getByRole('button', { name: 'Open segment 4' }).waitFor();
    // Without a request, the list shows that the third one has changed.
    expect(sent).toBe(2);
    // The typed text is offered.
    await second.getByRole('row').filter({ hasText: 'Fourth' }).click();
    const offered = second.getByRole('region', { name: 'Unsent changes' });
    await offered.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await statuses()).toEqual(['human_edited', 'published', waits, waits]);
  });

  test('finds unsent texts again after a crash, as differences, which are never sent automatically', async () => {
    const { page, tab, context, stored } = await openTexts(app, browser, ['The first text', 'Second']);
    await page.route('**/trpc/translations.act*', () => undefined);
    await typed(page, 'Un texte tapé');
    await page.waitForTimeout(300);
    await crash({ page, context });

    const second = await tab();
    await openReview(second);
    const offered = second.getByRole('region', { name: 'Unsent changes' });
    await offered.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await field(second).inputValue()).toBe('[fr] The first text');
    // Another text does not replace it.
    await typed(second, 'Un autre');
    await second.waitForTimeout(300);
    await second.reload();
    await expect.poll(() => offered.count(), patient).toBeGreaterThan(0);
    expect(await offered.locator('ins').allTextContents()).toContain('texte tapé');
    await offered.filter({ hasText: 'tapé' }).getByRole('button', { name: 'Restore' }).click();
    expect(await field(second).inputValue()).toBe('Un texte tapé');
    await field(second).press('Control+Enter');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Un texte tapé');
  });

  test('continues after signing in again when the session has ended', async () => {
    const { page, founder, stored } = await openTexts(app, browser, ['First', 'Second']);
    await typed(page, 'Avant la fin');
    await openSuperuser(app.superuserUrl)`delete from tokens where tenant_id = ${founder.tenantId}`;
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signInAt(page, founder);
    expect(await field(page).inputValue()).toBe('Avant la fin');
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Avant la fin');
  });

  test('is asked at sign-out about texts that could not be sent', async () => {
    const { page } = await openTexts(app, browser, ['First', 'Second']);
    await page.route('**/trpc/translations.act*', () => undefined);
    await typed(page, 'Pas encore');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Unsent changes' });
    await dialog.getByText('Pas encore').waitFor();
  });
});
