import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { layoutKindNames, layoutKinds } from '#server/formats/layout-kinds.ts';
import { readResults } from '#test/fidelity/report.ts';
import { useTestApp } from '#test/setup/app.ts';
import { measured } from '#web/server/landing.ts';
import { type Locale, locales } from '#web/server/locale.ts';
import { pictureDirectory } from '#web/server/public-pages.ts';
import { expectAccessible, tooWideOn } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp();
const closed = useTestApp({ env: { EMAIL_SIGNUP_ENABLED: 'false' } });
const paid = useTestApp({ env: { BILLING_ENABLED: 'true', TRIAL_CHARS: '1234567', TRIAL_DAYS: '9' } });
const { person } = useBrowser(app);

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

async function landing(at = app, locale: Locale = 'en', headers: Record<string, string> = {}) {
  const response = await at.request('/', {
    headers: { accept: 'text/html', 'accept-language': locale, ...headers },
  });
  return response.text();
}

/** The text of an HTML fragment. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** The code of an example, with the URL of the test's application. */
async function sample(index: number): Promise<string> {
  const [, code = ''] =
    [...(await landing()).matchAll(/<pre tabindex="0"><code>(.*?)<\/code>/gs)][index] ?? [];
  return textOf(code).replace(/http:\/\/127\.0\.0\.1:\d+/, app.address);
}

describe('the landing page', () => {
  test('offers to create a workspace only if that is possible', async () => {
    expect(await landing()).toContain('href="/signin?found=true"');
    const text = await landing(closed);
    expect(text).not.toContain('found=true');
    expect(text).toContain('<a class="button primary large" href="/signin">Sign in');
  });

  test('offers a free trial only if workspaces have one, with its size', async () => {
    expect(textOf(await landing())).not.toMatch(/\bfree\b/);
    expect(textOf(await landing(paid))).toContain(
      'the first 1,234,567 characters are free, for 9 days. Files',
    );
    expect(textOf(await landing(paid, 'de'))).toContain('Die ersten 1.234.567 Zeichen');
  });

  test.each(locales)('has every text in %s, with all figures', async (locale) => {
    const text = textOf(await landing(paid, locale));
    expect(text).not.toMatch(/undefined|NaN|`|\{(?!name\}|nombre\}|"source_text|\s)/);
    expect(text).toContain(new Intl.NumberFormat(locale).format(119_298));
    expect(text).toContain('日本語');
  });

  test('lists every format that keeps its layout', async () => {
    const [, list = ''] = /<section[^>]* id="formats">(.*?)<\/section>/s.exec(await landing()) ?? [];
    expect([...list.matchAll(/<li[^>]*>(.*?)<\/li>/g)].map(([, one]) => one)).toEqual(
      layoutKindNames.map((kind) => layoutKinds[kind].extensions.map((one) => `.${one}`).join(' ')),
    );
  });

  test('names the license and the command of the project, and links to a guide', async () => {
    const text = await landing();
    expect(textOf(text)).toContain('Open source, under the MIT license');
    expect(read('LICENSE')).toMatch(/^MIT License/);
    expect(JSON.parse(read('package.json'))).toMatchObject({
      license: 'MIT',
      scripts: { start: expect.any(String) },
    });
    const [, guide = ''] = /id="different">.*?href="([^"]*)"/s.exec(text) ?? [];
    expect((await app.request(guide, { headers: { accept: 'text/html' } })).status).toBe(200);
  });

  test('has an example for curl that works', async () => {
    const { apiKey } = await app.signUp();
    const { stdout } = await promisify(execFile)('sh', ['-c', await sample(0)], {
      env: { ...process.env, KEY: apiKey },
    });
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'published',
      final_translation: '[fr] Hello, {name}',
    });
  });

  test('has an example for the SDK that works', async () => {
    const { apiKey } = await app.signUp();
    const code = (await sample(1)).replace(/^import .*$/m, '');
    const printed: unknown[] = [];
    const run = new (Object.getPrototypeOf(async () => {}).constructor)(
      'LinguaLoop',
      'process',
      'console',
      code,
    );
    await run(LinguaLoop, { env: { KEY: apiKey } }, { log: (...values: unknown[]) => printed.push(values) });
    expect(printed).toEqual([['published', '[fr] Hello, {name}']]);
  });

  test('has only figures that the documents have', () => {
    const results = readResults(join(import.meta.dirname, '../fidelity/results.json'));
    const rowsOf = (format: string) => results.find(({ title }) => title === format)?.tables[0]?.rows;
    const number = (value: number) => value.toLocaleString('en');
    for (const [format, files, texts] of [
      ['DOCX', measured.wordFiles, measured.wordTexts],
      ['XLSX', measured.excelFiles, measured.excelTexts],
    ] as const) {
      expect(rowsOf(format)).toContainEqual(['files', `${files}`]);
      expect(rowsOf(format)).toContainEqual(['translated once', `${texts} of ${texts}`]);
    }
    const gate = read('docs/quality-gate.md');
    expect(gate).toContain(`${measured.caught * 100}% of ${number(measured.losses)} damages`);
    expect(gate).toContain(`messages of Debian packages in ${measured.testedLanguages} languages`);
    expect(gate).toMatch(
      new RegExp(`\\| all \\| ${number(measured.realTranslations)} .*\\| ${measured.falseAlarms} \\(`),
    );
    const performance = read('docs/performance.md');
    expect(performance).toContain(`${number(measured.segments)} segments.`);
    expect(performance).toMatch(
      new RegExp(`exact match, 50,000 / 100 segments \\|.*\\(${measured.exactMs} ms\\)`),
    );
    const medians = [...performance.matchAll(/^\| (?!target)\w+ \| [\d.–]+% \| ([\d.]+) ms \|/gm)].map(
      ([, ms]) => Number(ms),
    );
    expect([Math.min(...medians), Math.max(...medians)]).toEqual(measured.fuzzyMs);
    expect(read('sdk/README.md')).toContain(`${measured.sdkKb} kB`);
  });
});

describe('the pictures of the application', () => {
  test('are small, cached forever, and follow the theme', async () => {
    const text = await landing();
    const addresses = [...text.matchAll(/(?:src|srcset)="(\/docs\/images\/[^"]*)"/g)].map(([, one]) =>
      String(one),
    );
    expect(addresses).toEqual([
      expect.stringMatching(/\/editor-dark\.webp\?[0-9a-f]{12}$/),
      expect.stringMatching(/\/editor-light\.webp\?[0-9a-f]{12}$/),
    ]);
    for (const address of addresses) {
      const { status, headers } = await app.request(address);
      expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
      expect(headers.get('cache-control')).toContain('immutable');
      expect(statSync(join(pictureDirectory, String(/[\w-]+\.webp/.exec(address)))).size).toBeLessThanOrEqual(
        150_000,
      );
    }
    const dark = await landing(app, 'en', { cookie: 'll_theme=dark' });
    expect(dark).toContain('data-theme="dark"');
    expect(dark).not.toContain('editor-light');
    expect(await landing(app, 'en', { cookie: 'll_theme=light' })).not.toContain('editor-dark');
  });

  test('are the only files of their URL', async () => {
    for (const name of ['nowhere.webp', '..%2fREADME.md', 'README.md', '__proto__', '%00']) {
      const { status } = await app.request(`/docs/images/${name}`);
      expect([name, status >= 400 && status < 500]).toEqual([name, true]);
    }
  });
});

describe.skipIf(withoutBrowser)('in a browser', () => {
  const pages = ['/', '/resources', '/resources/words', '/resources/import-a-memory', '/nowhere'];
  test.each<[string, PersonOptions]>([
    ['light, English', { locale: 'en', colorScheme: 'light' }],
    ['dark, Arabic', { locale: 'ar', colorScheme: 'dark' }],
    ['light, Japanese', { locale: 'ja', colorScheme: 'light' }],
  ])('the pages are accessible, and fit into 320 px: %s', async (_, options) => {
    const { page } = await person('/about', options);
    for (const path of pages) {
      await page.goto(path);
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      expect([path, await tooWideOn(page)]).toEqual([path, []]);
      await page.setViewportSize({ width: 1280, height: 800 });
    }
  });

  test('the example for another language is shown by keyboard', async () => {
    const { page } = await person('/');
    const curl = page.getByText('curl -s');
    await page.getByRole('radio', { name: 'curl' }).focus();
    expect(await curl.isVisible()).toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.getByText("from '@lingualoop/sdk'").waitFor();
    expect(await curl.isVisible()).toBe(false);
  });
});
