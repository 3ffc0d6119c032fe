import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmationToken } from '#server/identity/mail/confirmation.ts';
import { unsubscribeToken } from '#server/identity/mail/preferences.ts';
import { found, join, type Person } from '#test/factories.ts';
import { readPreferences } from '#test/mail/preferences.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const mail = { MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}' };
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', DEMO_WORKSPACE: 'true', ...mail } });

/** Another site, whose page has the HTML that a test gives it. */
let foreignPage = '';
const other = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><link rel="icon" href="data:,"><title>Another site</title>${foreignPage}`);
});
await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
const otherSite = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
afterAll(() => void other.close());

const { person } = useBrowser(app, { others: [otherSite] });

let member: Person;
beforeAll(async () => {
  member = await join(app, await found(app));
});

const keysOf = () => app.services.secretsKeys;
/** A value for each parameter of a page's path, so that the page exists. A new page with a parameter needs a line. */
const pathOf: Readonly<Record<string, () => string>> = {
  '/app/*': () => '/app/inbox',
  '/app/documents/:document_id/artifacts/:artifact_id': () => '/app/documents/unknown/artifacts/unknown',
  '/app/exports/:export_id': () => '/app/exports/unknown',
  '/docs/guides/:name': () => '/docs/guides/reviewing',
  '/docs/images/:name': () => '/docs/images/editor-light.webp',
  '/jobs/:job_id': () => '/jobs/unknown',
  '/mail/confirm/:token': () => `/mail/confirm/${confirmationToken(keysOf(), member)}`,
  '/mail/unsubscribe/:token': () =>
    `/mail/unsubscribe/${unsubscribeToken(keysOf(), { ...member, kind: 'digest' })}`,
  '/resources/:name': () => '/resources/unknown',
};

/** Routes of programs, not of pages. The application sends the requests of `/signin/` by script, as JSON. */
const isForPrograms = (path: string) => /^\/(api|trpc)\/|^\/signin\/.|^\/\*$/.test(path);
const routes = (method: string) =>
  app.routes.flatMap((route) => {
    const [is, path = ''] = route.split(' ');
    return is === method && !isForPrograms(path) ? [path] : [];
  });

interface Form {
  /** The URL of its page. */
  url: string;
  action: string;
  method: string;
  referrerPolicy: string | null;
}

/** Makes the address of the member unconfirmed, so that the page of the link has a form. */
const forget = () =>
  openSuperuser(app.superuserUrl)`
    update users set email_confirmed_at = null where user_id = ${member.userId}`;

/** The forms of all pages that the service renders, with the path of each page's route. */
async function formsOfRoutes(): Promise<Map<string, Form>> {
  await forget();
  const found = new Map<string, Form>();
  for (const path of routes('GET')) {
    if (/[:*]/.test(path) && !pathOf[path]) throw new Error(`no page for ${path}: add a line to pathOf`);
    const url = pathOf[path]?.() ?? path;
    const response = await app.request(url, { headers: { accept: 'text/html' }, redirect: 'manual' });
    if (!response.headers.get('content-type')?.startsWith('text/html')) continue;
    const html = await response.text();
    for (const [form] of html.matchAll(/<form\b[^>]*>/g)) {
      const [, action = url] = /\baction="([^"]*)"/.exec(form) ?? [];
      const [, method = 'get'] = /\bmethod="([^"]*)"/.exec(form) ?? [];
      const referrerPolicy = response.headers.get('referrer-policy');
      // The search of the guides is on each of their pages.
      found.set(action === url ? `${method} ${path}` : `${method} ${action}`, {
        url,
        action,
        method,
        referrerPolicy,
      });
    }
  }
  return found;
}

/** Adds the session of the member to the browser, as a sign-in does. */
const withSession = (page: Page) =>
  page.context().addCookies([{ name: 'll_session', value: member.accessToken, url: app.address }]);

describe.skipIf(withoutBrowser)('the forms of pages', () => {
  test('are all those to which a route belongs', async () => {
    const forms = await formsOfRoutes();
    const posts = routes('POST').map((path) => `post ${path}`);
    expect([...forms.keys()].toSorted()).toEqual([...posts, 'get /docs/guides/search'].toSorted());
    expect(posts).toEqual(
      expect.arrayContaining(['post /mail/confirm/:token', 'post /mail/unsubscribe/:token']),
    );
    // Without Sec-Fetch-Site, which browsers send only to https and to this machine, the Origin must not be `null`.
    for (const { method, referrerPolicy } of forms.values())
      if (method === 'post') expect(referrerPolicy).toBe('same-origin');
  });

  test.each([false, true])('can be sent in a browser; signed in: %j', async (isSignedIn) => {
    for (const [name, { url }] of await formsOfRoutes()) {
      const { page } = await person(url, { ...(isSignedIn && { prepare: withSession }) });
      const form = page.locator('form').last();
      for (const field of await form.locator('input').all()) await field.fill('review');
      const answered = page.waitForResponse((response) => response.request().isNavigationRequest());
      await form.locator('button').click();
      const response = await answered;
      expect([response.status(), response.headers()['content-type']], name).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      const { origin } = new URL(page.url());
      expect(origin).toBe(app.address);
    }
    expect(await readPreferences(app, member)).toMatchObject({ digest: false });
    const [row] = await openSuperuser(app.superuserUrl)`
      select email_confirmed_at is not null as confirmed from users where user_id = ${member.userId}`;
    expect(row).toEqual({ confirmed: true });
  });

  test('of another site are refused with a session, as a page', async () => {
    for (const [name, { action, method }] of await formsOfRoutes()) {
      if (method !== 'post') continue;
      foreignPage = `<form method="post" action="${app.address}${action}"><button>Send</button></form>`;
      const { page } = await person(otherSite, {
        prepare: withSession,
      });
      // As without SameSite: this is about the check of the service, not about that of the browser.
      await page.route(`${app.address}/**`, (route, request) =>
        route.continue({ headers: { ...request.headers(), cookie: `ll_session=${member.accessToken}` } }),
      );
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Send' }).click();
      const response = await answered;
      expect([response.status(), response.headers()['content-type']], name).toEqual([
        403,
        'text/html; charset=utf-8',
      ]);
      await page.getByRole('heading', { level: 1, name: 'This did not work' }).waitFor();
    }
    const [row] = await openSuperuser(app.superuserUrl)`
      select email_confirmed_at from users where user_id = ${member.userId}`;
    expect(row).toEqual({ email_confirmed_at: null });
  });
});

describe('an error of a route for browsers', () => {
  const foreign = () => ({
    'content-type': 'application/x-www-form-urlencoded',
    ...{ origin: 'https://evil.example', cookie: `ll_session=${member.accessToken}` },
  });
  const post = (accept: string) =>
    app.json('POST', pathOf['/mail/confirm/:token']!(), { headers: { accept, ...foreign() } });

  test('is a page in the language of the reader, with the ID of the request', async () => {
    const { status, headers, body } = await app.json('POST', pathOf['/mail/confirm/:token']!(), {
      headers: { accept: 'text/html,*/*', 'accept-language': 'de', 'x-request-id': 'abc-1', ...foreign() },
    });
    expect([status, headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(body).toContain('<h1>Das hat nicht geklappt</h1>');
    expect(body).toContain('<code>abc-1</code>');
    expect(body).not.toContain('error_code');
  });

  test('is JSON for a program, and on the routes of the API', async () => {
    const detail = 'cross-site requests are not allowed here';
    expect((await post('*/*')).body).toEqual(refusalOf(detail));
    const headers = { ...foreign(), accept: 'text/html', 'content-type': 'application/json' };
    const { status, body } = await app.json('POST', '/api/tenants/invites', { headers, body: {} });
    expect([status, body]).toEqual([403, refusalOf(detail)]);
  });
});
