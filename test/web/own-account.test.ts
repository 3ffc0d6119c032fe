import { describe, expect, test } from 'vitest';
import { meOf, signIn as signInByApi } from '#test/auth/sign-in.ts';
import { env, join, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a signed-in member', () => {
  test('confirms a change of a role in place, if the last proof of identity is old', async () => {
    const founder = await signUpFounder(app);
    const colleague = await join(app, founder);
    const { page } = await browser.person('/app/settings/members', { member: founder });
    await page.getByRole('button', { name: `Manage ${colleague.email}` }).click();
    await openSuperuser(app.superuserUrl)`
      update tokens set proved_at = now() - interval '601 s' where user_id = ${founder.userId}`;
    const member = page.getByRole('dialog', { name: colleague.email });
    await member.getByLabel('Role').selectOption('global_administrator');
    await member.getByRole('button', { name: 'Change role' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByLabel('Your password').fill('a wrong passphrase');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.getByRole('alert').waitFor();
    await proof.getByLabel('Your password').fill(founder.password);
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await meOf(app, colleague.accessToken)).body.user.role)
      .toBe('global_administrator');
    // The proof counts for the next changes, too.
    await member.getByRole('button', { name: 'Create password reset link' }).click();
    await member.getByLabel('Link to set a new password').waitFor();
  });

  test('changes the own password, and ends another session', async () => {
    const founder = await signUpFounder(app);
    const { body: other } = await signInByApi(app, founder, {}, { 'user-agent': 'curl/8.5.0' });
    const { page } = await browser.person('/app/settings/security', { member: founder });
    const sessions = page.getByRole('region', { name: 'Your sessions' });
    await sessions.getByText('This session').waitFor();
    await sessions.getByRole('listitem').filter({ hasText: 'curl/8.5.0' }).getByRole('button').click();
    await expect.poll(async () => (await meOf(app, other.access_token)).status).toBe(401);
    await sessions.getByText('curl/8.5.0').waitFor({ state: 'detached' });

    const form = page.getByRole('region', { name: 'Password', exact: true });
    const next = 'another passphrase of some length';
    await form.getByLabel('Current password').fill(founder.password);
    await form.getByLabel('New password').fill('Password2024!');
    await form.getByRole('button', { name: 'Change password' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('Current password').fill(founder.password);
    await form.getByLabel('New password').fill(next);
    await form.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    expect((await signInByApi(app, { ...founder, password: next })).status).toBe(200);
    await page.reload();
    await sessions.getByText('This session').waitFor();
  });
});
