import { describe, expect, test } from 'vitest';
import { addKey, apiKey, env, found, type Person, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { memberAt } from './reviewing.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);
const path = '/app/settings/api-keys';

const status = async (key: string) =>
  (await app.json('GET', '/api/translations', { headers: apiKey(key) })).status;
const open = (person: Person) => memberAt(browser, person, path);

describe.skipIf(withoutBrowser)('/app/settings/api-keys', () => {
  test('creates a key, shows its secret once, limits it, rotates it with an overlap, and revokes it', async () => {
    const founder = await found(app);
    const { page } = await open(founder);
    await page.getByRole('row').filter({ hasText: 'Workspace key' }).getByText('No end').waitFor();

    await page.getByRole('button', { name: 'Create API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Online shop');
    await dialog.getByLabel('Last day').fill('2999-12-31');
    await dialog.getByLabel('Your password').fill('wrong');
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    await dialog.getByRole('alert').getByText('wrong password').waitFor();
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Create API key' }).click();
    const first = await dialog.getByLabel('API key').inputValue();
    expect(first).toMatch(/^[\w-]{43}$/);
    await page.keyboard.press('Escape');
    expect(await dialog.getByLabel('API key').inputValue()).toBe(first);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await status(first)).toBe(200);
    const row = page.getByRole('row').filter({ hasText: 'Online shop' });
    await row.getByText('Translate, Read').waitFor();
    await row.getByText(`${first.slice(0, 8)}…`).waitFor();
    await row.getByText('Dec 31, 2999').waitFor();
    expect(await page.content()).not.toContain(first);

    await row.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Read').uncheck();
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Translate', { exact: true }).waitFor();
    expect(await status(first)).toBe(403);

    await row.getByRole('button', { name: 'Rotate' }).click();
    await dialog.getByLabel('Previous secret stays valid for').selectOption('7 days');
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const second = await dialog.getByLabel('API key').inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await row.getByText('Previous secret valid until').waitFor();
    expect([await status(first), await status(second)]).toEqual([403, 403]);

    await row.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    expect([await status(first), await status(second), await status(founder.apiKey)]).toEqual([
      401, 401, 200,
    ]);
  });

  test('lets an ended key only be revoked, and the workspace key only be renamed', async () => {
    const founder = await found(app);
    const { key_id } = await addKey(app, founder, { name: 'Old', expires_at: '2999-01-01T00:00:00Z' });
    await openSuperuser(app.superuserUrl)`update api_keys set expires_at = now() where key_id = ${key_id}`;
    const { page } = await open(founder);
    const old = page.getByRole('row').filter({ hasText: 'Old' });
    await old.getByText('Ended').waitFor();
    expect(await old.getByRole('button').count()).toBe(1);
    await old.getByRole('button', { name: 'Revoke Old' }).waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: 'Workspace key' })
      .getByRole('button', { name: 'Edit' })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The workspace key has all scopes and no end.').waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    await dialog.getByLabel('Name').fill('Ours');
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'Ours' }).waitFor();
  });

  test('shows an empty list, and the error of a list that cannot be loaded', async () => {
    const founder = await found(app);
    const { page } = await open(founder);
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No API keys.').waitFor();
    await page.route('**/trpc/apiKeys.list*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.reload();
    await page.getByRole('alert').first().waitFor();
  });
});
