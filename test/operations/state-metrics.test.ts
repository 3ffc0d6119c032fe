import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql as raw, type SQL } from 'drizzle-orm';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { countMigrations } from '#db/schema-version.ts';
import {
  readTopWorkspaces,
  topWorkspacesQuery,
  watchDeployment,
} from '#server/observability/deployment-state.ts';
import { openMetrics } from '#server/observability/metrics.ts';
import { readReviewBacklog, reviewBacklogQuery } from '#server/observability/review-backlog.ts';
import type { StateReaders } from '#server/observability/state-gauges.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { countModelTokens, sendMeasurements } from '#server/platform/telemetry.ts';
import { readSettings } from '#server/settings.ts';
import { openDocuments } from '#test/documents/workspace.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { openWorkspace } from '#test/translations/workspace.ts';

const app = useTestApp({
  env: { ...env, SWEEP_INTERVAL_SECONDS: '1' },
  ownDatabase: 'plans depend on the statistics of its tables',
});
const superuser = () => openSuperuser(app.superuserUrl);

const nothing: StateReaders = {
  deployment: async () => ({ clockSkewSeconds: 0, pendingMigrations: 0, maintenance: [] }),
  queue: async () => ({ tasks: [], jobs: [], outages: [] }),
  reviews: async () => [],
  storage: async () => ({ isUp: true, space: null }),
  workspaces: undefined,
};

/** Metrics of a process in which these readers, models and prices are set. */
function open({
  readers = {},
  models = [],
  prices = {},
}: {
  readers?: Partial<StateReaders>;
  models?: string[];
  prices?: Record<string, { input: number; output: number }>;
}) {
  const metrics = openMetrics({
    version: '1.2.3',
    models,
    prices,
    process: { pools: new Map(), engineCalls: null, files: () => ({ queues: {}, processes: 0 }) },
  });
  metrics.watchStates({ ...nothing, ...readers });
  return { ...metrics, text: async () => (await metrics.print()).text };
}

test('the version of the service is a label', async () => {
  expect(await open({}).text()).toContain('lingualoop_build_info{version="1.2.3"} 1\n');
});

test('a reader that fails omits its own series, and the scrape names it', async () => {
  let fails = false;
  const metrics = open({
    readers: {
      deployment: async () => {
        if (fails) throw new Error('the database is down');
        return {
          clockSkewSeconds: 0.5,
          pendingMigrations: 2,
          maintenance: [{ task: 'backup', ageSeconds: 60, everySeconds: null }],
        };
      },
      reviews: async () => [{ kind: 'text', items: 3, oldestSeconds: 90 }],
    },
  });
  const before = await metrics.text();
  expect(before).toContain('lingualoop_db_up 1\n');
  expect(before).toContain('lingualoop_clock_skew_seconds 0.5\n');
  expect(before).toContain('lingualoop_pending_migrations 2\n');
  expect(before).toContain('lingualoop_maintenance_age_seconds{task="backup"} 60\n');
  fails = true;
  const text = await metrics.text();
  expect(text).toContain('lingualoop_collector_up{collector="deployment"} 0\n');
  expect(text).toContain('lingualoop_db_up 0\n');
  expect(text).not.toMatch(/^lingualoop_(clock_skew_seconds|pending_migrations|maintenance_age_seconds)/m);
  expect(text).toContain('lingualoop_collector_up{collector="reviews"} 1\n');
  expect(text).toContain('lingualoop_review_backlog{kind="text"} 3\n');
  expect(text).toContain('lingualoop_review_backlog_oldest_seconds{kind="text"} 90\n');
});

test('tokens are counted by model and priced by MODEL_PRICES; an unknown model is "other"', async () => {
  const metrics = open({
    models: ['large', 'small'],
    prices: { large: { input: 2, output: 10 } },
  });
  sendMeasurements(metrics.meter);
  onTestFinished(() => sendMeasurements(undefined));
  countModelTokens('large', { inputTokens: 1000, outputTokens: 100 });
  countModelTokens('small', { inputTokens: 7, outputTokens: 0 });
  countModelTokens('of a caller', { inputTokens: 5, outputTokens: 1 });
  const text = await metrics.text();
  expect(text).toContain('lingualoop_engine_tokens_total{direction="input",model="large"} 1000\n');
  expect(text).toContain('lingualoop_engine_tokens_total{direction="output",model="large"} 100\n');
  expect(text).toContain('lingualoop_engine_tokens_total{direction="input",model="small"} 7\n');
  expect(text).toContain('lingualoop_engine_tokens_total{direction="input",model="other"} 5\n');
  expect(text).not.toContain('of a caller');
  const [, cost] = /^lingualoop_engine_cost_total\{model="large"\} ([\d.]+)$/m.exec(text) ?? [];
  expect(Number(cost)).toBeCloseTo(0.003);
  expect(text).not.toMatch(/^lingualoop_engine_cost_total\{model="(small|other)"/m);
});

describe('the state of the deployment', () => {
  test('has the difference of the clocks, pending migrations, and the ages of completed runs', async () => {
    const sql = superuser();
    await withWorkers(app, async () => {
      await poll(
        async () => (await sql`select from maintenance_runs where name = 'sweep_stale_jobs'`).length,
      );
    });
    await sql`
      insert into maintenance_runs (name, finished_at) values ('backup', now() - interval '1 hour')`;
    const [latest] = await sql`select * from drizzle.__drizzle_migrations order by created_at desc limit 1`;
    const { clockSkewSeconds, pendingMigrations, maintenance } = await watchDeployment(app.database)();
    expect(Math.abs(clockSkewSeconds)).toBeLessThan(1);
    expect(pendingMigrations).toBe(0);
    const sweep = maintenance.find(({ task }) => task === 'sweep_stale_jobs');
    expect(sweep).toMatchObject({ everySeconds: 1 });
    expect(sweep?.ageSeconds).toBeLessThan(20);
    const backup = maintenance.find(({ task }) => task === 'backup');
    expect(backup).toMatchObject({ everySeconds: null });
    expect(backup?.ageSeconds).toBeGreaterThan(3599);
    // Tasks without an interval are not recorded.
    expect(maintenance.map(({ task }) => task)).not.toContain('fail_stale_jobs');

    await sql`delete from drizzle.__drizzle_migrations where id = ${latest?.['id']}`;
    expect(await watchDeployment(app.database)()).toMatchObject({ pendingMigrations: 1 });
    await sql`insert into drizzle.__drizzle_migrations ${sql(latest ?? {})}`;
  });

  test('forgets a task that this version does not have, but not the backup', async () => {
    const sql = superuser();
    await sql`
      insert into maintenance_runs (name, finished_at, every_seconds)
      values ('a_removed_task', now() - interval '9 days', 60), ('backup', now(), null) on conflict do nothing`;
    const names = async () => (await sql`select name from maintenance_runs`).map(({ name }) => name);
    await withWorkers(app, () => poll(async () => !(await names()).includes('a_removed_task')));
    expect(await names()).toEqual(expect.arrayContaining(['backup', 'sweep_stale_jobs']));
  });

  test('can be read from a database that lacks the tables of this version', async () => {
    const sql = superuser();
    await sql.unsafe('alter table maintenance_runs rename to mislaid; alter schema drizzle rename to other');
    onTestFinished(async () => {
      await superuser().unsafe(
        'alter table mislaid rename to maintenance_runs; alter schema other rename to drizzle',
      );
    });
    const { pendingMigrations, maintenance } = await watchDeployment(app.database)();
    expect(pendingMigrations).toBe(countMigrations());
    expect(maintenance).toEqual([]);
  });
});

describe('storage', () => {
  test('has the space of a local directory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-space-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const storage = openPlatformStore(readSettings({ PLATFORM_STORAGE_URL: `file://${folder}` }));
    const space = await storage.space();
    expect(space?.freeBytes).toBeGreaterThan(0);
    expect(space?.totalBytes).toBeGreaterThan(space?.freeBytes ?? 0);
    const up = open({ readers: { storage: async () => ({ isUp: true, space }) } });
    expect(await up.text()).toContain(`lingualoop_storage_free_bytes ${space?.freeBytes}\n`);
  });

  test('of another kind has none', async () => {
    const PLATFORM_STORAGE_URL = 'https://account.dfs.core.windows.net/filesystem?sv=1&sig=x';
    expect(await openPlatformStore(readSettings({ PLATFORM_STORAGE_URL })).space()).toBeNull();
    const text = await open({ readers: { storage: async () => ({ isUp: false, space: null }) } }).text();
    expect(text).toContain('lingualoop_storage_up 0\n');
    expect(text).not.toMatch(/^lingualoop_storage_free_bytes/m);
  });
});

describe('over all workspaces', () => {
  afterEach(async () => {
    await superuser()`delete from tenants`;
  });

  test('the review backlog has the number and the age of texts and documents', async () => {
    const one = await openWorkspace(app);
    const other = await openWorkspace(app);
    const held = { metadata: { sensitive: true } };
    const first = await one.job(held);
    await one.job();
    await other.job(held);
    const documents = await openDocuments(app);
    await documents.translate(['Hello']);
    await superuser()`
      update translation_jobs set updated_at = now() - interval '2 days' where job_id = ${first.id}`;
    const [texts, files] = await app.database.inPlatform(readReviewBacklog);
    expect(texts).toMatchObject({ kind: 'text', items: 2 });
    expect(texts?.oldestSeconds).toBeGreaterThan(2 * 86_400 - 60);
    expect(files).toMatchObject({ kind: 'document', items: 1 });
    expect(files?.oldestSeconds).toBeLessThan(600);
    await one.review(first.id, { action: 'reject' });
    const [fewer] = await app.database.inPlatform(readReviewBacklog);
    expect(fewer).toMatchObject({ kind: 'text', items: 1 });
    expect(fewer?.oldestSeconds).toBeLessThan(600);
  });

  test('the top workspaces are those with the most characters today', async () => {
    const small = await openWorkspace(app);
    const large = await openWorkspace(app);
    await openWorkspace(app);
    await small.job({ source_text: 'Hi' });
    await large.job({ source_text: 'Hello' });
    await large.job({ source_text: 'Hello, world' });
    // Yesterday's usage does not count.
    await superuser()`
      insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, billable_chars)
      values (${small.tenantId}, (now() at time zone 'UTC')::date - 1, '', 0, 9, 9000)`;
    const top = (count: number) => app.database.inPlatform((tx) => readTopWorkspaces(tx, count));
    expect(await top(10)).toEqual([
      { tenantId: large.tenantId, jobs: 2, chars: 17 },
      { tenantId: small.tenantId, jobs: 1, chars: 2 },
    ]);
    expect(await top(1)).toHaveLength(1);
    const text = await open({ readers: { workspaces: () => top(1) } }).text();
    expect(text).toContain(`lingualoop_workspace_jobs{tenant_id="${large.tenantId}"} 2\n`);
    expect(text).toContain(`lingualoop_workspace_chars{tenant_id="${large.tenantId}"} 17\n`);
    expect(text).not.toContain(small.tenantId);
    expect(await open({}).text()).not.toContain('lingualoop_workspace_');
  });

  test('no query reads a whole table of jobs or usage', async () => {
    await superuser().unsafe(`
        insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
          select 'many-' || n, 'Many', 'none', 1 from generate_series(1, 100) n;
        insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
          select 'many-' || t, 'j' || n, case when n % 50 = 0 then 'awaiting_review' else 'published' end, '{}', '{}'
          from generate_series(1, 100) t, generate_series(1, 100) n;
        insert into document_jobs (tenant_id, document_id, status, request, source_file_name, source_format, approved_at)
          select 'many-' || t, 'd' || n, 'translated', '{}', 'a.pdf', 'pdf', case when n > 2 then now() end
          from generate_series(1, 100) t, generate_series(1, 100) n;
        insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, billable_chars)
          select 'many-' || t, (now() at time zone 'UTC')::date - n, '', 0, 1, t
          from generate_series(1, 100) t, generate_series(0, 99) n;
        analyze`);
    for (const query of [
      reviewBacklogQuery('text'),
      reviewBacklogQuery('document'),
      topWorkspacesQuery(10),
    ]) {
      const plan = await explain(query);
      expect(plan).toContain('tenants');
      expect(plan).not.toMatch(/Seq Scan on (translation_jobs|document_jobs|usage_totals)/);
    }
    const [texts, documents] = await app.database.inPlatform(readReviewBacklog);
    expect([texts?.items, documents?.items]).toEqual([200, 200]);
  });
});

/** The plan of a query, as lines of text. */
async function explain(query: SQL): Promise<string> {
  const rows = await app.database.inPlatform((tx) =>
    tx.execute<{ 'QUERY PLAN': string }>(raw`explain ${query}`),
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
