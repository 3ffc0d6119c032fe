import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { connect, type Signup } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { cat, models } from '#test/translations/live.ts';

/** The text that all of these tests send. */
export const text = cat;
export const weight = text.length;

/** Service processes over one database of the test file, and what its ledger says. */
export function useProcesses(baseUrl: string) {
  let database: TestDatabase;
  let dataDir: string;
  const running = new Set<RunningService>();
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-admission-'));
  });
  afterEach(async () => {
    await Promise.all([...running].map((service) => service.stop('SIGKILL')));
    running.clear();
  });
  afterAll(async () => {
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  return {
    async start(env: Record<string, string> = {}, args = ['--api-only']) {
      const service = await startService(
        {
          LOG_LEVEL: 'silent',
          DATABASE_URL: database.url,
          DATA_DIR: dataDir,
          SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
          OPENAI_API_KEY: 'sk-test',
          OPENAI_BASE_URL: baseUrl,
          OPENAI_MODEL: models.translator,
          OPENAI_REFINER_MODEL: models.refiner,
          OPENAI_MAX_RETRIES: '0',
          AUTH_RATE_LIMIT_ENABLED: 'false',
          ...env,
        },
        'server/main.ts',
        args,
      );
      running.add(service);
      return { ...connect(service.address), service };
    },
    /** The jobs done, by the ledger, by its running totals, and by the jobs' own rows. */
    async ledger({ tenantId }: Signup) {
      const sql = openSuperuser(database.superuserUrl);
      const [row] = await sql`
        select (select count(*)::int from usage_records where tenant_id = ${tenantId}) as records,
          (select coalesce(sum(billable_chars), 0)::int from usage_records where tenant_id = ${tenantId}) as chars,
          (select coalesce(sum(jobs), 0)::int from usage_totals where tenant_id = ${tenantId}) as total_jobs,
          (select coalesce(sum(billable_chars), 0)::int from usage_totals where tenant_id = ${tenantId}) as total_chars,
          (select count(*)::int from translation_jobs
           where tenant_id = ${tenantId} and status in ('published', 'awaiting_review')) as done,
          (select count(*)::int from translation_jobs where tenant_id = ${tenantId}) as jobs`;
      return { ...row };
    },
    /** What the tenant's models have cost today. */
    async tokens(tenantId: string): Promise<number> {
      const sql = openSuperuser(database.superuserUrl);
      const [row] = await sql`
        select tokens::int from token_spending
        where tenant_id = ${tenantId} and day = (now() at time zone 'UTC')::date`;
      return row?.['tokens'] ?? 0;
    },
  };
}

export type App = Awaited<ReturnType<ReturnType<typeof useProcesses>['start']>>;

/** One submission of the text; `key` as its idempotency key. */
export function submit(app: App, { headers }: Signup, key?: string) {
  return app.json('POST', '/api/translations', {
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    body: { source_text: text, target_lang: 'de' },
  });
}

/** A ledger with `count` finished jobs, each billed once, and nothing else. */
export function doneExactly(count: number) {
  const chars = count * weight;
  return { records: count, chars, total_jobs: count, total_chars: chars, done: count };
}

/** The number of responses with each status. */
export function statuses(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
