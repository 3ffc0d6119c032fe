import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { responseOf } from './answers.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import {
  approveUnopened,
  field,
  memberAt,
  opened,
  openReview,
  patient,
  said,
  waitingJobs,
} from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens the first of the jobs that await review. */
async function atJobs(...texts: string[]) {
  const founder = await found(app);
  const jobs = await waitingJobs(app, founder.key, texts);
  const { page, context } = await memberAt(browser, founder, '/app');
  await openReview(page);
  await opened(page, texts[0] ?? '');
  const stored = async (n: number) =>
    (await app.json('GET', `/api/translations/${jobs[n]?.id}`, { headers: founder.key })).body;
  /** Sends an action of another reviewer. */
  const other = async (n: number, body: object) => {
    const path = `/api/translations/${jobs[n]?.id}/review`;
    expect((await app.json('POST', path, { headers: founder.key, body })).status).toBe(200);
  };
  return { founder, page, context, stored, other };
}

/** Rejects the next call of a procedure. */
const refuseNext = (page: Page, procedure: 'act' | 'reviewMany') =>
  page.route(
    `**/trpc/translations.${procedure}*`,
    (route) => route.fulfill(responseOf({ code: 'validation_error', detail: 'Refused for once.' }, '/trpc/')),
    { times: 1 },
  );

/** Holds the next call of a procedure until the returned function is called. */
async function holdNext(page: Page, procedure: 'act' | 'reviewMany') {
  const held = Promise.withResolvers<Route>();
  await page.route(`**/trpc/translations.${procedure}*`, (route) => held.resolve(route), { times: 1 });
  return held.promise;
}

const row = (page: Page, text: string, as = '') =>
  page.getByRole('button', { name: new RegExp(`^${text}.*${as}`) });
const select = (page: Page, text: string) => page.getByRole('checkbox', { name: `Select: ${text}` }).check();
const bulk = (page: Page, action: string) => page.getByRole('group').getByRole('button', { name: action });

/** A text that is longer than the excerpts in the list. */
const long = (text: string) => `${text} ${'and so on '.repeat(40)}to the end.`;

describe.skipIf(withoutBrowser)('the text sent from the review screen', () => {
  test('is the whole text of a job that a bulk approval did not save', async () => {
    const between = Array.from({ length: 8 }, (_, n) => `Between ${n}`);
    const { page, stored, other } = await atJobs('First', long('Second'), ...between, long('Last'));
    await select(page, 'Second');
    await refuseNext(page, 'reviewMany');
    await bulk(page, 'Approve').click();
    await row(page, 'Second', 'Not saved').click();
    const whole = `[fr] ${long('Second')}`;
    await expect.poll(() => field(page).inputValue(), patient).toBe(whole);
    await field(page).press('Control+Enter');
    await expect.poll(async () => (await stored(1)).status, patient).toBe('published');
    expect((await stored(1)).final_translation).toBe(whole);

    // A job that was never loaded is known only by its excerpt, which cannot be compared with another reviewer's text.
    await openReview(page);
    await opened(page, 'First');
    const theirs = `${long('Le dernier')} Fin.`;
    await other(10, { action: 'save', final_translation: theirs });
    await select(page, 'Last');
    await bulk(page, 'Approve').click();
    await row(page, 'Last', 'Changed by someone else').click();
    const conflict = page.locator('section[aria-labelledby=conflict]');
    await conflict.getByText(theirs).waitFor();
    expect(await conflict.getByText('Version you opened').count()).toBe(0);
    await conflict.getByRole('button', { name: 'Use their text' }).click();
    await expect.poll(() => field(page).inputValue(), patient).toBe(theirs);
  });

  test('is the match in the field, also in a bulk approval; an empty field does not block others', async () => {
    const { page, stored, other } = await atJobs('Before', 'The door is open.', 'The door is open now.');
    await other(1, { action: 'approve', final_translation: 'La porte est ouverte.' });
    await row(page, 'The door is open now').click();
    await opened(page, 'The door is open now.');
    await page.getByRole('button', { name: 'Insert' }).click();
    expect(await field(page).inputValue()).toBe('La porte est ouverte.');
    await select(page, 'The door is open now.');
    await bulk(page, 'Approve').click();
    await said(page, '1 done.');
    expect((await stored(2)).final_translation).toBe('La porte est ouverte.');
  });

  test('skips an empty field in a bulk approval', async () => {
    const { page, stored } = await atJobs('First', 'Second');
    await field(page).fill('');
    await select(page, 'First');
    await select(page, 'Second');
    await bulk(page, 'Approve').click();
    await approveUnopened(page);
    await expect.poll(async () => (await stored(1)).status, patient).toBe('published');
    expect((await stored(0)).status).toBe('awaiting_review');
  });

  test('is the text of the field, although a draft of another one is still being saved', async () => {
    const { page, stored } = await atJobs('First', 'Second', 'Third', 'Fourth');
    const first = holdNext(page, 'act');
    await field(page).fill('Brouillon');
    await page.keyboard.press('Control+s');
    const saving = await first;
    await field(page).fill('[fr] First');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await saving.continue();
    await expect.poll(async () => (await stored(0)).status, patient).toBe('published');
    expect((await stored(0)).final_translation).toBe('[fr] First');

    // The same applies to an approval of several jobs. The reviewer's own draft does not count as a change by someone
    // else.
    const second = holdNext(page, 'act');
    await field(page).fill('Brouillon');
    await page.keyboard.press('Control+s');
    await field(page).fill('[fr] Second');
    await select(page, 'Second');
    await bulk(page, 'Approve').click();
    await (await second).continue();
    await said(page, '1 done.');
    expect((await stored(1)).final_translation).toBe('[fr] Second');
    await row(page, 'Third').click();
    await opened(page, 'Third');
    await field(page).fill('Troisième');
    await page.keyboard.press('Control+s');
    await said(page, 'Draft saved.');
    await row(page, 'Fourth').click();
    await opened(page, 'Fourth');
    await select(page, 'Third');
    await bulk(page, 'Approve').click();
    await said(page, '1 done.');
    expect((await stored(2)).status).toBe('human_edited');
  });

  test('never overwrites a draft that someone else has saved since', async () => {
    const { page, stored, other } = await atJobs('First', 'Second', 'Third', 'Fourth');
    const conflict = page.locator('section[aria-labelledby=conflict]');
    for (const name of ['First', 'Second']) {
      await opened(page, name);
      await refuseNext(page, 'act');
      await field(page).fill(`Mon texte: ${name}`);
      await page.keyboard.press('Control+Enter');
      await row(page, name, 'Not saved').waitFor();
    }
    await other(0, { action: 'save', final_translation: 'Leur texte' });
    // After a reload, the list already has the other reviewer's version before the item is opened.
    const read = page.waitForResponse('**/trpc/translations.search*');
    await page.getByText('Filters').click();
    await page.getByLabel('Target language').selectOption('fr');
    await (await read).finished();

    await row(page, 'First').click();
    await conflict.getByText('Version you opened').waitFor();
    await field(page).press('Control+Enter');
    await said(page, "This translation can't be reviewed right now.");
    expect((await stored(0)).final_translation).toBe('Leur texte');
    await conflict.getByRole('button', { name: 'Keep my text' }).click();
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Mon texte: First');

    await other(1, { action: 'approve' });
    await row(page, 'Second').click();
    await opened(page, 'Second');
    await field(page).press('Control+Enter');
    await row(page, 'Second', 'Changed by someone else').click();
    await page.getByRole('button', { name: 'Discard my text' }).click();
    await row(page, 'Second', 'Changed').waitFor({ state: 'detached' });

    // If a draft is rejected because of the other reviewer's draft, its approval counts as changed, and not as
    // rejected.
    await row(page, 'Third').click();
    await opened(page, 'Third');
    await other(2, { action: 'save', final_translation: 'Leur troisième' });
    const held = holdNext(page, 'act');
    await field(page).fill('Mon troisième');
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Control+Enter');
    await (await held).continue();
    await said(page, 'A review was not saved because someone else changed the translation.');
    await row(page, 'Third', 'Changed by someone else').click();
    await conflict.getByRole('button', { name: 'Keep my text' }).waitFor();
    expect(await field(page).inputValue()).toBe('Mon troisième');
    await field(page).press('Control+s');
    await said(page, /^Not saved/);
    expect((await stored(2)).final_translation).toBe('Leur troisième');
  });

  test('saved as a draft after a failed review, can be edited again', async () => {
    const { page, stored } = await atJobs('First', 'Second');
    await refuseNext(page, 'act');
    await field(page).fill('Premier');
    await page.keyboard.press('Control+Enter');
    await row(page, 'First', 'Not saved').click();
    await field(page).press('Control+s');
    await said(page, 'Draft saved.');
    await row(page, 'First', 'Not saved').waitFor({ state: 'detached' });
    await field(page).press('Control+Enter');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('human_edited');
  });

  test('returns after a failed rejection with the text of the field and the reason', async () => {
    const { page, stored, other } = await atJobs('First', 'Second', 'Third');
    await refuseNext(page, 'act');
    await field(page).fill('Presque');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.keyboard.type('Too literal');
    await page.keyboard.press('Control+Enter');
    await row(page, 'First', 'Not saved').click();
    expect(await field(page).inputValue()).toBe('Presque');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe('Too literal');
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('rejected');
    expect((await stored(0)).agent_run.human_review_task.metadata.notes).toBe('Too literal');

    // The reason of a rejection is kept even if the item changes while the reason is typed.
    await opened(page, 'Second');
    await other(1, { action: 'save', final_translation: 'Leur texte' });
    const held = holdNext(page, 'act');
    await field(page).fill('Mon texte');
    await page.keyboard.press('Control+s');
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.keyboard.type('Too free');
    await (await held).continue();
    const conflict = page.locator('section[aria-labelledby=conflict]');
    await conflict.waitFor();
    await page.keyboard.press('Control+Enter');
    await said(page, "This translation can't be reviewed right now.");
    await conflict.getByRole('button', { name: 'Use their text' }).click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe('Too free');
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(1)).status, patient).toBe('rejected');

    // If a rejection is impossible, the screen does not ask for a reason.
    await opened(page, 'Third');
    await field(page).fill('Troisième');
    await page.waitForTimeout(300);
    await page.reload();
    await page.getByRole('region', { name: 'Unsent changes' }).waitFor();
    await page.getByRole('button', { name: 'Reject' }).click();
    await said(page, 'You have unsent changes to this text. Restore or discard them first.');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('are all that were selected, even if the browser cannot read its storage', async () => {
    const { page, stored } = await atJobs('First', 'Second');
    await page.evaluate(() => {
      IDBObjectStore.prototype.getAll = () => {
        throw new DOMException('broken', 'UnknownError');
      };
    });
    await select(page, 'First');
    await select(page, 'Second');
    await bulk(page, 'Approve').click();
    await approveUnopened(page);
    await expect.poll(async () => (await stored(1)).status, patient).toBe('published');
    expect((await stored(0)).status).toBe('published');
  });
});
