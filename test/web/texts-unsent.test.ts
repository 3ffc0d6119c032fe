import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, opened, patient, signInAt } from './reviewing.ts';
import { openTexts, typed, waits } from './texts-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

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
