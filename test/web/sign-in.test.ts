import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const password = 'a long enough passphrase';

/** Creates a workspace whose creator signs in with a password. */
async function founder(): Promise<{ email: string }> {
  const email = `reviewer${Math.random().toString(36).slice(2)}@example.org`;
  const { status } = await app.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'Reviewers', email, password },
  });
  expect(status).toBe(200);
  return { email };
}

describe.skipIf(withoutBrowser)('a person at /signin', () => {
  test('signs in, stays signed in after a reload and in a second tab, and signs out in both', async () => {
    const { email } = await founder();
    const { page, tab, context } = await browser.person('/app');
    await page.waitForURL('**/signin?*');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    const second = await tab();
    await second.goto('/app');
    await second.getByRole('heading', { name: 'Inbox' }).waitFor();

    const cookies = await context.cookies(`${app.address}/signin`);
    expect(cookies.find(({ name }) => name === 'll_refresh')).toMatchObject({
      httpOnly: true,
      sameSite: 'Strict',
      path: '/signin',
    });
    expect(
      await second.evaluate(() =>
        JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
      ),
    ).not.toMatch(/ll_refresh|ll_session|token/);

    await signOut(page);
    await second.waitForURL('**/signin');
    await page.waitForURL('**/signin');
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('ll_refresh');
  });

  test('has one refresh, however many tabs and calls need it', async () => {
    const { email } = await founder();
    const { page, tab, context } = await browser.person('/signin');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    const tabs = [page, await tab(), await tab(), await tab()];
    for (const one of tabs.slice(1)) {
      await one.goto('/app');
      await one.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    }
    const refreshes: number[] = [];
    context.on('response', (response) => {
      if (response.url().endsWith('/signin/refresh')) refreshes.push(response.status());
    });
    await openSuperuser(app.superuserUrl)`
      delete from tokens where kind = 'access_token' and user_id in (select user_id from users where email = ${email})`;
    await Promise.all(
      tabs.map(async (one) => {
        await one.getByRole('navigation').getByRole('link', { name: 'Files' }).click();
        await one.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
      }),
    );
    await Promise.all(tabs.map((one) => one.waitForLoadState('networkidle')));
    for (const one of tabs) {
      expect(await one.getByRole('alert').count()).toBe(0);
      expect(await one.getByRole('dialog').count()).toBe(0);
    }
    expect(refreshes).toEqual([200]);
  });

  test('stays signed in if the responses of refreshes are lost, over a reload too', async () => {
    const { email } = await founder();
    const { page } = await browser.person('/signin');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    const keys: (string | undefined)[] = [];
    await page.route('**/signin/refresh', async (route) => {
      const request = route.request();
      keys.push(request.postDataJSON().retry_key);
      if (keys.length > 3) return route.fallback();
      // `route.fetch` is not used, because it would store the new cookie in the browser.
      const headers = await request.allHeaders();
      const answer = await fetch(request.url(), {
        method: 'POST',
        headers: { cookie: headers['cookie'] ?? '', 'content-type': 'application/json' },
        body: request.postData(),
      });
      expect(answer.status).toBe(200);
      await route.abort('internetdisconnected');
    });
    await page.reload();
    await page
      .getByText("Couldn't check whether you're signed in")
      .or(page.getByRole('alert'))
      .first()
      .waitFor();
    await openSuperuser(app.superuserUrl)`update tokens set consumed_at = consumed_at - interval '60 seconds'
      where consumed_at is not null and user_id in (select user_id from users where email = ${email})`;
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    expect(keys).toEqual(Array(4).fill(keys[0]));
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(keys[0]);
  });

  test('stays signed out if the response to a refresh arrives after the sign-out', async () => {
    const { email } = await founder();
    const { page } = await browser.person('/signin');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await openSuperuser(app.superuserUrl)`
      delete from tokens where kind = 'access_token' and user_id in (select user_id from users where email = ${email})`;
    const [renewed, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/signin/refresh', async (route) => {
      const response = await route.fetch();
      renewed.resolve();
      await late.promise;
      await route.fulfill({ response });
    });
    const answer = page.waitForResponse('**/signin/refresh');
    await page.getByRole('navigation').getByRole('link', { name: 'Files' }).click();
    await renewed.promise;
    await signOut(page);
    await page.waitForURL('**/signin');
    late.resolve();
    expect((await answer).status()).toBe(200);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    expect(new URL(page.url()).pathname).toBe('/signin');
  });

  test('learns what to do without the password, and can show what is typed', async () => {
    const { page } = await browser.person('/signin');
    const field = page.getByLabel('Password', { exact: true });
    await field.fill('some words');
    const show = page.getByRole('button', { name: 'Show password' });
    await show.click();
    expect(await field.getAttribute('type')).toBe('text');
    await show.click();
    expect(await field.getAttribute('type')).toBe('password');
    // The button follows the field in the order of focus.
    await field.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const forgot = page.getByRole('button', { name: 'Forgot password?' });
    expect(await forgot.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('status').getByText('Settings › Members').waitFor();
    await page.getByRole('link', { name: 'Contact the operator' }).click();
    await page.waitForURL('**/contact');
  });

  test("sees the service's message about a wrong password", async () => {
    const { email } = await founder();
    const { page } = await browser.person('/signin');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill('another passphrase');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('invalid').waitFor();
  });
});
