import { describe, expect, test } from 'vitest';
import { type Person as Account, administrator, openTeam } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { signIn } from './admin.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('an administrator at /app/settings/members', () => {
  test('changes a role, revokes and restores a member, and creates a password reset link', async () => {
    const team = await openTeam(app);
    const colleague = await team.join();
    const { page } = await browser.person('/app/settings/members');
    await signIn(page, team.founder);
    const row = (person: Account) => page.getByRole('row').filter({ hasText: person.email });
    const dialog = page.getByRole('dialog', { name: colleague.email });
    await row(colleague).getByText('Member', { exact: true }).waitFor();

    await page.getByRole('button', { name: `Manage ${colleague.email}` }).click();
    await dialog.getByLabel('Role').selectOption('Administrator');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await row(colleague).getByText('Administrator').waitFor();
    const { body: me } = await app.json('GET', '/api/auth/me', { headers: colleague.bearer });
    expect(me.user.role).toBe(administrator);
    await dialog.getByRole('button', { name: 'Create password reset link' }).click();
    const link = await dialog.getByLabel('Link to set a new password').inputValue();
    const [, reset_token] = link.split('/signin#reset_token=');
    expect(
      await app.json('POST', '/api/auth/password-reset', {
        body: { reset_token, new_password: 'another long passphrase' },
      }),
    ).toMatchObject({ status: 200 });

    await dialog.getByRole('button', { name: 'Revoke access' }).click();
    await page.getByRole('dialog', { name: 'Revoke access' }).getByRole('button', { name: 'Revoke' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByLabel('Show revoked members').check();
    await page.waitForURL('**/app/settings/members?revoked=true');
    await row(colleague).getByText('Revoked').waitFor();
    await page.getByRole('button', { name: `Manage ${colleague.email}` }).click();
    await dialog.getByRole('button', { name: 'Restore access' }).click();
    await row(colleague).getByText('Revoked').waitFor({ state: 'detached' });
  });

  test('invites a member with a link that is shown once, and withdraws the invite', async () => {
    const team = await openTeam(app);
    const { page } = await browser.person('/app/settings/members');
    await signIn(page, team.founder);
    await page.getByText('No invites yet.').waitFor();
    await page.getByText('Invite member').click();
    await page.getByLabel('Email', { exact: true }).fill('newcomer@example.org');
    await page.getByRole('button', { name: 'Create invite' }).click();
    const link = await page.getByLabel('Invite link').inputValue();
    const invite_token = decodeURIComponent(link.split('/signin#invite_token=')[1] ?? '');
    const body = { invite_token };
    expect((await app.json('POST', '/api/auth/invites/preview', { body })).body).toMatchObject({
      valid: true,
      email: 'newcomer@example.org',
    });

    await page.getByRole('button', { name: 'Withdraw newcomer@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('1 former invite').click();
    await page.getByRole('row').filter({ hasText: 'newcomer@example.org' }).getByText('Withdrawn').waitFor();
  });

  test('replaces the link of a pending invite', async () => {
    const team = await openTeam(app);
    await team.invite({ email: 'newcomer@example.org', role: administrator });
    const { page } = await browser.person('/app/settings/members');
    await signIn(page, team.founder);
    await page.getByRole('button', { name: 'New link newcomer@example.org' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New link' }).click();
    const link = await page.getByRole('textbox', { name: 'Invite link' }).inputValue();
    const invite_token = decodeURIComponent(link.split('/signin#invite_token=')[1] ?? '');
    const body = { invite_token };
    expect((await app.json('POST', '/api/auth/invites/preview', { body })).body).toMatchObject({
      valid: true,
      email: 'newcomer@example.org',
      role: administrator,
    });
  });
});
