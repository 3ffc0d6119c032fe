import { describe, expect, test } from 'vitest';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Milliseconds by which each response is delayed. */
const answerAfter = 2000;

const percentile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

describe.skipIf(withoutBrowser)('with a service that takes two seconds', () => {
  test('the next item is painted within 100 ms of an approval, and all approvals arrive', async () => {
    const founder = await found(app);
    // The texts of the jobs. The list contains short texts completely; each fourth text is longer.
    const texts = Array.from(
      { length: 30 },
      (_, n) => `Sentence ${n + 1}. ${'It goes on. '.repeat(n % 4 === 3 ? 40 : 1)}`,
    );
    const jobs = await waitingJobs(app, founder.key, texts);
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    await opened(page, 'Sentence 1.');
    await page.route(/\/(api|trpc)\//, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, answerAfter));
      await route.continue().catch(() => undefined);
    });
    // Measures the time from a key press to the frame that shows another text and, after each, that of a fixed work.
    await page.evaluate(() => {
      const [times, works]: [number[], number[]] = [[], []];
      Object.assign(globalThis, { measured: { times, works } });
      const work = () => {
        const start = performance.now();
        let sum = 0;
        for (let n = 0; n < 25_000_000; n++) sum += n % 7;
        Object.assign(globalThis, { sum });
        works.push(performance.now() - start);
      };
      const shown = () => document.querySelector<HTMLTextAreaElement>('textarea[data-edited]');
      document.addEventListener(
        'keydown',
        ({ timeStamp, key, ctrlKey }) => {
          if (key !== 'Enter' || !ctrlKey) return;
          const before = shown();
          const look = () => {
            if (shown() && shown() !== before) {
              const painted = new MessageChannel();
              painted.port1.onmessage = () => {
                times.push(performance.now() - timeStamp);
                work();
              };
              painted.port2.postMessage(null);
            } else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        { capture: true },
      );
    });
    await field(page).focus();
    for (let n = 1; n < texts.length; n++) {
      await opened(page, `Sentence ${n}.`);
      await page.keyboard.press('Control+Enter');
      await opened(page, `Sentence ${n + 1}.`);
      // The speed of a reviewer who only skims the texts.
      await page.waitForTimeout(400);
    }
    const { times, works } = await page.evaluate(
      () => (globalThis as unknown as { measured: Record<'times' | 'works', number[]> }).measured,
    );
    const p95 = percentile(times, 0.95);
    const median = percentile(times, 0.5);
    // Other processes delay the fixed work about as much as an approval. On an idle machine, this is close to 0.
    const delay = percentile(works, 0.95) - Math.min(...works);
    console.log(
      `approve to next item painted: median ${median.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms of ${times.length}, delay by the machine ${delay.toFixed(0)} ms`,
    );
    expect(times).toHaveLength(texts.length - 1);
    expect(median).toBeLessThanOrEqual(100);
    expect(p95).toBeLessThanOrEqual(100 + delay);
    const isDone = async (id: string) =>
      (await app.json('GET', `/api/translations/${id}`, { headers: founder.key })).body.status ===
      'published';
    await expect
      .poll(async () => (await Promise.all(jobs.slice(0, -1).map(({ id }) => isDone(id)))).every(Boolean), {
        timeout: 15_000,
      })
      .toBe(true);
  });
});
