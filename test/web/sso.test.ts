import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '#db/embedded/secrets.ts';
import { found } from '#test/factories.ts';
import { type OidcAccount, startOidcProvider } from '#test/fakes/oidc-provider.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows } from '#test/setup/stored-rows.ts';
import { expectAccessible } from './accessibility.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const port = await freePort();
const address = `http://127.0.0.1:${port}`;
const accounts: OidcAccount[] = [
  { sub: 'seed', email: 's@example.org', email_verified: true, org_id: 'seed' },
];
const provider = await startOidcProvider({
  clientId: 'lingualoop',
  redirectUris: [`${address}/signin/sso`],
  accounts,
});
afterAll(() => provider.stop());

const app = useTestApp({
  port,
  env: {
    BASE_URL: address,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    // Members cannot sign in with a password in this deployment.
    PASSWORD_SIGNIN_ENABLED: 'false',
    EMAIL_SIGNUP_ENABLED: 'false',
    OIDC_ENABLED: 'true',
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: 'lingualoop',
  },
});
const browser = useBrowser(app, { others: [provider.issuer] });

let counted = 0;
/** Creates an account at the identity provider. */
function account(): OidcAccount {
  counted += 1;
  const created = { sub: `person-${counted}`, email: `sso${counted}@example.org`, email_verified: true };
  accounts.push(created);
  return created;
}

/** Selects the account for this browser at the identity provider, as its sign-in page would. */
async function atProvider(context: BrowserContext, { sub }: OidcAccount): Promise<void> {
  await context.unroute(`${provider.issuer}/auth?*`);
  await context.route(`${provider.issuer}/auth?*`, (route) =>
    route.continue({ url: `${route.request().url()}&login_hint=${sub}` }),
  );
}

const sso = (page: Page) => page.getByRole('button', { name: 'Single sign-on' });
const home = (page: Page) => page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();

/** Confirms that a person's first sign-on creates a workspace. */
const create = (page: Page) => page.getByRole('button', { name: 'Create a workspace' }).click();

/** Creates a workspace through the first sign-on of a person. */
async function foundBySso(who: OidcAccount) {
  const person = await browser.person('/signin');
  await atProvider(person.context, who);
  await sso(person.page).click();
  await create(person.page);
  await person.page.getByRole('button', { name: 'I saved the key' }).click();
  await home(person.page);
  return person;
}

describe.skipIf(withoutBrowser)('single sign-on', () => {
  test('is the only way offered if it is the only one; the first creates a workspace', async () => {
    const { page, context } = await browser.person('/app');
    await page.waitForURL('**/signin?*');
    await atProvider(context, account());
    await sso(page).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Create a workspace' }).count()).toBe(0);

    const addresses: string[] = [];
    page.on('framenavigated', (frame) => addresses.push(frame.url()));
    await sso(page).click();
    await page.getByRole('heading', { name: 'Create a workspace?' }).waitFor();
    await expectAccessible(page);
    expect(await countRows(openSuperuser(app.superuserUrl), ['tenants'])).toEqual({ tenants: 0 });
    await create(page);
    await page.getByLabel('API key').waitFor();
    // The identity provider's parameters are removed from the URL, and thereby from the browser's history.
    expect(addresses.some((one) => one.startsWith(`${address}/signin/sso?`))).toBe(true);
    expect(page.url()).toBe(`${address}/signin/sso`);
    await page.getByRole('button', { name: 'I saved the key' }).click();
    await home(page);
    expect(page.url()).toBe(`${address}/app`);
    const storages = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(storages).not.toMatch(/code|state|token/);
    await page.reload();
    await home(page);
  });

  test('of a person with two workspaces redirects to the provider again for the selected one', async () => {
    const who = account();
    const { page } = await foundBySso(who);
    await signOut(page);
    const other = await app.signUp({ tenant_name: 'The other one' });
    // An administrator of the other workspace creates an invite.
    const { body: invite } = await app.json('POST', '/api/tenants/invites', {
      headers: { authorization: `Bearer ${other.accessToken}` },
      body: { role: 'agent_id_developer' },
    });
    await page.goto(`/signin#invite_token=${invite.invite_token}`);
    await page.getByText('The other one').waitFor();
    expect(page.url()).toBe(`${address}/signin`);
    await sso(page).click();
    await home(page);
    await signOut(page);

    await sso(page).click();
    await page.getByRole('heading', { name: 'Select a workspace' }).waitFor();
    await page.getByRole('button', { name: 'The other one' }).click();
    await home(page);
    const tenants = await openSuperuser(app.superuserUrl)`
      select distinct tenant_id from users where email = ${String(who.email)}`;
    expect(tenants).toHaveLength(2);
  });

  test('that the provider rejects shows an error, and can be restarted', async () => {
    const { page, context } = await browser.person(
      '/signin/sso?error=access_denied&state=abc&error_description=Pay%20me',
    );
    await page.getByRole('alert').getByText('rejected the sign-in').waitFor();
    expect(await page.content()).not.toContain('Pay me');
    expect(page.url()).toBe(`${address}/signin/sso`);
    await page.getByRole('button', { name: 'Start over' }).click();
    await atProvider(context, account());
    await sso(page).click();
    await create(page);
    await page.getByLabel('API key').waitFor();
  });

  test('is linked by a member with a password, who then signs in by it', async () => {
    const team = await found(app);
    const { page, context } = await browser.person('/app/settings/security', {
      refreshToken: team.refreshToken,
    });
    await atProvider(context, account());
    await page.getByRole('button', { name: 'Link single sign-on' }).click();
    await page.waitForURL('**/app/settings/security');
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await signOut(page);
    await sso(page).click();
    await page.waitForURL('**/app**');
    const [row] = await openSuperuser(app.superuserUrl)`
      select count(*)::int as linked from users where user_id = ${team.userId} and provider_subject is not null`;
    expect(row).toEqual({ linked: 1 });
  });

  test('after the end of a session opens another window, and the work in this one stays', async () => {
    const who = account();
    const { page, context } = await foundBySso(who);
    await openSuperuser(app.superuserUrl)`
      delete from tokens where user_id in (select user_id from users where email = ${String(who.email)})`;
    await page.evaluate(() => Object.assign(window, { theSamePage: true }));
    // A background request of the page may already have opened the dialog, which would block a click.
    const follow = (name: string) =>
      page.getByRole('navigation').getByRole('link', { name }).dispatchEvent('click');
    await follow('Language assets');
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    // A screen may still be loading when the dialog opens.
    await follow('Files');
    const opening = context.waitForEvent('page');
    await dialog.getByRole('button', { name: 'Single sign-on' }).click();
    await opening;
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => 'theSamePage' in window)).toBe(true);
    await page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  });
});
