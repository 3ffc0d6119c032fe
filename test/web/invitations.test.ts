import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found, freshEmail, join, type Person, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const home = (page: Page) => page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();

async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function invite({ bearer }: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await app.json('POST', '/api/tenants/invites', {
    headers: bearer,
    body: { role: 'agent_id_developer', ...fields },
  });
  return body.invite_token;
}

describe.skipIf(withoutBrowser)('an invite link', () => {
  test('is removed from the URL immediately, shows its workspace, and creates a member with a member’s limits', async () => {
    const admin = await found(app, { tenant_name: '<i>Presse</i> & Verlag' });
    const email = freshEmail();
    const token = await invite(admin, { email });
    const { page, context } = await browser.person(`/signin#invite_token=${token}`);
    await page.getByText('<i>Presse</i> & Verlag').waitFor();
    expect(page.url()).toBe(`${app.address}/signin`);
    const address = page.getByLabel('Email');
    expect([await address.inputValue(), await address.getAttribute('readonly')]).toEqual([email, '']);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Join' }).click();
    await home(page);
    expect(await page.locator('nav a[href="/app"]').count()).toBe(1);
    expect(await page.locator('nav a[href="/app/reports"]').count()).toBe(0);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain(token);
    await page.goBack().catch(() => null);
    for (const one of context.pages()) expect(one.url()).not.toContain('invite_token');
  });

  test('that is used, withdrawn or invented shows an error, and links to the sign-in', async () => {
    const admin = await found(app);
    const used = await invite(admin);
    await app.json('POST', '/api/auth/signup/email', {
      body: { tenant_name: '-', email: freshEmail(), password, invite_token: used },
    });
    const { page } = await browser.person(`/signin#invite_token=${used}`);
    await page.getByText('no longer valid').waitFor();
    await page.getByRole('button', { name: 'Back to sign-in' }).click();
    await signIn(page, admin.email);
    await home(page);
    for (const token of ['x', `${admin.tenantId}.${'A'.repeat(43)}`, '%00', 'a'.repeat(20_000)]) {
      // This changes only the fragment of the open page.
      await page.goto('/signin');
      await home(page);
      await page.goto(`/signin#invite_token=${token}`);
      await page.getByText(/no longer valid|too long|NUL/).waitFor();
    }
  });

  test('can be accepted or ignored by a member who is signed in to another workspace', async () => {
    const me = await found(app, { tenant_name: 'Mine' });
    const token = await invite(await found(app, { tenant_name: 'Theirs' }));
    const { page } = await browser.person('/signin');
    await signIn(page, me.email);
    await home(page);
    await page.goto(`/signin#invite_token=${token}`);
    await page.getByText('Theirs').waitFor();
    const email = freshEmail();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Join' }).click();
    await home(page);
    await page.getByText(email).waitFor();
  });
});

describe.skipIf(withoutBrowser)('a reset link', () => {
  test('sets a new password, and shows the error of a link that was used', async () => {
    const admin = await found(app);
    const member = await join(app, admin);
    const { body } = await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, {
      headers: admin.bearer,
    });
    const { pathname, hash } = new URL(body.reset_url);
    const { page } = await browser.person(pathname + hash);
    await page.getByRole('heading', { name: 'Set a new password' }).waitFor();
    expect(page.url()).toBe(`${app.address}/signin`);
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('alert').getByText('too common').waitFor();
    const fresh = 'quite another passphrase';
    await page.getByLabel('New password').fill(fresh);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password updated').first().waitFor();
    await signIn(page, member.email, fresh);
    await home(page);

    const second = await browser.person(pathname + hash);
    await second.page.getByLabel('New password').fill(fresh);
    await second.page.getByRole('button', { name: 'Set password' }).click();
    await second.page.getByRole('alert').getByText('invalid or expired reset link').waitFor();
  });
});

describe.skipIf(withoutBrowser)('a session that ends during work', () => {
  test('is renewed in place; waiting requests continue, and the email address is fixed', async () => {
    const me = await found(app);
    const { page, tab } = await browser.person('/signin');
    await signIn(page, me.email);
    await home(page);
    const second = await tab();
    await second.goto('/app');
    await home(second);
    await openSuperuser(app.superuserUrl)`delete from tokens where user_id = ${me.userId}`;
    // A background request of the page may already have opened the dialog, which would block a click.
    await page.getByRole('navigation').getByRole('link', { name: 'Files' }).dispatchEvent('click');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    const field = dialog.getByLabel('Password', { exact: true });
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(await dialog.getByLabel('Email').getAttribute('readonly')).toBe('');
    await field.fill('not my passphrase');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('invalid').waitFor();
    await field.fill(password);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    // The other tab receives the new session without a request.
    await second.getByRole('navigation').getByRole('link', { name: 'Files' }).click();
    await second.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    expect(await second.getByRole('dialog').count()).toBe(0);
  });
});
