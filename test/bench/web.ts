import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { noteWhenReady, type Ready, report, signInTo } from './bench-browser.ts';
import { type BenchService, type BenchTenant, startBenchService } from './bench-service.ts';
import { measureLargeDocument } from './large-document.ts';
import { median } from './load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
const dist = join(import.meta.dirname, '../../web/dist');
/**
 * A slow connection: 9 Mbit/s down, 1.5 Mbit/s up, and a round trip of 165 ms. The processor is also slowed down by a
 * factor of four.
 */
const line = { offline: false, downloadThroughput: 9e6 / 8, uploadThroughput: 1.5e6 / 8, latency: 165 };

/** A screen, and the limits for it. */
interface Screen {
  name: string;
  path: string;
  ready: Ready;
  /** Maximum size of a first load in kilobytes, compressed with gzip. */
  most: number;
  /**
   * Maximum seconds until the screen can be used: `cold` at the first visit, `warm` with the files in the browser's
   * cache.
   */
  cold: number;
  warm?: number;
}

const signIn: Screen = {
  name: 'sign-in',
  path: '/signin',
  ready: { selector: 'input[type=password]' },
  most: 140,
  cold: 1.8,
};

const screens: readonly Screen[] = [
  {
    name: 'list with data',
    path: '/app/texts',
    ready: { selector: 'li', text: 'Sentence 7 of the list' },
    most: 190,
    cold: 2.5,
    warm: 1.2,
  },
  {
    name: 'review',
    path: '/app/edit/texts',
    ready: { selector: 'textarea' },
    most: 200,
    cold: 2.5,
    warm: 1.2,
  },
];

/**
 * Measures the size of a first load, and how soon the screens of the web application can be used over a slow
 * connection. The benchmark fails if a limit is exceeded.
 */
export async function benchWeb(print: (line: string) => void): Promise<void> {
  const executablePath = '/usr/bin/chromium';
  if (!existsSync(executablePath)) return print('skipped: chromium is not installed');
  const service = await startBenchService();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    const tenant = await service.foundTenant();
    await addJobs(service, tenant);
    const scriptBytes = await bytesOf(browser, service, '/about');
    report(print, 'public page: scripts', scriptBytes / 1000, 0, 'kB');
    await measure(browser, service, signIn, print);
    for (const screen of screens) await measure(browser, service, screen, print, tenant);
    await measureLargeDocument(browser, print);
  } finally {
    await browser.close();
    await service.stop();
  }
}

async function addJobs({ address }: BenchService, { apiKey }: BenchTenant): Promise<void> {
  for (let n = 0; n < 60; n++) {
    const { status } = await fetch(`${address}/api/translations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        source_text: `Sentence ${n % 10} of the list.`,
        target_lang: 'fr',
        ...(n % 2 && { metadata: { sensitive: true } }),
      }),
    });
    if (status !== 200) throw new Error(`a job answered ${status}`);
  }
}

/** The bytes of the scripts that a page loads. */
async function bytesOf(browser: Browser, { address }: BenchService, path: string): Promise<number> {
  const context = await browser.newContext({ baseURL: address });
  const page = await context.newPage();
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  await context.close();
  return scripts.reduce((sum, url) => sum + compressedSize(url), 0);
}

async function measure(
  browser: Browser,
  service: BenchService,
  { name, path, ready, most, cold, warm }: Screen,
  print: (line: string) => void,
  tenant?: BenchTenant,
): Promise<void> {
  const times = { cold: [] as number[], warm: [] as number[] };
  let kilobytes = 0;
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ baseURL: service.address });
    if (tenant) await signInTo(context, service, tenant);
    const page = await context.newPage();
    const loaded = new Set<string>();
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/static/')) loaded.add(request.url());
    });
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', line);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.addInitScript({ content: noteWhenReady(ready) });
    const visit = async () => {
      await page.goto(path, { waitUntil: 'commit' });
      const noted = await page.waitForFunction(() => (globalThis as { usableAfter?: number }).usableAfter);
      return (await noted.jsonValue()) as number;
    };
    times.cold.push(await visit());
    kilobytes = [...loaded].reduce((sum, url) => sum + compressedSize(url), 0) / 1000;
    if (warm !== undefined) times.warm.push(await visit());
    await context.close();
  }
  report(print, `${name}: first load, gzip`, kilobytes, most, 'kB');
  report(print, `${name}: usable, first visit`, median(times.cold) / 1000, cold, 's');
  if (warm !== undefined)
    report(print, `${name}: usable, files cached`, median(times.warm) / 1000, warm, 's');
}

function compressedSize(url: string): number {
  const file = join(dist, new URL(url).pathname);
  return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size;
}
