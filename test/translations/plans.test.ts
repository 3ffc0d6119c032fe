import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { selectJobsByKeys } from '#server/translations/queries/admission.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

test('the jobs of a submission’s keys come by the index of keys, whatever statistics there are', async () => {
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
    // PostgreSQL plans the first five times for the values at hand, and then may once for all.
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
