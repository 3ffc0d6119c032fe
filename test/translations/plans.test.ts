import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { selectCommittedUsage } from '#server/billing/metering/committed-usage.ts';
import { lookUpPrincipal } from '#server/identity/access/principal.ts';
import { selectJobsByKeys } from '#server/translation/texts/idempotency.ts';
import { selectJobs } from '#server/translation/texts/jobs.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

test('the jobs of a submission’s keys are found by the index of keys, whatever the statistics', async () => {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId, headers } = await app.signUp();
  await app.json('POST', '/api/translations', {
    headers: { ...headers, 'idempotency-key': 'key 0' },
    body: { source_text: 'Hello', target_lang: 'fr' },
  });
  await superuser`
    insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, 'Tenant', 'prefix', 1 from generate_series(1, 150) n`;
  await superuser`
    insert into translation_jobs (tenant_id, job_id, status, idempotency_key, request, agent_run)
    select t.tenant_id, md5(t.tenant_id || n), 'published', 'key ' || n, j.request, j.agent_run
    from tenants t, translation_jobs j, generate_series(1, 60) n where j.idempotency_key = 'key 0'`;
  await superuser`analyze translation_jobs`;
  const database = openDatabase(app.databaseUrl, { size: 1 });
  try {
    // PostgreSQL plans the first five executions for their values, and then possibly once for all.
    for (let time = 0; time < 10; time++) {
      const found = await database.inTenant(tenantId, (tx) => selectJobsByKeys(tx, ['key 7', 'no key'], 600));
      expect([...found.keys()]).toEqual(['key 7']);
    }
    const keys = JSON.stringify(['key 7']);
    const plan = await database.inTenant(tenantId, async (tx) => {
      const [prepared] = await tx.execute<{ name: string }>(sql`
        select name from pg_prepared_statements where statement like '%jsonb_array_elements_text%'`);
      return tx.execute<{ 'QUERY PLAN': string }>(
        sql.raw(`explain execute "${prepared!.name}" (600, '${keys}')`),
      );
    });
    const lines = plan.map((row) => row['QUERY PLAN']);
    const indexes = lines.flatMap((line) => /translation_jobs_\w+/.exec(line)?.[0] ?? []);
    expect(indexes, lines.join('\n')).toEqual(['translation_jobs_tenant_id_idempotency_key_key']);
  } finally {
    await database.close();
  }
});

/** The lines of the plan of a statement that a connection has prepared, with values for its parameters in their order. */
async function planOf(
  database: ReturnType<typeof openDatabase>,
  tenantId: string,
  text: string,
  values: readonly string[],
): Promise<string[]> {
  const plan = await database.inTenant(tenantId, async (tx) => {
    const [prepared] = await tx.execute<{ name: string }>(sql`
      select name from pg_prepared_statements where position(${text} in statement) > 0 and statement not like '%pg_prepared%'`);
    return tx.execute<{ 'QUERY PLAN': string }>(
      sql.raw(`explain execute "${prepared!.name}" (${values.join()})`),
    );
  });
  return plan.map((row) => row['QUERY PLAN']);
}

test.each([
  ['before there are statistics', ''],
  ['with statistics', 'analyze translation_jobs'],
])('the jobs of a rare status are found by the index of statuses, %s', async (_when, prepare) => {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId, headers } = await app.signUp();
  await app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } });
  await superuser`
    insert into translation_jobs (tenant_id, job_id, status, request, agent_run, updated_at)
    select tenant_id, md5(job_id || n), 'published', request, agent_run, now() - make_interval(mins => n)
    from translation_jobs, generate_series(1, 3000) n where tenant_id = ${tenantId}`;
  if (prepare) await superuser.unsafe(prepare);
  const database = openDatabase(app.databaseUrl, { size: 1 });
  try {
    for (let time = 0; time < 10; time++)
      expect(
        await database.inTenant(tenantId, (tx) =>
          selectJobs(tx, { tenantId, status: 'translated', limit: 50 }),
        ),
      ).toEqual({ jobs: [], more: false });
    // The page's tenant, status and limit, and what the join and the end of the query say.
    const values = [`'${tenantId}'`, `'translated'`, '51', `'${tenantId}'`, '8000000', '50'];
    const lines = await planOf(database, tenantId, 'bytes_before', values);
    expect(
      lines.filter((line) => line.includes('translation_jobs_status_idx')),
      lines.join('\n'),
    ).toHaveLength(1);
    expect(lines.join('\n')).not.toContain('translation_jobs_tenant_id_updated_at_idx');
    expect(lines.join('\n')).not.toContain('Seq Scan');
  } finally {
    await database.close();
  }
});

test('a caller is authenticated by index (tenant key, token, member), before there are statistics', async () => {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId } = await app.signUp();
  await superuser`
    insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'many-' || n, 'Tenant', 'prefix', 1 from generate_series(1, 500) n`;
  const database = openDatabase(app.databaseUrl, { size: 1 });
  try {
    for (let time = 0; time < 10; time++)
      expect(
        await database.inTenant(tenantId, (tx) => lookUpPrincipal(tx, new Uint8Array(32))),
      ).toMatchObject({
        tenantId,
        token: null,
      });
    const text = await database.inTenant(tenantId, async (tx) => {
      const [prepared] = await tx.execute<{ name: string; types: string }>(sql`
        select name, parameter_types::text as types from pg_prepared_statements
        where statement like '%"totp_secret"%' and statement not like '%pg_prepared%'`);
      const values = prepared!.types
        .slice(1, -1)
        .split(',')
        .map((type) => (type === 'bytea' ? `'\\x00'` : type === 'text' ? `'lingualoop.tenant_id'` : 'null'));
      return tx.execute<{ 'QUERY PLAN': string }>(
        sql.raw(`explain execute "${prepared!.name}" (${values.join()})`),
      );
    });
    const lines = text.map((row) => row['QUERY PLAN']);
    expect(lines.join('\n')).not.toContain('Seq Scan');
    for (const table of ['tenants', 'tokens', 'users']) {
      const scan = lines.findIndex((line) => line.includes(` on ${table}`));
      const condition = lines.slice(scan + 1).find((line) => /Cond:/.test(line));
      expect(condition, lines.join('\n')).toContain('tenant_id = current_setting');
    }
  } finally {
    await database.close();
  }
});

test('a plan that was made for an empty table counts the work in flight among pending jobs, not among all', async () => {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId, headers } = await app.signUp();
  const database = openDatabase(app.databaseUrl, { size: 1 });
  const bounds = { tenantId, keys: '[]', staleSeconds: 600, trialSince: null, tokenLimit: 1 };
  try {
    for (let time = 0; time < 10; time++)
      expect(await database.inTenant(tenantId, (tx) => selectCommittedUsage(tx, bounds))).toHaveLength(1);
    await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    await superuser`
      insert into translation_jobs (tenant_id, job_id, status, request, agent_run, updated_at)
      select tenant_id, md5(job_id || n), 'published', request, agent_run, now() - make_interval(secs => n)
      from translation_jobs, generate_series(1, 3000) n where tenant_id = ${tenantId}`;
    const lines = await database.inTenant(tenantId, async (tx) => {
      const [prepared] = await tx.execute<{ name: string; types: string }>(sql`
        select name, parameter_types::text as types from pg_prepared_statements
        where statement like '%work_in_flight%' and statement not like '%pg_prepared%'`);
      const values = prepared!.types
        .slice(1, -1)
        .split(',')
        .map((type) => (type === 'jsonb' ? `'[]'` : type === 'text' ? `'${tenantId}'` : 'null'));
      const plan = await tx.execute<{ 'QUERY PLAN': string }>(
        sql.raw(`explain execute "${prepared!.name}" (${values.join()})`),
      );
      return plan.map((row) => row['QUERY PLAN']);
    });
    const scans = lines.flatMap((line) => /using (translation_jobs_\w+)/.exec(line)?.[1] ?? []);
    // Once for their characters, and once for their tokens where those are limited.
    expect(scans, lines.join('\n')).toHaveLength(2);
    for (const scan of scans)
      expect(['translation_jobs_pending_idx', 'translation_jobs_status_idx']).toContain(scan);
  } finally {
    await database.close();
  }
});
