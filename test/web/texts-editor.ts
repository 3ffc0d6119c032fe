import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { found } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { useBrowser } from './browser.ts';
import { field, memberAt, waitingJobs } from './reviewing.ts';

/** Opens the editor with texts that await review. The stub engine translates `Hello` as `[fr] Hello`. */
export async function openTexts(
  app: TestApp,
  browser: ReturnType<typeof useBrowser>,
  texts: string[],
  targetLang = 'fr',
) {
  const founder = await found(app);
  const jobs = await waitingJobs(app, founder.key, texts, targetLang);
  const person = await memberAt(browser, founder, '/app/edit/texts');
  await field(person.page).waitFor();
  const stored = async (n: number) =>
    (await app.json('GET', `/api/translations/${jobs[n]?.id}`, { headers: founder.key })).body;
  const statuses = async () => Promise.all(jobs.map(async (_, n) => (await stored(n)).status));
  /** Acts as another reviewer. */
  const other = async (n: number, body: object) => {
    const path = `/api/translations/${jobs[n]?.id}/review`;
    expect((await app.json('POST', path, { headers: founder.key, body })).status).toBe(200);
  };
  return { founder, jobs, stored, statuses, other, ...person };
}

/** Replaces the text in the field that has the focus. */
export async function typed(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** The row of a text. */
export const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

/** The status of a text that awaits review. */
export const waits = 'awaiting_review';
