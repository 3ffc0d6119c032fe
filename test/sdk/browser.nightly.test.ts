import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as published from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from '#test/web/browser.ts';
import { installPackedSdk } from './packed-sdk.ts';

/** The code of the SDK from its tarball. The sites below serve it. */
let code = '';
const sites = await Promise.all([site(), site()]);
const [allowed, stranger] = sites.map(({ origin }) => origin) as [string, string];
const app = useTestApp({ env: { CORS_ORIGINS: allowed } });
const { person } = useBrowser(app, { others: [allowed, stranger], mayBlock: true });

beforeAll(async () => {
  if (withoutBrowser) return;
  const project = await mkdtemp(join(tmpdir(), 'lingualoop-browser-'));
  await writeFile(join(project, 'package.json'), '{"name": "site", "private": true}');
  await installPackedSdk(project);
  code = await readFile(join(project, 'node_modules/@lingualoop/sdk/dist/index.js'), 'utf8');
  await rm(project, { recursive: true, force: true });
});
afterAll(() => {
  for (const { server } of sites) server.close();
});

/** The module of the SDK, as the page sees it. */
declare const sdk: typeof published;

describe.skipIf(withoutBrowser)('the packed SDK in a page of another origin', () => {
  test('translates, reads lists and files, and names errors', async () => {
    const { apiKey } = await app.signUp();
    const page = await visit(allowed);
    const seen = await page.evaluate(
      async ({ baseUrl, apiKey }) => {
        const client = new sdk.LinguaLoop({ baseUrl, apiKey });
        const create = () =>
          client.translations
            .create({ source_text: 'Hello', target_lang: 'fr' }, { idempotencyKey: 'one' })
            .withResponse();
        const [first, again] = [await create(), await create()];
        await client.terminology.upload(
          { name: 'g.csv', data: new TextEncoder().encode('soup,potage\n') },
          { name: 'Menu', source_lang: 'en', target_lang: 'fr' },
        );
        const jobs = await client.translations.list({ limit: 1 }).toArray({ limit: 5 });
        const golden = await client.translations.golden(first.data.id);
        const wrong = new sdk.LinguaLoop({ baseUrl, apiKey: 'wrong', maxRetries: 0 });
        const refusal = await wrong.translations.listPage().catch((error: unknown) => error);
        return {
          text: first.data.final_translation,
          replayed: [first.response.replayed, again.response.replayed],
          requestId: again.response.requestId,
          jobs: jobs.length,
          glossaries: await client.terminology.sets({ limit: 1 }).toArray({ limit: 5 }),
          golden: [golden.fileName, new TextDecoder().decode(golden.bytes)],
          refused: refusal instanceof sdk.AuthenticationError && refusal.message,
          languages: sdk.languages.length,
        };
      },
      { baseUrl: app.address, apiKey },
    );
    expect(seen).toMatchObject({
      text: '[fr] Hello',
      replayed: [false, true],
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
      jobs: 1,
      glossaries: [{ name: 'Menu' }],
      golden: [expect.stringMatching(/\.txt$/), '[fr] Hello'],
      refused: expect.stringContaining('missing or invalid tenant credentials'),
      languages: 35,
    });
  });

  test('tells how far an upload is while it goes, on a slow line', async () => {
    const { apiKey } = await app.signUp();
    const page = await visit(allowed);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 5,
      downloadThroughput: -1,
      uploadThroughput: 1_000_000,
    });
    const seen = await page.evaluate(
      async ({ baseUrl, apiKey }) => {
        const client = new sdk.LinguaLoop({ baseUrl, apiKey });
        const filler = 'x'.repeat(1000);
        const units = Array.from(
          { length: 600 },
          (_, at) =>
            `<tu><tuv xml:lang="en"><seg>${at} ${filler}</seg></tuv><tuv xml:lang="fr"><seg>${at}</seg></tuv></tu>`,
        );
        const tmx = `<tmx version="1.4"><header srclang="en"/><body>${units.join('')}</body></tmx>`;
        const progress: { loaded: number; total: number }[] = [];
        const importing = await client.memory.importTmx(
          new File([tmx], 'm.tmx'),
          { name: 'M', source_lang: 'en', target_lang: 'fr' },
          { onUploadProgress: ({ loaded, total }) => void progress.push({ loaded, total }) },
        );
        return { progress, size: tmx.length, imported: (await importing.pollUntilDone()).entry_count };
      },
      { baseUrl: app.address, apiKey },
    );
    expect(seen.imported).toBe(600);
    const { total } = seen.progress.at(-1)!;
    expect(total).toBeGreaterThan(seen.size);
    expect(seen.progress.at(-1)).toEqual({ loaded: total, total });
    const loaded = seen.progress.map((event) => event.loaded);
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    // Sending 600 kB takes more than half a second, so some progress events must lie between the start and the end.
    const between = new Set(loaded.filter((bytes) => bytes > total / 10 && bytes < (9 * total) / 10));
    expect(between.size).toBeGreaterThanOrEqual(2);
  });

  test('takes no result from where it was redirected to', async () => {
    const page = await visit(allowed);
    const messages = await page.evaluate(async (baseUrl) => {
      const { translations } = new sdk.LinguaLoop({ baseUrl, apiKey: 'k', maxRetries: 0 });
      const send = (options: object) =>
        translations.createFromFile(new File(['Hello'], 'a.txt'), { target_lang: 'fr' }, options).then(
          () => 'no error',
          (error: Error) => error.message,
        );
      return [await send({}), await send({ onUploadProgress() {} })];
    }, allowed);
    const refusal = 'redirected to another URL; check baseUrl';
    expect(messages).toEqual([refusal, refusal]);
  });
});

/** Opens the site, and waits until its page has loaded the SDK. */
async function visit(origin: string) {
  const { page } = await person(origin);
  await page.waitForFunction('globalThis.sdk !== undefined');
  return page;
}

async function site() {
  const server = createServer(({ url }, response) => {
    if (url?.startsWith('/api/')) {
      response.writeHead(307, { location: '/elsewhere' }).end();
      return;
    }
    if (url === '/elsewhere') {
      response.setHeader('content-type', 'application/json').end('[{"id":"1"}]');
      return;
    }
    const isModule = url === '/sdk.js';
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html; charset=utf-8');
    const load = "import * as sdk from '/sdk.js'; globalThis.sdk = sdk;";
    const head = `<link rel="icon" href="data:,"><title>A site</title><script type="module">${load}</script>`;
    response.end(isModule ? code : `<!doctype html>${head}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
