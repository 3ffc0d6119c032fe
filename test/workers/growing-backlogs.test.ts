import { expect, test } from 'vitest';
import { pruneImports } from '#server/language/translation-memory/imports/import-jobs.ts';
import { sweepUnusedVersions } from '#server/language/translation-memory/versions.ts';
import { failStaleJobsOfTenant, failStalePage, stalePage } from '#server/texts/stale-sweep.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

async function pendingSince(hours: number, count: number) {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId } = await app.signUp();
  await superuser`
    insert into translation_jobs (tenant_id, job_id, status, request, agent_run, reserved_chars, updated_at)
    select ${tenantId}, md5(${tenantId} || n), 'pending', '{}', '{"status": "pending"}', 100,
      now() - make_interval(hours => ${hours}) - make_interval(secs => n)
    from generate_series(1, ${count}) n`;
  return { superuser, tenantId };
}

test('stale jobs are marked a page at a time, the oldest first, until none is left', async () => {
  const { superuser, tenantId } = await pendingSince(1, 2 * stalePage + 7);
  expect(await app.database.inTenant(tenantId, (tx) => failStalePage(tx, tenantId, 600, 'late'))).toBe(
    stalePage,
  );
  const [newest] = await superuser`
    select status from translation_jobs where tenant_id = ${tenantId} and job_id = md5(${tenantId} || 1)`;
  expect(newest?.['status']).toBe('pending');
  expect(await failStaleJobsOfTenant(app.database, tenantId, 600)).toBe(stalePage + 7);
  expect(await failStaleJobsOfTenant(app.database, tenantId, 600)).toBe(0);
});

test('one sweep deletes all contents that no set shows', async () => {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId } = await app.signUp();
  await superuser`
    insert into memory_contents (tenant_id, content_id) select ${tenantId}, 'left ' || n from generate_series(1, 350) n`;
  await sweepUnusedVersions(app.services);
  const [left] =
    await superuser`select count(*)::int as n from memory_contents where tenant_id = ${tenantId}`;
  expect(left?.['n']).toBe(0);
});

test('old imports are deleted, except a tenant’s newest fifty and running ones', async () => {
  const superuser = openSuperuser(app.superuserUrl);
  const { tenantId } = await app.signUp();
  const { tenantId: quiet } = await app.signUp();
  const add = (tenant: string, from: number, count: number, days: number, status: string) => superuser`
    insert into memory_imports (tenant_id, import_id, status, set_name, source_lang, target_lang, pair_source, pair_target,
      total_units, deduped_units, skipped_units, duplicates_dropped, created_at, updated_at)
    select ${tenant}, md5('import ' || n), ${status}, 'Set ' || n, 'en', 'fr', 'en', 'fr', 1, 1, 0, 0,
      now() - make_interval(days => ${days}) + make_interval(secs => n), now()
    from generate_series(${from}::int, ${from + count - 1}::int) n`;
  await add(tenantId, 1, 1, 400, 'running');
  await add(tenantId, 2, 5100, 100, 'completed');
  await add(tenantId, 6000, 40, 10, 'completed');
  await add(quiet, 1, 50, 300, 'failed');
  // Ten of the old imports are among the latest fifty, which are kept.
  expect(await pruneImports(app.database)).toBe(5090);
  expect(await pruneImports(app.database)).toBe(0);
  const rows = await superuser`
    select tenant_id, count(*)::int as n, count(*) filter (where status = 'running')::int as running
    from memory_imports group by 1 order by 2 desc, 1`;
  expect(rows.map((row) => [row['tenant_id'], row['n'], row['running']])).toEqual([
    [tenantId, 51, 1],
    [quiet, 50, 0],
  ]);
});
