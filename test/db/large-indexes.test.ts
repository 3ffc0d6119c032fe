import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '#db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.superuserUrl, { max: 4, onnotice: () => {} });
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values ('one', 'One', 'prefix', 1)`;
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const insertJob = (on: postgres.Sql | postgres.TransactionSql, jobId: string) => on`
  insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
  values ('one', ${jobId}, 'published', '{}', '{}')`;

async function isValid(): Promise<boolean | undefined> {
  const [row] = await sql`
    select i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relname = 'translation_jobs_status_idx'`;
  return row?.['valid'];
}

test('a large index is built by the migration while others write to its table', async () => {
  await sql`drop index translation_jobs_status_idx`;
  let release = () => {};
  const held = sql.begin(async (tx) => {
    await insertJob(tx, 'written before');
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  await poll(async () => {
    const [row] =
      await sql`select count(*)::int as n from pg_locks where relation = 'translation_jobs'::regclass`;
    return row?.['n'] > 0;
  });
  const migrated = migrate(database.url);
  // It waits for the transaction that was open; meanwhile others write.
  await poll(async () => {
    const rows = await sql`
      select from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'
        and datname = current_database()`;
    return rows.length > 0;
  });
  await sql.begin(async (tx) => {
    await tx`set local lock_timeout = '2s'`;
    await insertJob(tx, 'written meanwhile');
  });
  release();
  await held;
  await migrated;
  expect(await isValid()).toBe(true);
});

test('one whose building broke off is built anew', async () => {
  await sql`update pg_index set indisvalid = false where indexrelid = 'translation_jobs_status_idx'::regclass`;
  expect(await isValid()).toBe(false);
  await migrate(database.url);
  expect(await isValid()).toBe(true);
});

test('a migration that is told to stop leaves an index to the database, which finishes it', async () => {
  await sql`drop index translation_jobs_status_idx`;
  const held = Promise.withResolvers<void>();
  const holder = sql.begin(async (tx) => {
    await insertJob(tx, 'written while it is built');
    await held.promise;
  });
  const stop = new AbortController();
  const migrated = migrate(database.url, stop.signal);
  migrated.catch(() => {});
  await poll(async () => {
    const rows = await sql`
      select from pg_stat_activity where query like 'create index concurrently%' and wait_event_type = 'Lock'
        and datname = current_database()`;
    return rows.length > 0;
  });
  stop.abort();
  await expect(migrated).rejects.toBe(stop.signal.reason);
  held.resolve();
  await holder;
  await poll(isValid);
});
