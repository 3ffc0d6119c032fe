import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { enrol } from '#test/auth/mfa.ts';
import { found, freshEmail, join, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const demanding = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MFA_REQUIRED: 'true' } });
const browser = useBrowser(app);
const demandingBrowser = useBrowser(demanding);

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

const home = (page: Page) => page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();

describe.skipIf(withoutBrowser)('creating a workspace', () => {
  test('shows its API key once, and continues when it is saved', async () => {
    const { page } = await browser.person('/signin');
    await page.getByRole('link', { name: 'Create a workspace' }).click();
    await page.getByLabel('Workspace name').fill('<b>Bücher</b> & Söhne');
    await page.getByLabel('Email').fill(freshEmail());
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('alert').getByText('too common').waitFor();
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('heading', { name: 'Save your API key' }).waitFor();
    const key = await page.getByLabel('API key').inputValue();
    expect((await app.json('GET', '/api/translations', { headers: { 'x-api-key': key } })).status).toBe(200);
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await home(page);
    expect(await page.content()).not.toContain(key);
  });

  test('another tab that is signed in by the cookie does not take the key away', async () => {
    const { page, tab } = await browser.person('/signin?found=true');
    await page.getByLabel('Workspace name').fill('Two tabs');
    await page.getByLabel('Email').fill(freshEmail());
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByLabel('API key').waitFor();
    const second = await tab();
    await second.goto('/app');
    await home(second);
    expect(await page.getByLabel('API key').inputValue()).not.toBe('');
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await home(page);
  });
});

describe.skipIf(withoutBrowser)('a second factor', () => {
  test('is set up while signing in, then asked for, and a recovery code replaces it once', async () => {
    const person = await demandingBrowser.person('/signin?found=true');
    const { page } = person;
    const email = freshEmail();
    await page.getByLabel('Workspace name').fill('Careful');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Create workspace' }).click();
    await page.getByRole('button', { name: 'I saved the key' }).click();

    await page.getByRole('heading', { name: 'Set up an authenticator app' }).waitFor();
    const picture = page.getByRole('img', { name: 'QR code' });
    await picture.waitFor();
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Code from the app').fill(wrongTotpCode(secret));
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByRole('alert').getByText('invalid MFA code').waitFor();
    await page.getByLabel('Code from the app').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Verify' }).click();

    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
    const codes = await page.getByRole('listitem').allInnerTexts();
    expect(codes).toHaveLength(10);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download codes' }).click();
    expect(await readFile(await (await download).path(), 'utf8')).toBe(`${codes.join('\n')}\n`);
    await page.getByRole('button', { name: 'I saved these codes' }).click();
    await home(page);
    await signOut(page);

    await signIn(page, email);
    await page.getByRole('heading', { name: 'Enter your verification code' }).waitFor();
    const code = page.getByLabel('Verification code', { exact: true });
    expect(await code.evaluate((field) => field === document.activeElement)).toBe(true);
    await code.fill(totpCode(secret, 1));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await home(page);
    await signOut(page);

    for (const [typed, isGood] of [
      [codes[3], true],
      [codes[3], false],
    ] as const) {
      await signIn(page, email);
      await page.getByLabel('Verification code', { exact: true }).fill(String(typed).toUpperCase());
      await page.getByRole('button', { name: 'Sign in' }).click();
      if (!isGood) {
        await page.getByRole('alert').getByText('invalid MFA code').waitFor();
        continue;
      }
      await home(page);
      await signOut(page);
    }
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByLabel('Email').waitFor();
  });
});

describe.skipIf(withoutBrowser)('a person of two workspaces', () => {
  test('chooses one by keyboard, and the other after signing out; a code may come behind the choice', async () => {
    const one = await found(app, { tenant_name: 'Zoo\u202eooZ' });
    const other = await found(app, { tenant_name: 'مكتبة', email: one.email });
    const { secret } = await enrol(app, other);
    const { page } = await browser.person('/signin');
    await signIn(page, one.email);
    const heading = page.getByRole('heading', { name: 'Select a workspace' });
    await heading.waitFor();
    expect(await heading.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await home(page);
    await signOut(page);
    await signIn(page, one.email);
    await page.getByRole('button', { name: 'مكتبة' }).click();
    await page.getByLabel('Verification code', { exact: true }).fill(totpCode(secret, 1));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await home(page);
  });
});

describe.skipIf(withoutBrowser)('/app/settings/security of a member', () => {
  test('sets up an authenticator, and replaces the recovery codes, also when the cookie is gone', async () => {
    const admin = await found(app);
    const member = await join(app, admin);
    const { page, context } = await browser.person('/signin?next=/app/settings/security');
    await signIn(page, member.email);
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.getByRole('button', { name: 'Set up authenticator app' }).click();
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    // The same as after a time in the background that is longer than the lifetime of the cookie.
    await context.clearCookies({ name: 'll_session' });
    await page.getByLabel('Code from the app').fill(totpCode(secret));
    await page.getByRole('button', { name: 'Verify' }).click();
    const codes = page.getByRole('list').filter({ hasText: '-' }).getByRole('listitem');
    await codes.last().waitFor();
    const first = await codes.allInnerTexts();
    expect(first).toHaveLength(10);
    await page.getByRole('button', { name: 'I saved these codes' }).click();
    await context.clearCookies({ name: 'll_session' });
    await page.getByRole('button', { name: 'Generate new recovery codes' }).click();
    await page.getByRole('button', { name: 'I saved these codes' }).waitFor();
    const second = await page
      .getByRole('list')
      .filter({ hasText: '-' })
      .getByRole('listitem')
      .allInnerTexts();
    expect(second.filter((code) => first.includes(code))).toEqual([]);
    await page.getByRole('button', { name: 'I saved these codes' }).click();
    await page.getByText('Authenticator app is on').waitFor();
    const { body } = await app.json('GET', '/api/auth/users', { headers: admin.bearer });
    expect(body.find(({ user_id }: { user_id: string }) => user_id === member.userId).totp_enrolled).toBe(
      true,
    );
  });
});
