import type { Browser, CDPSession, Page } from 'playwright-core';
import { noteWhenReady, report, signInTo } from './bench-browser.ts';
import { createBenchTenant } from './bench-service.ts';
import { translate } from './documents/whole-jobs.ts';
import { textWorkbook } from './documents/workbook-file.ts';
import { screens } from './first-load.ts';
import { median } from './load.ts';

const segments = 50_000;
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);
/** The number of keys of each kind that are pressed in each round. */
const keys = 100;
/** Milliseconds between two keys. This is the speed of a fast typist. */
const pause = 80;

/**
 * Measures a document of 50,000 segments in the editor: the time until its first segment is open, the time from a key to
 * the change on the screen, the time of a search, and the heap.
 */
export async function measureLargeDocument(
  browser: Browser,
  address: string,
  print: (line: string) => void,
): Promise<void> {
  const tenant = await createBenchTenant(address);
  const id = await translate(address, tenant, `${segments}.xlsx`, textWorkbook(segments));
  const opened: number[] = [];
  const moved: number[] = [];
  const typed: number[] = [];
  const found: number[] = [];
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ baseURL: address });
    await signInTo(context, { address }, tenant);
    const page = await context.newPage();
    await page.addInitScript({ content: noteWhenReady(screens.editor.ready) });
    // The second visit is measured, because the browser of a reviewer usually has the files in its cache.
    for (let visit = 0; visit < 2; visit++) {
      await page.goto(`/app/edit/documents/${id}`, { waitUntil: 'commit' });
      const noted = await page.waitForFunction(() => (globalThis as { usableAfter?: number }).usableAfter);
      if (visit > 0) opened.push((await noted.jsonValue()) as number);
      await page.waitForLoadState('networkidle');
    }
    await page.evaluate(noteKeys);
    moved.push(...(await press(page, () => 'Alt+ArrowDown')));
    typed.push(...(await press(page, (n) => 'abcdefghij'[n % 10] as string)));
    heaps.push(await heapOf(await context.newCDPSession(page)));
    found.push(await find(page, ` ${segments - 1 - round}`));
    await context.close();
  }
  const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0;
  report(print, '50,000 segments: open', median(opened) / 1000, 1, 's');
  report(print, '50,000 segments: next one, median', median(moved), 50, 'ms');
  report(print, '50,000 segments: next one, p95', p95(moved), 50, 'ms');
  report(print, '50,000 segments: a letter, median', median(typed), 20, 'ms');
  report(print, '50,000 segments: a letter, p95', p95(typed), 20, 'ms');
  report(print, '50,000 segments: find in all', median(found), 500, 'ms');
  report(print, '50,000 segments: heap', median(heaps) / 1e6, 80, 'MB');
}

/**
 * A script for the page. It stores in `foundAfter` the milliseconds from the next key until the grid has one row below
 * its head, and this row is loaded.
 */
const noteFound = `
  addEventListener('keydown', ({ timeStamp }) => {
    const look = () => {
      const grid = document.querySelector('[role=grid]');
      if (grid?.getAttribute('aria-rowcount') !== '2' || !grid.querySelector('[data-index] [lang]'))
        return void requestAnimationFrame(look);
      globalThis.foundAfter = performance.now() - timeStamp;
    };
    look();
  }, { capture: true, once: true });`;

/** Searches for the text of one segment. Returns the milliseconds from Enter until this segment is the only one. */
async function find(page: Page, text: string): Promise<number> {
  const search = page.getByRole('searchbox', { name: 'Find in source and translation' });
  await search.fill(text);
  await page.evaluate(noteFound);
  await search.press('Enter');
  const noted = await page.waitForFunction(() => (globalThis as { foundAfter?: number }).foundAfter);
  return (await noted.jsonValue()) as number;
}

/**
 * A script for the page. It stores in `times` the milliseconds from each key to the frame that shows another field, or
 * another text in the field.
 */
const noteKeys = `
  globalThis.times = [];
  const shown = () => [document.activeElement, document.activeElement.value];
  addEventListener('keydown', ({ timeStamp, key }) => {
    if (key === 'Alt') return;
    const before = shown();
    const look = () => {
      const now = shown();
      if (now[1] === undefined || now.every((one, n) => one === before[n])) return void requestAnimationFrame(look);
      const painted = new MessageChannel();
      painted.port1.onmessage = () => times.push(performance.now() - timeStamp);
      painted.port2.postMessage(null);
    };
    requestAnimationFrame(look);
  }, { capture: true });`;

async function press(page: Page, keyOf: (n: number) => string): Promise<number[]> {
  await page.evaluate(() => {
    (globalThis as unknown as { times: number[] }).times.length = 0;
  });
  for (let n = 0; n < keys; n++) {
    await page.keyboard.press(keyOf(n));
    await page.waitForTimeout(pause);
  }
  const times = await page.evaluate(() => (globalThis as unknown as { times: number[] }).times);
  if (times.length !== keys) throw new Error(`${times.length} of ${keys} keys had an effect`);
  return times;
}

async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  return (await cdp.send('Runtime.getHeapUsage')).usedSize;
}
