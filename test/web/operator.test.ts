import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addJob } from '#server/platform/job-queue.ts';
import { readSettings } from '#server/settings.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
} from '#test/factories/operators.ts';
import { type Person, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env: { ...operatorEnv, BASE_URL: '' } });
const browser = useBrowser(app);
const sql = () => openSuperuser(app.superuserUrl);

let operator: { tenantId: string; userId: string };
let customer: Person;
beforeAll(async () => {
  if (withoutBrowser) return;
  await openOperators(app);
  operator = { ...(await addAdministrator(app, 'first@ops.example')), tenantId: operatorWorkspace };
});
beforeEach(async () => {
  if (withoutBrowser) return;
  customer = await signUpFounder(app);
  await sql()`update tenants set name = 'Northwind Legal' where tenant_id = ${customer.tenantId}`;
});

/** Opens a page of the operator's area, and checks that it is accessible, also in a narrow window. */
async function opened(path: string): Promise<Page> {
  const { page } = await browser.person('/about', { viewport: { width: 1280, height: 900 } });
  await page.context().addCookies([await sessionCookie(app, operator)]);
  await page.goto(path);
  await page.getByRole('navigation', { name: 'Operator' }).waitFor();
  return page;
}

async function fitsNarrow(page: Page): Promise<void> {
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 900 });
}

describe.skipIf(withoutBrowser)('an operator', () => {
  test('sees failed jobs, and retries one and then all of a task', async () => {
    await sql()`delete from graphile_worker._private_jobs`;
    for (const documentId of ['a', 'b', 'c'])
      await app.database.inPlatform((tx) =>
        addJob(tx, 'run_document', { tenantId: customer.tenantId, documentId }),
      );
    await sql()`update graphile_worker._private_jobs set attempts = 25, last_error = 'run_document failed: AppError'`;
    await app.database.inPlatform((tx) => addJob(tx, 'check_document_files', {}));
    const page = await opened('/app/settings/operator/queue');
    const failed = page.getByRole('region', { name: 'Failed jobs' });
    await failed.getByText('run_document failed: AppError').first().waitFor();
    await fitsNarrow(page);
    await failed.getByRole('button', { name: 'Retry', exact: true }).first().click();
    await expect.poll(() => failed.getByText('run_document failed: AppError').count()).toBe(2);
    await failed.getByRole('button', { name: 'Retry all of run_document' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Retry all of run_document' }).click();
    await failed.getByText('No failed jobs.').waitFor();
    const row = page
      .getByRole('region', { name: 'Background jobs' })
      .getByRole('row', { name: /^run_document/ });
    expect(await row.getByRole('cell').first().innerText()).toBe('0');
    expect(await eventsOf(app, customer.tenantId, 'background_job_retried')).toMatchObject([
      { actor: ['member', operator.userId] },
    ]);
  });

  test('opens one workspace, which commands on the server change', async () => {
    await sql()`insert into storage_totals (tenant_id, bytes, objects) values (${customer.tenantId}, 52428800, 12)`;
    await app.json('POST', '/api/translations', {
      headers: customer.bearer,
      body: { source_text: 'A text that fails', target_lang: 'fr' },
    });
    await sql()`update translation_jobs set status = 'failed', agent_run = jsonb_set(agent_run, '{error}', '"the model is not reachable"')
      where tenant_id = ${customer.tenantId}`;
    const page = await opened('/app/settings/operator');
    await page.getByRole('link', { name: 'Northwind Legal' }).first().click();
    await page.getByRole('heading', { name: /Northwind Legal/ }).waitFor();
    await page.getByText('the model is not reachable').waitFor();
    await page.getByText('52.4 MB in 12 files').waitFor();
    await page.getByRole('row', { name: new RegExp(`${customer.email}.* 1 `) }).waitFor();
    await page.getByText('npm run admin').waitFor();
    await fitsNarrow(page);
  });

  test('sees the state of the models', async () => {
    await sql()`insert into model_requests values
      (date_trunc('hour', now()), 'other', 'json_schema', 'ok', 4, 60, 1000, 200),
      (date_trunc('hour', now()), 'other', 'json_schema', 'saturated', 1, 20, 0, 0)`;
    const page = await opened('/app/settings/operator');
    await page.getByRole('link', { name: 'Models' }).click();
    await page.getByText('No model is connected.').waitFor();
    await page.getByRole('row', { name: /Other models.* 80 20 \(25%\) saturated 20/ }).waitFor();
    await fitsNarrow(page);
  });

  test('sees the routes of the engines, and how often people changed their translations', async () => {
    const { services } = app;
    const engines = {
      deepl: { kind: 'deepl', api_key: 'x' },
      apertium: { kind: 'apertium', url: 'http://127.0.0.1:2737' },
      house: { kind: 'anthropic', api_key: 'y', model: 'm' },
    };
    const routes = [
      { from: 'en', to: ['de', 'fr'], domain: 'legal', use: ['deepl', 'house'] },
      { use: ['apertium'] },
    ];
    const { ENGINES } = readSettings({ ENGINES: JSON.stringify({ engines, routes }) });
    Object.assign(app.services, { settings: { ...services.settings, ENGINES } });
    const jobs = [
      ...['deepl', 'deepl', 'apertium'].map((engine, at) => ({
        engine,
        verdict: at === 1 ? 'changed' : 'none',
      })),
      { engine: 'apertium', verdict: 'rejected' },
    ];
    for (const [at, { engine, verdict }] of jobs.entries()) {
      const { body } = await app.json('POST', '/api/translations', {
        headers: customer.bearer,
        body: { target_lang: 'de', source_text: `Text ${at}` },
      });
      const { id } = body;
      await sql()`update translation_jobs set agent_run = jsonb_set(agent_run, '{steps}', ${sql().json([
        { name: 'baseline', metadata: { models: [engine] } },
      ])}) where job_id = ${id}`;
      await sql()`insert into quality_checks (tenant_id, check_id, origin, item_kind, item_id, position, source_lang,
          target_lang, domain, day, score, route, state, checked_at, verdict)
        values (${customer.tenantId}, ${id}, 'review', 'job', ${id}, 0, 'en', 'de', '', now(), 80, 'held_for_score',
          'done', now(), ${verdict})`;
    }
    const page = await opened('/app/settings/operator/models');
    await page
      .getByRole('row', { name: /English → German, French · legal.* deepl.* house anthropic/ })
      .waitFor();
    await page.getByRole('row', { name: /All languages.* apertium/ }).waitFor();
    await page.getByText('house judges and repairs the translations.').waitFor();
    await page.getByRole('row', { name: /deepl English → German 2 50% 0% 0%/ }).waitFor();
    await page.getByRole('row', { name: /apertium English → German 2 50% 50% 0%/ }).waitFor();
    await fitsNarrow(page);
  });

  test('an administrator of a workspace sees why the pages are closed', async () => {
    const { page } = await browser.person('/about');
    await page.context().addCookies([await sessionCookie(app, customer)]);
    for (const path of ['queue', 'models', `workspaces/${customer.tenantId}`]) {
      await page.goto(`/app/settings/operator/${path}`);
      await page.getByText('Only platform operators can open this page').waitFor();
    }
  });
});
