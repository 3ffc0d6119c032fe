import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '#test/setup/database.ts';
import type { RecordedStatement } from '#test/setup/statement-recorder.ts';
import { scansOfAnyTenant } from './tenant-conditions.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/**
 * The tests that run over split tables, and whose statements are checked. `TEST_FOLDERS` runs others, such as
 * `TEST_FOLDERS='test/documents test/admin'`.
 */
const folders = process.env['TEST_FOLDERS']?.split(' ') ?? [
  'test/contract/transports.slow.test.ts',
  'test/workers',
];

/**
 * The statements that read rows of any tenant, by a part of their text, and the reason for each. They run in the scope
 * of the platform; on several database servers, each would ask all of them.
 */
const exceptions: Record<string, string> = {
  'select distinct "tenant_id" from "translation_jobs" where':
    'the sweep of stale and parked text jobs finds their tenants',
  'select "tenant_id", "document_id" from "document_jobs" where':
    'the sweep of documents without a worker, and of approvals to complete',
  'select "tenant_id", "mail_id", "kind" from "mails" where': 'the sweep of mails whose job was lost',
  'select t.tenant_id as "tenantId" from tenants t cross join lateral':
    'the task of digests: workspaces in which something awaits review',
  'update "mails" set "address" = $1, "sealed_token" = $2, "state" = $3, "reason" = $4, "leased_until" = $5, "ended_at" = now() where ("mails"."state"':
    'the end of expired mails',
  'select "tenant_id", "import_id" from "memory_imports" where': 'the sweep of imports without a worker',
  'select distinct tenant_id as "tenantId" from review_assignments where rules_from':
    'the sweep of items whose assignment rules have not been applied',
  'with checked as materialized ( select * from quality_checks': "the operator's comparison of engines",
  'with waiting as ( select g.tenant_id, g.set_id': 'the sweep of TM segments to index',
  'with due as ( select g.tenant_id': 'the sweep of language pairs to index',
  "select tenant_id, set_id from memory_sets g where origin = 'golden_approved'": 'the sweep of TMs to embed',
  'with pruned as ( delete from': 'the pruning of expired rows',
  'select tenant_id as "tenantId", read_at <': 'the pruning of event feeds',
  'with recursive recorded as ( (select tenant_id from events': 'the pruning of events without a feed',
  'delete from "parked_job_replays" where': 'the pruning of completed replays',
  'delete from "review_claims" where': 'the pruning of expired claims',
  'delete from "review_comments" where': 'the pruning of deleted comments',
  'delete from "review_openings" where': 'the pruning of old openings',
  'from "tenant_deletions" where ("tenant_deletions"."finished_at" is null':
    'the task that deletes workspaces',
  'with reopened as (delete from usage_days': 'the task that adds up a day over all tenants',
  "select to_char(day, 'YYYY-MM-DD') as date, jobs::float8": "the operator's report of usage",
  'with "page" as (select "tenant_id"': "the operator's list of workspaces",
  'select "tenant_id" from "translation_jobs" where "translation_jobs"."job_id" = $1':
    'the operator looks up a job by its id',
  'select "tenant_id" from "document_jobs" where "document_jobs"."document_id" = $1':
    'the operator looks up a document by its id',
  "from document_jobs where status = 'failed' and failure->>'code' in":
    'the operator runs failed documents again',
  "select \"status\", failure->>'code', coalesce(status = 'failed'": 'the operator runs one document again',
  'select "tenant_id" from "users" where "users"."user_id" = $1': 'the operator looks up a member by the id',
  'from "users" where ("users"."totp_secret" is not null or': 'the operator encrypts secrets with a new key',
  'from "users" where (("users"."totp_secret" is not null or': 'the operator encrypts secrets with a new key',
  'select "tenant_id", "secret", "secret_key_id" from "storage_bindings"':
    'the operator encrypts secrets with a new key',
  'select "tenant_id", "secret" from "workspace_engines"': 'the operator encrypts secrets with a new key',
  'from "recovery_codes" group by "recovery_codes"."key_id"': 'the operator counts secrets by key',
  'from "audit_log" order by "audit_log"."recorded_at" desc': "the operator's audit log",
  'from "audit_log" where ("audit_log"."recorded_at", "audit_log"."event_id") <':
    "the operator's audit log, a later page",
  'where ("users"."email" = $1 and "users"."provider" = \'email\'':
    'a sign-in by email: the workspaces of the address',
  'where ("users"."email" = $1 and "users"."provider" = $2 and "users"."active" = $3':
    'a member by the address, before the workspace is known',
  'where "users"."provider_subject" = $1': 'a single sign-on: the workspaces of the person',
  'select 1 from "tenants" where "tenants"."tenant_id" not in ($1, $2) limit $3':
    'whether a first workspace exists',
  'select "tenant_id" from "storage_bindings" where (("storage_bindings"."account_url" = $1':
    'whether another workspace holds a container',
  'select $1::text as kind, $2::text as status, count(*)::int as jobs from (':
    "the operator's page of the queue: jobs in progress",
  'select coalesce(sum("bytes"), 0)::float8, coalesce(sum("objects"), 0)::float8 from "storage_totals"':
    "the operator's page of the storage: its size",
  'select count(*)::int as jobs from (select from parked_jobs limit':
    "the operator's page of the storage: jobs without a record",
  'select "tenant_id" from "tenant_retention" where "tenant_retention"."hold" = $1':
    'the workspaces with a legal hold, whose failed background jobs stay',
  'select waiting_reason as reason, count(*)::int as documents':
    'a metric: documents that wait for an outage to end',
  'select (select count(*)::int from ( select from tenants t cross join lateral':
    'a metric: the backlog of reviews',
  'select t.tenant_id as "tenantId", u.jobs::float8 as jobs': 'a metric: the workspaces with most jobs today',
  'select distinct "tenant_id" from "document_jobs" where': 'the check of the golden records of documents',
  'select "tenant_id" from "tenants" where "tenants"."tenant_id" > $1':
    'tasks that work on one workspace after the other',
  'left join "tenant_retention" on "tenant_retention"."tenant_id" = "tenants"."tenant_id" where "tenants"."tenant_id" > $1':
    'retention, one workspace after the other',
  'from "tenant_deletions" order by': 'the operator lists deletions',
  "count(*) filter (where status = 'failed')::int as failed from document_jobs group by tenant_id":
    "the operator's summary of documents",
  'from document_jobs, jsonb_each_text(stage_timings)': "the operator's summary of documents",
  'select "tenant_id" from "storage_bindings" where ("storage_bindings"."account_url" = $1':
    'the operator looks up the holders of a container',
  'select "tenant_id" from "tenants" where "tenants"."organization" = $1':
    'a single sign-on: the workspace of the organization',
  'not exists (select from users where email = $3 and tenant_id <> $4)':
    'anonymizing a member: whether others have the address',
};

let folder: string;
let statements: RecordedStatement[];
let passed: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-statements-'));
  const statementsFile = join(folder, 'statements.json');
  const resultFile = join(folder, 'result.json');
  const { VITEST: _vitest, ...env } = process.env;
  await run(
    process.execPath,
    [
      join(root, 'node_modules/vitest/vitest.mjs'),
      ...[
        'run',
        '--project=fast',
        '--project=slow',
        '--reporter=json',
        '--outputFile',
        resultFile,
        ...folders,
      ],
    ],
    {
      cwd: root,
      env: { ...env, TEST_PARTITIONS: '4,all', TEST_STATEMENTS: statementsFile },
      maxBuffer: 2 ** 26,
    },
  ).catch(() => {});
  const result = JSON.parse(await readFile(resultFile, 'utf8'));
  passed = result.numPassedTests;
  const failed = result.testResults
    .flatMap((file: { assertionResults: { status: string; fullName: string }[] }) => file.assertionResults)
    .filter(({ status }: { status: string }) => status === 'failed');
  expect(failed.map(({ fullName }: { fullName: string }) => fullName)).toEqual([]);
  expect(result.success).toBe(true);
  statements = JSON.parse(await readFile(statementsFile, 'utf8'));
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the tests pass over a database whose tables are all split by tenant', () => {
  expect(passed).toBeGreaterThan(process.env['TEST_FOLDERS'] ? 0 : 200);
});

test('each statement binds the tenant of every tenant table that it reads, except those of the platform', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const client = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  onTestFinished(() => client.end());
  const sql = await client.reserve();
  onTestFinished(() => sql.release());
  await sql`set plan_cache_mode = force_generic_plan`;
  await sql`select set_config('lingualoop.tenant_id', '', false)`;
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity`;
  // The rows of `usage_days` belong to no tenant.
  const tables = new Set(rows.map(({ name }) => name).filter((name) => name !== 'usage_days'));
  expect(tables.size).toBeGreaterThan(30);

  // A test of the check: a join that forgets the tenant of one table, and one that names it in another way.
  const scansOf = (text: string) => scansOfAnyTenant(sql, { text, types: [25] }, tables);
  expect(
    await scansOf(
      'select from usage_records u join translation_jobs j on j.job_id = u.job_id where u.tenant_id = $1',
    ),
  ).toEqual(['translation_jobs as j']);
  expect(
    await scansOf(
      `select from usage_records u join translation_jobs j using (tenant_id, job_id) where j.tenant_id = $1`,
    ),
  ).toEqual([]);

  const unbound: string[] = [];
  let checked = 0;
  for (const { text, types, scopes } of statements) {
    if (!/^\s*(select|insert|update|delete|with)\b/i.test(text) || text.includes('graphile_worker')) continue;
    checked += 1;
    const scans = await scansOfAnyTenant(sql, { text, types }, tables);
    if (scans.length === 0) continue;
    const words = text.replace(/\s+/g, ' ').trim();
    const exception = Object.keys(exceptions).find((part) => words.includes(part));
    if (exception !== undefined && !scopes.includes('tenant')) continue;
    const file = await fileOf(text);
    if (!file.startsWith('test/'))
      unbound.push(`${file}: ${scans.join(', ')}: in the scope ${scopes.join()}: ${words}`);
  }
  expect(unbound).toEqual([]);
  expect(checked).toBeGreaterThan(process.env['TEST_FOLDERS'] ? 0 : 250);
});

/** The source files that contain the longest line of the statement. Drizzle creates some statements, which no file contains. */
async function fileOf(text: string): Promise<string> {
  const part = text
    .split(/\$\d+|\n/)
    .map((line) => line.trim())
    .toSorted((a, b) => b.length - a.length)[0] as string;
  const { stdout } = await run(
    'git',
    ['grep', '-lF', part, '--', 'server', 'db/*.ts', 'workers', 'test/*.test.ts'],
    {
      cwd: root,
    },
  ).catch(() => ({ stdout: '' }));
  return stdout.trim().replaceAll('\n', ' or ') || 'a statement of Drizzle';
}
