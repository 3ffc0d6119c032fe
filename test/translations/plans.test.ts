import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type Tx } from '#db/client.ts';
import { selectCommittedUsage } from '#server/billing/metering/committed-usage.ts';
import { lookUpPrincipal } from '#server/identity/access/principal.ts';
import { selectJobsByKeys } from '#server/texts/idempotency.ts';
import { selectJobs } from '#server/texts/jobs.ts';
import { jobStatus } from '#server/texts/schema.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { partitionCount } from '#test/setup/partitions.ts';
import { keyed, openWorkspace } from './workspace.ts';

/** A test of a plan with the names of indexes; those of partitions have other names. */
const testNames = test.skipIf(partitionCount > 0);

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false' },
  ownDatabase: 'plans depend on the statistics of its tables',
});
const text = { source_text: 'Hello', target_lang: 'fr' };

/** A connection in a tenant's scope that executes a statement ten times, and can then show PostgreSQL's plan for it. */
function openPlans(tenantId: string) {
  const database = openDatabase(app.databaseUrl, { size: 1 });
  onTestFinished(() => database.close());
  return {
    /** PostgreSQL plans the first five executions for their values, and then possibly once for all values. */
    async execute(statement: (tx: Tx) => Promise<unknown>, expected: unknown): Promise<void> {
      for (let time = 0; time < 10; time++)
        expect(await database.inTenant(tenantId, statement)).toEqual(expected);
    },
    /**
     * The lines of the plan of the statement that contains `words`. `write` returns the value of each parameter, by its
     * type and position.
     */
    async planOf(words: string, write: (type: string, at: number) => string): Promise<string[]> {
      const plan = await database.inTenant(tenantId, async (tx) => {
        const [prepared] = await tx.execute<{ name: string; types: string }>(sql`
          select name, parameter_types::text as types from pg_prepared_statements
          where position(${words} in statement) > 0 and statement not like '%pg_prepared%'`);
        const values = prepared!.types.slice(1, -1).split(',').map(write);
        return tx.execute<{ 'QUERY PLAN': string }>(
          sql.raw(`explain execute "${prepared!.name}" (${values.join()})`),
        );
      });
      return plan.map((row) => row['QUERY PLAN']);
    },
  };
}

/** Inserts published copies of the tenant's only job. */
const addJobs = (tenantId: string) => openSuperuser(app.superuserUrl)`
  insert into translation_jobs (tenant_id, job_id, status, request, agent_run, updated_at)
  select tenant_id, md5(job_id || n), 'published', request, agent_run, now() - make_interval(mins => n)
  from translation_jobs, generate_series(1, 3000) n where tenant_id = ${tenantId}`;

testNames(
  'the jobs of a submission’s keys are found by the index of keys, whatever the statistics',
  async () => {
    const superuser = openSuperuser(app.superuserUrl);
    const { tenantId, submit } = await openWorkspace(app);
    await submit(text, keyed('key 0'));
    await superuser`
    insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, 'Tenant', 'prefix', 1 from generate_series(1, 150) n`;
    await superuser`
    insert into translation_jobs (tenant_id, job_id, status, idempotency_key, request, agent_run)
    select t.tenant_id, md5(t.tenant_id || n), 'published', 'key ' || n, j.request, j.agent_run
    from tenants t, translation_jobs j, generate_series(1, 60) n where j.idempotency_key = 'key 0'`;
    await superuser`analyze translation_jobs`;
    const plans = openPlans(tenantId);
    const found = async (tx: Tx) => [...(await selectJobsByKeys(tx, ['key 7', 'no key'], 600)).keys()];
    await plans.execute(found, ['key 7']);
    const lines = await plans.planOf('jsonb_array_elements_text', (_type, at) =>
      at === 0 ? '600' : `'["key 7"]'`,
    );
    const indexes = lines.flatMap((line) => /translation_jobs_\w+/.exec(line)?.[0] ?? []);
    expect(indexes, lines.join('\n')).toEqual(['translation_jobs_tenant_id_idempotency_key_key']);
  },
);

testNames.each([
  ['before there are statistics', ''],
  ['with statistics', 'analyze translation_jobs'],
])('the jobs of a rare status are found by the index of statuses, %s', async (_when, prepare) => {
  const { tenantId, submit } = await openWorkspace(app);
  await submit(text);
  await addJobs(tenantId);
  if (prepare) await openSuperuser(app.superuserUrl).unsafe(prepare);
  const plans = openPlans(tenantId);
  const query = { tenantId, status: 'translated' as const, limit: 50 };
  await plans.execute((tx) => selectJobs(tx, query), { jobs: [], more: false });
  // The values of the parameters: tenant, status and limit of the page, and those of the join and of the end of the
  // query.
  const values = [`'${tenantId}'`, `'translated'`, '51', `'${tenantId}'`, '8000000', '50'];
  const plan = (await plans.planOf('bytes_before', (_type, at) => values[at]!)).join('\n');
  expect(plan.match(/translation_jobs_status_idx/g), plan).toHaveLength(1);
  expect(plan).not.toContain('Seq Scan');
});

test('jobs of all statuses are merged in their order, without a sort of all', async () => {
  const { tenantId, submit } = await openWorkspace(app);
  await submit(text);
  await addJobs(tenantId);
  await openSuperuser(app.superuserUrl)`analyze translation_jobs`;
  const plans = openPlans(tenantId);
  const query = { tenantId, limit: 2 };
  await plans.execute((tx) => selectJobs(tx, query), { jobs: expect.anything(), more: true });
  const statuses = jobStatus.options.flatMap((status) => [`'${tenantId}'`, `'${status}'`, '3']);
  const values = [...statuses, '3', `'${tenantId}'`, '8000000', '2'];
  const plan = (await plans.planOf('bytes_before', (_type, at) => values[at]!)).join('\n');
  expect(plan).toContain('Merge Append');
  expect(plan.match(/using translation_jobs_status_idx/g), plan).toHaveLength(jobStatus.options.length);
  expect(plan).not.toContain('Seq Scan');
});

test('a caller is authenticated by index (tenant key, token, member), before there are statistics', async () => {
  const { tenantId } = await app.signUp();
  await openSuperuser(app.superuserUrl)`
    insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'many-' || n, 'Tenant', 'prefix', 1 from generate_series(1, 500) n`;
  const plans = openPlans(tenantId);
  const found = expect.objectContaining({ tenantId, session: null });
  await plans.execute((tx) => lookUpPrincipal(tx, new Uint8Array(32)), found);
  const lines = await plans.planOf('"totp_secret"', (type) =>
    type === 'bytea' ? `'\\x00'` : type === 'text' ? `'lingualoop.tenant_id'` : 'null',
  );
  expect(lines.join('\n')).not.toContain('Seq Scan');
  for (const table of ['tenants', 'tokens', 'users']) {
    const scan = lines.findIndex((line) => line.includes(` on ${table}`));
    const condition = lines.slice(scan + 1).find((line) => /Cond:/.test(line));
    expect(condition, lines.join('\n')).toContain('tenant_id = current_setting');
  }
});

testNames(
  'a plan that was made for an empty table counts the work in progress among pending jobs, not among all',
  async () => {
    const { tenantId, submit } = await openWorkspace(app);
    const plans = openPlans(tenantId);
    const bounds = { tenantId, keys: '[]', staleSeconds: 600, trialSince: null, tokenLimit: 1 };
    await plans.execute((tx) => selectCommittedUsage(tx, bounds), [expect.anything()]);
    await submit(text);
    await addJobs(tenantId);
    const lines = await plans.planOf('work_in_flight', (type) =>
      type === 'jsonb' ? `'[]'` : type === 'text' ? `'${tenantId}'` : 'null',
    );
    const scans = lines.flatMap((line) => /using (translation_jobs_\w+)/.exec(line)?.[1] ?? []);
    // The index is used once for the characters, and once for the tokens if these are limited.
    expect(scans, lines.join('\n')).toHaveLength(2);
    for (const scan of scans)
      expect(['translation_jobs_pending_idx', 'translation_jobs_status_idx']).toContain(scan);
  },
);
