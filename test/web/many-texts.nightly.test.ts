import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { responseOf } from './answers.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, patient, said, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);
const waits = 'awaiting_review';

/** A member with a number of texts that await review: `Text 1`, `Text 2` and so on. */
async function memberWith(count: number) {
  const founder = await found(app);
  const [first] = await waitingJobs(app, founder.key, ['Text 1']);
  const sql = openSuperuser(app.superuserUrl);
  const [columns] = await sql`select string_agg(column_name, ',') as names from information_schema.columns
    where table_name = 'translation_jobs' and is_generated = 'NEVER'
      and column_name not in ('job_id', 'request', 'final_translation', 'updated_at')`;
  const names = columns?.['names'];
  await sql.unsafe(`insert into translation_jobs (job_id, request, final_translation, updated_at, ${names})
    select md5(job_id || n), request || jsonb_build_object('source_text', 'Text ' || n),
      '[fr] Text ' || n, updated_at + n * interval '1 millisecond', ${names}
    from translation_jobs, generate_series(2, ${count}) n where job_id = '${first?.id}'`);
  const jobs = await sql`select job_id as id from translation_jobs where tenant_id = ${founder.tenantId}
    order by updated_at`;
  const { page } = await memberAt(browser, founder, '/app');
  const statuses = async () => {
    const rows = await sql`select status from translation_jobs where tenant_id = ${founder.tenantId}
      order by length(request ->> 'source_text'), request ->> 'source_text'`;
    return rows.map(({ status }) => status as string);
  };
  /** A colleague opens texts, by their places from 0. */
  const hold = async (from: number, to: number) => {
    const colleague = await join(app, founder);
    const ids = jobs.slice(from, to).map(({ id }) => id as string);
    const [user] = await sql`select user_id from users where email = ${colleague.email}`;
    await sql`insert into review_claims (tenant_id, user_id, item_kind, item_id, holder, claimed_at, expires_at)
      select ${founder.tenantId}, ${user?.['user_id']}, 'job', id, ${colleague.email}, now(), now() + interval '1 hour'
      from unnest(${ids}::text[]) id`;
  };
  return { founder, page, statuses, hold, idOf: (n: number) => jobs[n]?.['id'] as string };
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

describe.skipIf(withoutBrowser)('a long list of texts', { timeout: 60_000 }, () => {
  test('shows what colleagues have decided about visible texts', async () => {
    const { page, founder, idOf } = await memberWith(350);
    await page.clock.install();
    await openReview(page);
    await page.getByRole('heading', { name: '350 texts' }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/trpc/reviews.texts')) asked.push(request.url());
    });
    const path = `/api/translations/${idOf(2)}/review`;
    const decision = { headers: founder.key, body: { action: 'approve' } };
    expect((await app.json('POST', path, decision)).status).toBe(200);
    await page.clock.runFor(21_000);
    await page.getByText('1 of 350').waitFor();
    expect(asked).toHaveLength(1);
    await page.getByRole('button', { name: /^Confirmed 1/ }).click();
    await row(page, 'Text 3').waitFor();
  });

  test('is loaded further when no loaded text is left to decide', async () => {
    const { page, hold } = await memberWith(2010);
    await hold(1, 2000);
    await openReview(page);
    await opened(page, 'Text 1');
    await page.getByRole('heading', { name: 'More than 2,000 texts' }).waitFor();
    await page.getByText('0 of 2,000+').waitFor();
    await page.keyboard.press('Control+Enter');
    await said(page, 'Segment 1 confirmed. Loading more texts.');
    await opened(page, 'Text 2001');
    await page.getByText('1 of 2,010').waitFor();
  });

  test('is not searched endlessly for a filter without matches', async () => {
    const { page } = await memberWith(1);
    let requests = 0;
    await page.route(
      (url) => url.href.includes('/trpc/reviews.texts') && url.href.includes('absent'),
      (route) => {
        requests += 1;
        const json = { texts: [], next_cursor: `page-${requests}` };
        return route.fulfill({ json: { result: { data: { json } } } });
      },
    );
    await page.goto('/app/edit/texts?text=absent');
    await page.getByText('No matches so far.').waitFor();
    expect(requests).toBe(10);
    await page.getByRole('button', { name: 'Keep searching' }).click();
    await expect.poll(() => requests, patient).toBe(20);
  });
});

describe.skipIf(withoutBrowser)('a decision about all texts', { timeout: 60_000 }, () => {
  for (const { lost, what } of [
    { lost: 1, what: 'is not told again, and can be undone, if only its first response was lost' },
    { lost: Number.POSITIVE_INFINITY, what: 'can be undone if no response arrived' },
  ])
    test(what, async () => {
      const { page, statuses, idOf, founder } = await memberWith(4);
      await openReview(page);
      let requests = 0;
      await page.route('**/trpc/translations.reviewMany*', async (route) => {
        requests += 1;
        if (requests > lost) return route.continue();
        await route.fetch();
        const { pathname } = new URL(route.request().url());
        await route.fulfill(responseOf({ code: 'transient_error', detail: 'lost' }, pathname));
      });
      await page.getByRole('button', { name: 'Approve all' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Approve 4 texts' }).click();
      if (lost === 1) await said(page, '4 texts approved.');
      else {
        await dialog.getByRole('alert').waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
      }
      expect(requests).toBeGreaterThan(1);
      expect(await statuses()).toEqual(Array(4).fill('published'));
      await page.getByText('4 of 4').waitFor();
      const { body: job } = await app.json('GET', `/api/translations/${idOf(0)}`, { headers: founder.key });
      const reviews = job.agent_run.steps.filter(({ name }: { name: string }) => name === 'human_review');
      expect(reviews).toHaveLength(1);
      await page.getByRole('button', { name: 'Undo' }).click();
      await said(page, 'Undone: 4 segments.');
      expect(await statuses()).toEqual(Array(4).fill(waits));
    });

  test('is undone for all texts that no one else has decided about since', async () => {
    const { page, founder, statuses, idOf } = await memberWith(4);
    await openReview(page);
    await page.getByRole('button', { name: 'Approve all' }).click();
    await page.getByRole('button', { name: 'Approve 4 texts' }).click();
    await said(page, '4 texts approved.');
    const id = idOf(0);
    const body = { json: { kind: 'job', id } };
    await app.json('POST', '/trpc/reviews.reopen', { headers: founder.bearer, body });
    const decision = { action: 'approve', final_translation: 'Un autre texte 1' };
    const path = `/api/translations/${id}/review`;
    expect((await app.json('POST', path, { headers: founder.key, body: decision })).status).toBe(200);
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, /changed/);
    expect(await statuses()).toEqual(['human_edited', waits, waits, waits]);
    await page.getByText('1 of 4').waitFor();
  });

  test('can be a rejection with one reason, except of what a colleague has open, and can be undone', async () => {
    const { page, founder, statuses, hold, idOf } = await memberWith(4);
    await hold(1, 2);
    await openReview(page);
    await page.getByRole('button', { name: 'Reject all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject 3 translations' });
    await dialog.getByText('1 text that a colleague has open is left').waitFor();
    await dialog.getByRole('button', { name: 'Reject' }).click();
    expect(await statuses()).toEqual([waits, waits, waits, waits]);
    await dialog.getByLabel('Reason').fill('The wrong product');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await said(page, '3 texts rejected, 1 left.');
    expect(await statuses()).toEqual(['rejected', waits, 'rejected', 'rejected']);
    const { body: job } = await app.json('GET', `/api/translations/${idOf(3)}`, { headers: founder.key });
    expect(job.agent_run.human_review_task.metadata.notes).toBe('The wrong product');
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone: 3 segments.');
    expect(await statuses()).toEqual([waits, waits, waits, waits]);
  });
});

describe.skipIf(withoutBrowser)('an emptied field', { timeout: 60_000 }, () => {
  test('is never sent, cannot be confirmed, and is restored when the reviewer leaves it', async () => {
    const { page, statuses } = await memberWith(2);
    await openReview(page);
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().includes('/trpc/translations.act')) requests += 1;
    });
    await opened(page, 'Text 1');
    await field(page).fill('');
    await page.waitForTimeout(2500);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Enter a translation before you confirm.').waitFor();
    await opened(page, 'Text 1');
    await row(page, 'Text 2').click();
    await opened(page, 'Text 2');
    await row(page, 'Text 1').click();
    await opened(page, 'Text 1');
    expect(await field(page).inputValue()).toBe('[fr] Text 1');
    expect([requests, await statuses()]).toEqual([0, [waits, waits]]);
    await field(page).fill('Texte 1');
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await statuses())[0], patient).toBe('human_edited');
  });
});
