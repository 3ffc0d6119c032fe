import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible, tooWideOn } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp();
const below = useTestApp({ env: { BASE_URL: 'https://lingua.example.org/it&s/' } });
const { person } = useBrowser(app);

const root = join(import.meta.dirname, '../..');
const names = [...globSync('docs/*.md', { cwd: root }).map((file) => basename(file, '.md')), 'sdk']
  .filter((name) => name !== 'README')
  .sort();

async function get(path: string, at = app) {
  const response = await at.request(path, { redirect: 'error' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const attributes = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) => value as string);

describe('the guides', () => {
  test('every Markdown file of docs/ is a page, and the list next to each page has all', async () => {
    for (const name of ['', ...names]) {
      const { status, text } = await get(`/docs/guides/${name}`);
      expect([name, status]).toEqual([name, 200]);
      expect([name, text.match(/<h1/g)?.length]).toEqual([name, 1]);
      const listed = /<nav class="guides"[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';
      expect(attributes(listed, 'href').sort()).toEqual(names.map((one) => `/docs/guides/${one}`));
      expect(attributes(listed, 'aria-current')).toEqual(name === '' ? [] : ['page']);
    }
  });

  test('every link of a page leads to a page, and to a heading of it', async () => {
    const idsOf = new Map<string, string[]>();
    const broken: string[] = [];
    for (const name of ['', ...names]) {
      const here = `/docs/guides/${name}`;
      for (const href of attributes((await get(here)).text, 'href').filter((to) => !/^https?:/.test(to))) {
        const [path = '', anchor] = href.split('#');
        const at = path || here;
        if (!idsOf.has(at)) {
          const { status, text } = await get(at);
          idsOf.set(at, status === 200 ? attributes(text, 'id') : ['missing']);
        }
        const ids = idsOf.get(at) ?? [];
        if (ids[0] === 'missing' || (anchor && !ids.includes(anchor))) broken.push(`${here}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test('files that are not guides are neither pages nor links', async () => {
    for (const name of [
      'README',
      '0017-admission',
      'decisions',
      'platform',
      'nowhere',
      '__proto__',
      '..%2fREADME',
    ])
      expect([name, (await get(`/docs/guides/${name}`)).status]).toEqual([name, 404]);
    const { text } = await get('/docs/guides/usage');
    expect(text).toContain('(decision 17)');
    expect(text).not.toMatch(/href="[^"]*decisions/);
  });

  test('have one small script and nothing inline, under the headers of all pages, with and without a version', async () => {
    for (const path of [
      '/docs/guides',
      '/docs/guides/',
      '/docs/guides/sdk?api-version=nonsense',
      '/docs/guides/search?q=job',
    ]) {
      const { status, headers, text } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text.match(/<script[^>]*>/g)).toEqual([
        expect.stringMatching(/^<script src="\/docs\/guides\.js\?[0-9a-f]{12}" defer>$/),
      ]);
      expect(text).not.toMatch(/<script[^>]*>[^<]|\son\w+=|=\s*["']?javascript:|\sstyle=/i);
      expect(headers.get('x-api-version')).toBeNull();
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('content-security-policy')).toMatch(
        /default-src 'self';.*require-trusted-types-for/,
      );
    }
  });

  test('have the public URL of the service in every command', async () => {
    for (const name of ['quick-start', 'billing', 'sdk']) {
      const { text } = await get(`/docs/guides/${name}`, below);
      expect(text).not.toContain('127.0.0.1:8080');
    }
    const { text } = await get('/docs/guides/quick-start', below);
    expect(text).toContain('curl -s https://lingua.example.org/it&#38;s/api/translations ');
    expect((await get('/docs/guides/engines', below)).text).toContain('http://127.0.0.1:8080/v1');
  });

  test('have URLs under the path of the public URL', async () => {
    for (const path of ['/docs/guides/', '/docs/guides/sdk', '/docs/guides/search?q=job'])
      for (const name of ['href', 'action'])
        for (const address of attributes((await get(path, below)).text, name).filter((one) =>
          /^\//.test(one),
        ))
          expect(address).toMatch(/^\/it&(amp|#38);s\//);
  });

  test('style and script are cached forever, at URLs that change with them', async () => {
    const { text } = await get('/docs/guides/');
    const style = attributes(text, 'href').find((one) => one.endsWith('.css'));
    const script = attributes(text, 'src').find((one) => one.includes('.js'));
    expect(style).toMatch(/^\/static\/guides-[\w-]+\.css$/);
    for (const [address, type] of [
      [style, 'text/css; charset=utf-8'],
      [script, 'text/javascript; charset=utf-8'],
    ] as const) {
      const { headers } = await get(String(address));
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('cache-control')).toContain('immutable');
    }
  });

  test('show pictures of the application, and no other images', async () => {
    const { text } = await get('/docs/guides/reviewing');
    expect(text).toMatch(
      /<picture><source media="\(prefers-color-scheme: dark\)" srcset="\/docs\/images\/editor-dark\.webp\?\w+"><img src="\/docs\/images\/editor-light\.webp/,
    );
    for (const name of names)
      for (const src of attributes((await get(`/docs/guides/${name}`)).text, 'src'))
        expect([name, src]).toEqual([name, expect.stringMatching(/^\/docs\/(images\/|guides\.js)/)]);
  });

  test('have the theme that was selected in the application', async () => {
    const response = await app.request('/docs/guides/', { headers: { cookie: 'll_theme=dark' } });
    expect(await response.text()).toContain('<html lang="en" data-theme="dark">');
    expect(response.headers.get('vary')).toContain('Cookie');
  });
});

describe('the search', () => {
  const find = async (query: string) => {
    const { text } = await get(`/docs/guides/search?q=${encodeURIComponent(query)}`);
    return [
      ...(/<ol class="found">[\s\S]*?<\/ol>/.exec(text)?.[0].matchAll(/<li><a href="([^"]*)">/g) ?? []),
    ].map(([, address]) => address as string);
  };

  test('finds headings first, beginnings of words, and words without their accents and case', async () => {
    expect((await find('Replacing the secrets key'))[0]).toBe(
      '/docs/guides/running#replacing-the-secrets-key',
    );
    expect(await find('REPLAC SECR')).toContain('/docs/guides/running#replacing-the-secrets-key');
    expect(await find('réplacing')).toEqual(await find('replacing'));
    expect(await find('STRIPE_PRICE_TOPUP')).toContain('/docs/guides/settings#settings');
  });

  test('finds operations of the reference', async () => {
    expect((await find('POST /api/translations/{job_id}/review'))[0]).toMatch(/^\/docs#\/Translations\/\w+/);
  });

  test('requires every word, and shows if there is no match', async () => {
    expect(await find('secrets key')).not.toEqual([]);
    expect(await find('secrets zyzzyva')).toEqual([]);
    expect((await get('/docs/guides/search?q=zyzzyva')).text).toContain('No results');
  });

  test('accepts any query, and shows it as text', async () => {
    const hostile = [
      '',
      ' ',
      '"><script>alert(1)</script>',
      '%',
      '\\',
      '.*',
      '\u0000',
      '🙂',
      'a'.repeat(10_000),
      'a '.repeat(4000),
    ];
    for (const query of hostile) {
      const { status, text } = await get(`/docs/guides/search?q=${encodeURIComponent(query)}`);
      expect([query.slice(0, 40), status]).toEqual([query.slice(0, 40), 200]);
      expect(text).not.toContain('<script>');
    }
    for (const path of ['?q=a&q=b', '?q[x]=1', ''])
      expect((await get(`/docs/guides/search${path}`)).status).toBe(200);
  });
});

describe.skipIf(withoutBrowser)('in a browser', () => {
  const paths = ['', ...names, 'search?q=key', 'search?q=zyzzyva'];

  test('every page fits into 320 pixels', async () => {
    const { page } = await person('/docs/guides/', { viewport: { width: 320, height: 800 } });
    for (const path of paths) {
      await page.goto(`${app.address}/docs/guides/${path}`);
      expect([path, await tooWideOn(page)]).toEqual([path, []]);
    }
  });

  test.each(['', 'sdk', 'search?q=zyzzyva'])('%s is accessible in the light', async (path) => {
    const { page } = await person(`/docs/guides/${path}`, { colorScheme: 'light' });
    await expectAccessible(page);
  });

  // All pages share one style sheet, and these pages use all of it.
  test.each(['sdk', 'settings', 'search?q=key'])(
    '%s is accessible in the dark and at 320 pixels',
    async (path) => {
      const { page } = await person(`/docs/guides/${path}`, {
        colorScheme: 'dark',
        viewport: { width: 320, height: 800 },
      });
      await expectAccessible(page);
    },
  );

  test('each example is copied with the keyboard, which is announced, and the page is whole without scripts', async () => {
    const { page, context } = await person('/docs/guides/quick-start');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const examples = page.locator('figure');
    expect(await page.getByRole('button', { name: /^Copy the .*example$/ }).count()).toBe(
      await examples.count(),
    );
    await examples.nth(1).getByRole('button').press('Enter');
    await examples
      .nth(1)
      .getByRole('button', { name: /^Copied the/ })
      .waitFor();
    await page.getByRole('status').getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await examples.nth(1).locator('pre').textContent());
    await expectAccessible(page);
  });

  test('is searched using only the keyboard', async () => {
    const { page } = await person('/docs/guides/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('text');
    await page.getByRole('searchbox', { name: 'Search' }).focus();
    await page.keyboard.type('secrets key');
    await page.keyboard.press('Enter');
    await page.waitForURL(/search\?q=/);
    await page.getByRole('link', { name: 'Replacing the secrets key' }).press('Enter');
    await page.waitForURL(/running#replacing-the-secrets-key$/);
  });
});
