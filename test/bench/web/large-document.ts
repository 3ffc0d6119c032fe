import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Run } from '../bench.ts';
import { textWorkbook } from '../documents/workbook-file.ts';
import { latencyOf, rounds } from '../load.ts';
import { type BenchTenant, submitFile } from '../service.ts';
import { screens } from './first-load.ts';
import { noteWhenReady, signInTo, usableAfter } from './ready.ts';

const segments = Number(process.env['BENCH_SEGMENTS'] ?? 50_000);
/** The number of keys of each kind that are pressed in each round. */
const keys = 100;
/** Milliseconds between two keys. This is the speed of a fast typist. */
const pause = 80;

/**
 * Measures a document of 50,000 segments in the editor: the time until its first segment is open, the time from a key to
 * the change on the screen, the time of a search, and the heap.
 */
export async function measureLargeDocument(run: Run, browser: Browser, tenant: BenchTenant): Promise<void> {
  const id = await submitFile(tenant, `${segments}.xlsx`, textWorkbook(segments));
  const opened: number[] = [];
  const moved: number[] = [];
  const typed: number[] = [];
  const found: number[] = [];
  const heaps: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const context = await browser.newContext({ baseURL: tenant.address });
    await signInTo(context, tenant);
    const page = await context.newPage();
    await page.addInitScript({ content: noteWhenReady(screens.editor.ready) });
    // The second visit is measured, because the browser of a reviewer usually has the files in its cache.
    for (let visit = 0; visit < 2; visit++) {
      await page.goto(`/app/edit/documents/${id}`, { waitUntil: 'commit' });
      const usable = await usableAfter(page);
      if (visit > 0) opened.push(usable);
      await page.waitForLoadState('networkidle');
    }
    await page.evaluate(noteKeys);
    moved.push(...(await press(page, () => 'Alt+ArrowDown')));
    typed.push(...(await press(page, (n) => 'abcdefghij'[n % 10] as string)));
    heaps.push((await heapOf(await context.newCDPSession(page))) / 1e6);
    found.push(await find(page, ` ${segments - 1 - round}`));
    await context.close();
  }
  const title = `${segments} segments`;
  run.figure(`${title}: open`, opened, 's', { most: 1 });
  for (const [what, times, most] of [
    ['key to the next segment', moved, 50],
    ['a letter', typed, 20],
  ] as const) {
    run.figure(`${title}: ${what}, median`, latencyOf(times).p50, 'ms', { most });
    run.figure(`${title}: ${what}, p95`, latencyOf(times).p95, 'ms', { most });
  }
  run.figure(`${title}: find in all`, found, 'ms', { most: 500 });
  run.figure(`${title}: heap`, heaps, 'MB', { most: 80 });
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
