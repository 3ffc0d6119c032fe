import { describe, expect, test } from 'vitest';
import { found, freshEmail, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { expectAccessible } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';

const plain = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    MFA_REQUIRED: 'true',
    OIDC_ENABLED: 'true',
    OIDC_ISSUER: 'https://id.example.org',
    OIDC_CLIENT_ID: 'lingualoop',
  },
});
const inPlain = useBrowser(plain);
const browser = useBrowser(app);

const ways: [string, PersonOptions][] = [
  ['light, English, 320 px', { locale: 'en', colorScheme: 'light', viewport: { width: 320, height: 640 } }],
  ['dark, Arabic', { locale: 'ar', colorScheme: 'dark', viewport: { width: 800, height: 640 } }],
  ['dark, German, 320 px', { locale: 'de', colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
];

describe.skipIf(withoutBrowser)('the sign-in screens are accessible, and fit', () => {
  test.each(ways)('%s: from the first page to the recovery codes', async (_, options) => {
    const { page } = await browser.person('/signin', options);
    await page.locator('h1').waitFor();
    await page.locator('button[aria-expanded]').click();
    await page.getByRole('status').locator('a').waitFor();
    await expectAccessible(page);
    await page.goto('/signin?found=true');
    await page.locator('[name=organization]').fill('A'.repeat(200));
    await page.locator('[name=username]').fill(freshEmail());
    await page.locator('[name=password]').fill('password1234');
    await page.locator('[type=submit]').click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page);
    await page.locator('[name=password]').fill(password);
    await page.locator('[type=submit]').click();
    await page.locator('input[readonly]').waitFor();
    await expectAccessible(page);
    await page.locator('main button.primary').click();
    await page.getByRole('img').waitFor();
    await expectAccessible(page);
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.locator('[name=code]').fill(totpCode(secret));
    await page.locator('[type=submit]').click();
    await page.locator('li code').first().waitFor();
    await expectAccessible(page);
  });

  test.each(ways)('%s: an invite, a new password, and the dialog to sign in again', async (_, options) => {
    const me = await found(plain, { tenant_name: 'Donaudampfschifffahrtsgesellschaft'.repeat(3) });
    const { body } = await plain.json('POST', '/api/tenants/invites', {
      headers: me.bearer,
      body: { role: 'global_administrator' },
    });
    const { page } = await inPlain.person(`/signin#invite_token=${body.invite_token}`, options);
    await page.locator('[name=password]').waitFor();
    await expectAccessible(page);
    await page.goto('/signin#reset_token=x');
    await page.locator('h1').waitFor();
    await page.locator('[name=username]').waitFor({ state: 'detached' });
    await expectAccessible(page);
    await page.goto('/about');
    await expectAccessible(page);

    await page.goto('/signin');
    await page.locator('[name=username]').fill(me.email);
    await page.locator('[name=password]').fill(password);
    await page.locator('[type=submit]').click();
    await page.waitForURL('**/app');
    await page.goto('/app/settings/security');
    await page.locator('#own-authenticator').waitFor();
    // A read of the page that ends after the deletion would open the dialog before the click.
    await page.waitForLoadState('networkidle');
    await openSuperuser(plain.superuserUrl)`delete from tokens where user_id = ${me.userId}`;
    await page.locator('section button.primary[type=button]').click();
    await page.getByRole('dialog').waitFor();
    expect(await page.getByRole('dialog').locator('[name=username]').inputValue()).toBe(me.email);
    await expectAccessible(page);
  });
});
