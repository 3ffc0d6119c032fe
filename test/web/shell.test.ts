import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { handleErrors } from '#rest/errors.ts';
import { contextOf } from '#server/app.ts';
import { appRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';
import { dist } from '#web/server/build.ts';
import { serveWeb } from '#web/server/serve.ts';

const app = useTestApp();
const closed = useTestApp({
  env: {
    PASSWORD_SIGNIN_ENABLED: 'false',
    EMAIL_SIGNUP_ENABLED: 'false',
    BASE_URL: 'https://l.example/loop',
  },
});

const empty = await mkdtemp(join(tmpdir(), 'lingualoop-no-build-'));
afterAll(() => rm(empty, { recursive: true }));

/** Reads the properties of the deployment from the page. */
async function described(at = app, path = '/signin', headers: Record<string, string> = {}) {
  const text = await (await at.request(path, { headers })).text();
  const content = /<meta name="lingualoop" content="([^"]*)"/.exec(text)?.[1] ?? '';
  return JSON.parse(content.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))));
}

describe('the page of the application', () => {
  test.each([
    '/signin',
    '/signin/sso?code=x&state=y',
    '/app',
    '/app/texts',
    '/app/a/b/c',
    '/billing',
    '/jobs/x',
  ])('%s is the same page, with nothing inline', async (path) => {
    const response = await app.request(path);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(text).toMatch(/<script type="module" src="\/static\/app-[\w-]+\.js"><\/script>/);
    expect(text).not.toMatch(/<script(?![^>]*src=)|<style|\sstyle=|\son\w+=/);
    expect(text).not.toContain('state=y');
  });

  test("links the screen's file at the URL of every screen, so that the browser loads it immediately", async () => {
    const router = await readFile(join(dist, '../app/router.tsx'), 'utf8');
    const screens = router.split('createRoute(').flatMap((route) => {
      const path = /\bpath: '([^']+)'/.exec(route)?.[1]?.replaceAll(/\$\w+/g, 'x');
      const file = /import\('\.\/screens\/[\w-]+\/([\w-]+)\.tsx'\)/.exec(route)?.[1];
      return path && file ? [[path, file] as const] : [];
    });
    expect(screens.length).toBeGreaterThan(15);
    for (const [path, file] of screens) {
      const text = await (await app.request(path)).text();
      expect.soft(text, path).toMatch(new RegExp(`rel="modulepreload" href="/static/${file}-[\\w-]+\\.js"`));
    }
  });

  test('links the messages for operators at their screens only', async () => {
    const words = /rel="modulepreload" href="\/static\/locale-en-operator-[\w-]+\.js"/;
    expect(await (await app.request('/app/settings/operator/queue')).text()).toMatch(words);
    expect(await (await app.request('/app/settings/members')).text()).not.toMatch(words);
  });

  test('has the enabled ways to sign in, and the path of the public URL', async () => {
    expect(await described()).toMatchObject({
      basePath: '',
      passwordSignIn: true,
      emailSignUp: true,
      ssoProvider: null,
      liveEngine: false,
    });
    const below = await described(closed);
    expect(below).toMatchObject({ basePath: '/loop', passwordSignIn: false, emailSignUp: false });
    expect(below.catalogs.ar.signIn).toMatch(/^\/loop\/static\/locale-ar-signin-[\w-]+\.js$/);
    expect(below.catalogs.ar.workspace).toMatch(/^\/loop\/static\/locale-ar-workspace-[\w-]+\.js$/);
  });

  test('has no secret and no URL of the deployment', async () => {
    const { SECRETS_KEY, DATA_DIR } = app.services.settings;
    const text = JSON.stringify(await described());
    for (const secret of [SECRETS_KEY, DATA_DIR, app.databaseUrl]) expect(text).not.toContain(secret);
  });

  test('reports a signed-out browser only if it would have sent the cookie', async () => {
    const direct = { 'sec-fetch-site': 'none' };
    expect((await described(app, '/signin', direct)).signedOut).toBe(true);
    expect((await described(app, '/signin', { ...direct, cookie: 'll_refresh=x' })).signedOut).toBe(false);
    // The cookie has SameSite=Strict, so browsers do not send it with a link from another site. Over plain http, the
    // origin of a request is unknown.
    expect((await described(app, '/signin', { 'sec-fetch-site': 'cross-site' })).signedOut).toBe(false);
    expect((await described(app, '/signin')).signedOut).toBe(false);
    // The cookie is sent only to /signin, so its absence means nothing at other paths.
    expect((await described(app, '/app', direct)).signedOut).toBe(false);
  });
});

describe('the built files', () => {
  test('are cached forever, and sent compressed as built', async () => {
    const { scripts } = JSON.parse(await readFile(join(dist, 'build.json'), 'utf8'));
    const plain = await app.request(scripts[1], { headers: { 'accept-encoding': 'identity' } });
    expect(Object.fromEntries(plain.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/^(text|application)\/javascript/),
      'x-content-type-options': 'nosniff',
    });
    const source = await plain.text();
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const response = await app.request(scripts[1], { headers: { 'accept-encoding': accepted } });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toMatch(/accept-encoding/i);
      expect(await response.text()).toBe(source);
    }
  });

  test('that do not exist return a 404 that is not cached, and no path leaves the directory', async () => {
    const entries = await readdir(join(dist, 'static'), { withFileTypes: true });
    const folders = entries.filter((one) => one.isDirectory()).map(({ name }) => `/static/${name}/`);
    expect(folders).not.toEqual([]);
    for (const path of [
      '/static/nowhere.js',
      '/static/',
      ...folders,
      '/static/../build.json',
      '/static/..%2fbuild.json',
      '/static/%2e%2e%2f%2e%2e%2fpackage.json',
      '/static/..%5cbuild.json',
      '/static/%00',
    ]) {
      for (const encoding of ['identity', 'br']) {
        const response = await app.request(path, { headers: { 'accept-encoding': encoding } });
        expect([path, response.status >= 400 && response.status < 500]).toEqual([path, true]);
        expect(response.headers.get('cache-control') ?? '').not.toContain('immutable');
        expect(await response.text()).not.toMatch(/"script"|"dependencies"/);
      }
    }
  });

  test('each have a compressed copy with equal content', async () => {
    const names = await readdir(join(dist, 'static'));
    for (const name of names.filter((one) => one.endsWith('.br'))) {
      const [copy, file] = await Promise.all(
        [name, name.slice(0, -3)].map((one) => readFile(join(dist, 'static', one))),
      );
      expect([name, brotliDecompressSync(copy as Buffer).equals(file as Buffer)]).toEqual([name, true]);
    }
  });
});

describe('without a build', () => {
  test('the application returns a 503 that names the command; the public pages work', async () => {
    const http = fastify();
    handleErrors(http);
    await serveWeb(http, appRouter, contextOf(app.services, true), app.services, empty);
    onTestFinished(() => http.close());
    const address = await http.listen({ host: '127.0.0.1', port: 0 });
    for (const path of ['/app', '/signin', '/jobs/x', '/static/app.js']) {
      const response = await fetch(address + path, { headers: { accept: 'text/html' } });
      expect([path, response.status, (await response.json()).detail]).toEqual([
        path,
        503,
        expect.stringContaining('npm run build:web'),
      ]);
    }
    const page = await fetch(`${address}/about`);
    expect([page.status, (await page.text()).includes('stylesheet')]).toEqual([200, false]);
    const token = await fetch(`${address}/signin/refresh`, { method: 'POST' });
    expect(token.status).toBe(401);
  });
});
