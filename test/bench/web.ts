import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { noteWhenReady, report, signInTo } from './bench-browser.ts';
import { type BenchTenant, createBenchTenant } from './bench-service.ts';
import { translate } from './documents/whole-jobs.ts';
import { wordReport } from './documents/word-file.ts';
import { maxFonts, type Screen, screens, watchFiles } from './first-load.ts';
import { measureLargeDocument } from './large-document.ts';
import { median } from './load.ts';
import { withService } from './with-service.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
/**
 * A slow connection: 9 Mbit/s down, 1.5 Mbit/s up, and a round trip of 165 ms. The processor is also slowed down by a
 * factor of four.
 */
const line = { offline: false, downloadThroughput: 9e6 / 8, uploadThroughput: 1.5e6 / 8, latency: 165 };

/**
 * Measures the size of a first load, and how soon the screens of the web application can be used over a slow
 * connection. The benchmark fails if a limit is exceeded.
 */
export async function benchWeb(print: (line: string) => void): Promise<void> {
  const executablePath = '/usr/bin/chromium';
  if (!existsSync(executablePath)) return print('skipped: chromium is not installed');
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  try {
    await withService(async ({ service: { address } }) => {
      const tenant = await createBenchTenant(address);
      const id = await translate(address, tenant, 'Report.docx', wordReport(20));
      await addJobs(address, tenant);
      await reportPublicPage(browser, address, print);
      await measure(browser, address, screens.signIn, '/signin', print);
      await measure(browser, address, screens.inbox, '/app', print, tenant);
      await measure(browser, address, screens.editor, `/app/edit/documents/${id}`, print, tenant);
      await measureLargeDocument(browser, address, print);
    });
  } finally {
    await browser.close();
  }
}

/** Adds texts that await review. */
async function addJobs(address: string, { apiKey }: BenchTenant): Promise<void> {
  for (let n = 0; n < 30; n++) {
    const { status } = await fetch(`${address}/api/translations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({
        source_text: `Sentence ${n % 10} of the list.`,
        target_lang: 'fr',
        metadata: { sensitive: true },
      }),
    });
    if (status !== 200) throw new Error(`a job answered ${status}`);
  }
}

async function reportPublicPage(browser: Browser, baseURL: string, print: (line: string) => void) {
  const context = await browser.newContext({ baseURL });
  const page = await context.newPage();
  const load = watchFiles(page);
  await page.goto('/about', { waitUntil: 'networkidle' });
  const scripts = load().names.filter((name) => name.endsWith('.js'));
  report(print, 'public page: scripts', scripts.length, 0, 'files');
  await context.close();
}

async function measure(
  browser: Browser,
  address: string,
  screen: Screen,
  path: string,
  print: (line: string) => void,
  tenant?: BenchTenant,
): Promise<void> {
  const { name, most, cold, warm } = screen;
  const times = { cold: [] as number[], warm: [] as number[] };
  let size = { files: 0, fonts: 0 };
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ baseURL: address });
    if (tenant) await signInTo(context, { address }, tenant);
    const { page, load } = await slowPage(context, screen);
    const visit = async () => {
      await page.goto(path, { waitUntil: 'commit' });
      const noted = await page.waitForFunction(() => (globalThis as { usableAfter?: number }).usableAfter);
      return (await noted.jsonValue()) as number;
    };
    times.cold.push(await visit());
    size = load();
    // Fonts and the preview load later. They are in the cache of a member who was here before.
    await page.waitForLoadState('networkidle');
    size.fonts = load().fonts;
    if (warm !== undefined) times.warm.push(await visit());
    await context.close();
  }
  report(print, `${name}: first load, gzip`, size.files, most, 'kB');
  report(print, `${name}: fonts`, size.fonts, maxFonts, 'kB');
  report(print, `${name}: usable, first visit`, median(times.cold) / 1000, cold, 's');
  if (warm !== undefined)
    report(print, `${name}: usable, files cached`, median(times.warm) / 1000, warm, 's');
}

/** Opens a tab over a slow connection with a slow processor. It notes when the screen can be used. */
async function slowPage(
  context: BrowserContext,
  { ready }: Screen,
): Promise<{ page: Page; load: ReturnType<typeof watchFiles> }> {
  const page = await context.newPage();
  const load = watchFiles(page);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', line);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript({ content: noteWhenReady(ready) });
  return { page, load };
}
