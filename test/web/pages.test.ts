import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { locales } from '#web/server/locale.ts';

const DATA_DIR = await mkdtemp(join(tmpdir(), 'lingualoop-pages-'));
const folder = join(DATA_DIR, 'pages');
afterAll(() => rm(DATA_DIR, { recursive: true, force: true }));
beforeEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'resources'), { recursive: true });
});

const app = useTestApp({ env: { DATA_DIR } });
const below = useTestApp({ env: { DATA_DIR, BASE_URL: 'https://lingua.example.org/it&s/' } });

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
async function get(path: string, headers: Record<string, string> = {}, at = app) {
  const response = await at.request(path, { headers: { ...html, ...headers }, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const write = (name: string, text: string) => writeFile(join(folder, name), text);

describe('the public pages', () => {
  const addresses = [
    ...['/', '/about', '/privacy', '/terms', '/contact', '/resources'],
    ...[
      'first-steps',
      'keyboard',
      'reviewer-checklist',
      'import-a-memory',
      'prepare-a-glossary',
      'words',
    ].map((name) => `/resources/${name}`),
  ];

  test.each(addresses)(
    '%s is whole without a script, with a title and one heading of level 1',
    async (path) => {
      const { status, headers, text } = await get(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toMatch(/^<!doctype html>\n<html lang="en" dir="ltr">/);
      expect(text).not.toMatch(/<script|\son\w+=|javascript:|\sstyle=/i);
      expect(text.match(/<h1>/g)).toHaveLength(1);
      expect(text).toMatch(/<title>[^<]+<\/title>/);
    },
  );

  test('have only links to existing URLs', async () => {
    for (const path of addresses)
      for (const [, address] of (await get(path)).text.matchAll(/(?:href|src|srcset)="(\/[^"]*)"/g)) {
        const { status } = await get(String(address));
        // Swagger UI's path redirects to its page.
        expect([path, address, status < 400]).toEqual([path, address, true]);
      }
  });

  test.each(locales)('exist in %s', async (locale) => {
    for (const path of addresses) {
      const { text } = await get(path, { 'accept-language': locale });
      expect([path, /<main id="main"[^>]* lang="(\w+)"/.exec(text)?.[1]]).toEqual([path, locale]);
    }
  });

  test('are in the language of the cookie, or else in the first available language of the browser', async () => {
    const languageOf = async (headers: Record<string, string>) =>
      /<html lang="(\w+)" dir="(\w+)"/
        .exec((await get('/about', headers)).text)
        ?.slice(1)
        .join(' ');
    expect(await languageOf({})).toBe('en ltr');
    expect(await languageOf({ 'accept-language': 'ar-EG' })).toBe('ar rtl');
    expect(await languageOf({ 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' })).toBe('es ltr');
    for (const variant of ['pt', 'pt-BR', 'pt-PT'])
      expect(await languageOf({ 'accept-language': variant })).toBe('pt ltr');
    expect(await languageOf({ 'accept-language': 'nl, de;q=0.5, ja;q=0.9, fr;q=0' })).toBe('ja ltr');
    expect(await languageOf({ 'accept-language': 'ja', cookie: 'a=b; ll_locale=fr' })).toBe('fr ltr');
    for (const chosen of ['xx', '../../etc', '"><script>', '__proto__'])
      expect(await languageOf({ 'accept-language': 'de', cookie: `ll_locale=${chosen}` })).toBe('de ltr');
    const hostile = ['*', ';;;,,,', 'x'.repeat(8000), 'en;q=NaN', 'constructor'];
    for (const accepted of hostile) expect(await languageOf({ 'accept-language': accepted })).toBe('en ltr');
    expect((await get('/about')).headers.get('vary')).toContain('Accept-Language, Cookie');
  });
});

describe('a link to a page in another language', () => {
  const languageOf = (text: string) => /<main id="main" class="\w+" lang="(\w+)"/.exec(text)?.[1];

  test('shows the page in that language, and the next pages too', async () => {
    const from = (await get('/about')).text;
    expect(from).toContain('<a href="/about?lang=fr" lang="fr" hreflang="fr">Français</a>');
    const chosen = await get('/about?lang=fr', { 'accept-language': 'de', 'sec-fetch-site': 'same-origin' });
    expect(languageOf(chosen.text)).toBe('fr');
    expect(chosen.headers.get('set-cookie')).toBe('ll_locale=fr; Path=/; Max-Age=31536000; SameSite=Lax');
    expect((await get('/about?lang=fr', {}, below)).headers.get('set-cookie')).toMatch(
      /^__Host-ll_locale=fr; Path=\/; Max-Age=31536000; SameSite=Lax; Secure$/,
    );
  });

  test('stores nothing if another site has the link, or if the language does not exist', async () => {
    const foreign = await get('/?lang=ar', { 'sec-fetch-site': 'cross-site' });
    expect([languageOf(foreign.text), foreign.headers.get('set-cookie')]).toEqual(['ar', null]);
    for (const query of ['lang=xx', 'lang=', 'lang=fr&lang=de', 'lang=__proto__', 'lang=fr%0d%0aa:b']) {
      const { text, headers } = await get(`/about?${query}`);
      expect([query, languageOf(text), headers.get('set-cookie')]).toEqual([query, 'en', null]);
    }
  });

  test('never leads to another site', async () => {
    for (const path of ['//evil.example/', '/%2f/evil.example', '/\\evil.example'])
      expect((await get(path)).text).not.toContain('evil');
  });
});

describe('the directory pages under DATA_DIR', () => {
  test('replaces the landing page', async () => {
    expect((await get('/')).text).toContain('class="landing"');
    await write('home.md', '# Our portal\n\nWelcome.');
    const { text } = await get('/', { 'accept-language': 'fr' });
    expect(text).toContain('<h1>Our portal</h1>');
    expect(text).not.toContain('class="landing"');
    // The notice stays: without a model, the pages of an operator do not hide that.
    expect(text).toContain('role="note"');
  });

  test('replaces a page at the next request, until its file is removed', async () => {
    expect((await get('/about')).text).toContain('<h1>About</h1>');
    await write('about.md', '# Who *we* are\n\nHello.');
    expect((await get('/about')).text).toMatch(
      /<title>Who we are · LinguaLoop<\/title>[\s\S]*<p>Hello\.<\/p>/,
    );
    await write('about.md', '# Again');
    expect((await get('/about')).text).toContain('<h1>Again</h1>');
    await rm(join(folder, 'about.md'));
    expect((await get('/about')).text).toContain('<h1>About</h1>');
  });

  test('has a page for a language before the one for all languages, and that before ours', async () => {
    await write('terms.md', '# Ours for all');
    expect((await get('/terms', { 'accept-language': 'fr' })).text).toContain('Ours for all');
    await write('terms.fr.md', '# Conditions propres');
    expect((await get('/terms', { 'accept-language': 'fr' })).text).toMatch(
      /<main [^>]*lang="fr" dir="ltr">[\s\S]*Conditions propres/,
    );
    expect((await get('/terms', { 'accept-language': 'de' })).text).toContain('Ours for all');
  });

  test('may add pages only below /resources', async () => {
    await write('resources/our-way.md', '# Our way');
    await write('pricing.md', '# Pricing');
    expect((await get('/resources/our-way')).text).toContain('<h1>Our way</h1>');
    expect((await get('/pricing')).status).toBe(404);
  });

  test('has Markdown: HTML is shown as text, and scripts are not links', async () => {
    await write(
      'about.md',
      '# <b>T</b> & "t"\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>\n\n' +
        '[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) ![d](javascript:x)\n\n[e](//other.example/x)',
    );
    const { text } = await get('/about');
    expect(text).toContain('<title>&#60;b&#62;T&#60;/b&#62; &#38; &#34;t&#34; · LinguaLoop</title>');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(/<main[\s\S]*<\/main>/.exec(text)?.[0]).not.toMatch(
      /<script|<img|<b>|(href|src)="(javascript|data|vbscript)/,
    );
    expect(text).toContain('href="//other.example/x"');
  });

  test('cannot be escaped by a name, and other files cannot be read', async () => {
    await writeFile(join(folder, '../outside.md'), '# Outside');
    const hostile = [
      '..%2f..%2foutside',
      '..%2foutside',
      '%2e%2e%2foutside',
      '..%5coutside',
      'about.fr',
      'A',
      'first-steps.md',
      'first-steps%00',
      '%2fetc%2fpasswd',
      'x'.repeat(101),
      'x'.repeat(10_000),
      '__proto__',
      '%F0%9F%98%80',
    ];
    for (const name of hostile) expect([name, (await get(`/resources/${name}`)).status]).toEqual([name, 404]);
    for (const path of ['/resources/../about', '/resources/a/b', '/resources/%ff', '//outside'])
      expect((await get(path)).text).not.toContain('Outside');
    await rm(join(folder, '../outside.md'));
  });
});

describe('a public URL with a path', () => {
  test('is the prefix of each URL in a page, including those in Markdown', async () => {
    await write(
      'about.md',
      '# About\n\n[docs](/docs) [near](resources) ![i](/static/icon.svg) [far](https://a.example/b)',
    );
    const { text } = await get('/about', {}, below);
    expect(text).toContain('<a href="/it&amp;s/docs">docs</a> <a href="resources">near</a>');
    expect(text).toContain('<img src="/it&amp;s/static/icon.svg"');
    expect(text).toContain('href="https://a.example/b"');
    for (const [, address] of (await get('/', {}, below)).text.matchAll(/(?:href|src|srcset)="(\/[^"]*)"/g))
      expect(address).toMatch(/^\/it&(amp|#38);s\//);
  });

  test('with https adds HSTS; every page has the other headers', async () => {
    for (const [at, hsts] of [
      [below, 'max-age=31536000; includeSubDomains'],
      [app, null],
    ] as const) {
      for (const path of ['/', '/about', '/nowhere', '/signin', '/app']) {
        const { headers } = await get(path, {}, at);
        expect(headers.get('strict-transport-security')).toBe(hsts);
        expect(Object.fromEntries(headers)).toMatchObject({
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cache-control': 'no-cache',
        });
        const policy = headers.get('content-security-policy') ?? '';
        for (const directive of [
          "default-src 'self'",
          "object-src 'none'",
          "base-uri 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
        ])
          expect(policy.split('; ')).toContain(directive);
        expect(policy).not.toMatch(/unsafe|\*|https?:/);
      }
    }
  });
});

describe('an unknown URL', () => {
  test('is a page for a browser that navigates, and JSON for others', async () => {
    const page = await get('/nowhere');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1>Page not found</h1>');
    expect((await get('/nowhere', { 'accept-language': 'de' })).text).toContain('Seite nicht gefunden');
    for (const [path, accept] of [
      ['/nowhere', '*/*'],
      ['/nowhere', 'application/json'],
      ['/api/nowhere', html.accept],
      ['/trpc/nowhere', html.accept],
      ['/static/nowhere.js', html.accept],
    ] as const) {
      const { status, headers, text } = await get(path, { accept });
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        404,
        expect.stringContaining('application/json'),
      ]);
      expect(JSON.parse(text)).toEqual(
        path.startsWith('/trpc') ? { error: expect.anything() } : refusalOf(expect.any(String)),
      );
    }
    const posted = await app.json('POST', '/nowhere', { body: {}, headers: html });
    expect([posted.status, typeof posted.body.detail]).toEqual([404, 'string']);
  });
});
