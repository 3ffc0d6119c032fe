import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Bench, Run } from './bench.ts';
import { wordReport } from './documents/word-file.ts';
import { requirePremise, rounds } from './load.ts';
import { type BenchTenant, submitFile, submitText, withService } from './service.ts';
import { maxFonts, type Screen, screens, watchFiles } from './web/first-load.ts';
import { measureLargeDocument } from './web/large-document.ts';
import { noteWhenReady, signInTo, usableAfter } from './web/ready.ts';

/**
 * A slow connection: 9 Mbit/s down, 1.5 Mbit/s up, and a round trip of 165 ms. The processor is also slowed down by a
 * factor of four.
 */
const line = { offline: false, downloadThroughput: 9e6 / 8, uploadThroughput: 1.5e6 / 8, latency: 165 };

export const web: Bench = {
  title: 'The web application: files of a first load, and the time until a screen can be used',
  parts: {
    loads: (run) => withBrowser(run, measureLoads),
    large: (run) => withBrowser(run, measureLargeDocument),
  },
};

type WithBrowser = (run: Run, browser: Browser, tenant: BenchTenant) => Promise<void>;

async function withBrowser(run: Run, work: WithBrowser): Promise<void> {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find(existsSync);
  if (!executablePath) return run.note('skipped: chromium is not installed');
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath, args });
  try {
    await withService(async ({ tenant }) => work(run, browser, await tenant()));
  } finally {
    await browser.close();
  }
}

/** Measures the size of a first load, and how soon the screens can be used over a slow connection. */
async function measureLoads(run: Run, browser: Browser, tenant: BenchTenant): Promise<void> {
  const id = await submitFile(tenant, 'Report.docx', wordReport(20));
  // Texts that await review.
  for (let n = 0; n < 30; n++)
    await submitText(tenant, {
      source_text: `Sentence ${n % 10} of the list.`,
      metadata: { sensitive: true },
    });
  const context = await browser.newContext({ baseURL: tenant.address });
  const page = await context.newPage();
  const load = watchFiles(page);
  await page.goto('/about', { waitUntil: 'networkidle' });
  requirePremise(!load().names.some((name) => name.endsWith('.js')), 'the public page loads no script');
  await context.close();
  await measure(run, browser, screens.signIn, '/signin', tenant);
  await measure(run, browser, screens.inbox, '/app', tenant);
  await measure(run, browser, screens.editor, `/app/edit/documents/${id}`, tenant);
}

async function measure(
  run: Run,
  browser: Browser,
  screen: Screen,
  path: string,
  tenant: BenchTenant,
): Promise<void> {
  const { name, most, cold, warm } = screen;
  const times = { cold: [] as number[], warm: [] as number[] };
  let size = { files: 0, fonts: 0 };
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ baseURL: tenant.address });
    if (screen !== screens.signIn) await signInTo(context, tenant);
    const { page, load } = await slowPage(context, screen);
    const visit = async () => {
      await page.goto(path, { waitUntil: 'commit' });
      return usableAfter(page);
    };
    times.cold.push(await visit());
    size = load();
    // Fonts and the preview load later. They are in the cache of a member who was here before.
    await page.waitForLoadState('networkidle');
    size.fonts = load().fonts;
    if (warm !== undefined) times.warm.push(await visit());
    await context.close();
  }
  run.figure(`${name}: first load, gzip`, size.files, 'kB', { most });
  run.figure(`${name}: fonts`, size.fonts, 'kB', { most: maxFonts });
  run.figure(`${name}: usable, first visit`, times.cold, 's', { most: cold });
  if (warm !== undefined) run.figure(`${name}: usable, files cached`, times.warm, 's', { most: warm });
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
