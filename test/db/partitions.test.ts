import postgres from 'postgres';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { withSnapshot } from '#db/copy/snapshot.ts';
import { migrate } from '#db/migrate.ts';
import { pruneExpired } from '#server/identity/access/prune-expired.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';
import { bigTables, partitionCount, partitionTables } from '#test/setup/partitions.ts';

let plain: TestDatabase;
let split: TestDatabase;
const count = 4;
const tenants = Array.from({ length: 30 }, (_, n) => `tenant-${n}`);

async function fill(sql: postgres.Sql): Promise<void> {
  await sql`select set_config('lingualoop.tenant_id', '*', false)`;
  for (const id of tenants) {
    await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values (${id}, '', '', 1)`;
    await sql`insert into users (tenant_id, user_id, email, provider, role) values (${id}, 'user', 'a@b.example', 'email', 'member')`;
    await sql`insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, expires_at)
      values (${id}, '\\x01', 'access_token', 'user', '', 'member', now() + ${id === tenants[0] ? '-1 day' : '1 day'}::interval)`;
    await sql`insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
      values (${id}, 'job', 'pending', '{"source_text": "Hello"}', '{}')`;
  }
}

beforeAll(async () => {
  if (partitionCount) return;
  [plain, split] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  for (const { url } of [plain, split]) {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await fill(sql);
    await sql.end();
  }
  await partitionTables(split.ownerUrl, count);
  // The split tables are new ones.
  await migrate(split.ownerUrl, { service: new URL(split.url).username });
});
afterAll(async () => {
  await plain?.drop();
  await split?.drop();
});

/** Definitions of the split tables in the catalog, without names of partitions and of their indexes. */
async function catalogOf({ superuserUrl }: TestDatabase) {
  const sql = openSuperuser(superuserUrl);
  const names = `array['${bigTables.join("','")}']::name[]`;
  const ofTables = `select oid from pg_class where relname = any(${names}) and relnamespace = 'public'::regnamespace`;
  const lines = async (query: string) => (await sql.unsafe(query)).map((row) => String(row['line'])).sort();
  return {
    columns: await lines(`
      select concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attstorage,
        attcollation::regcollation, pg_get_expr(adbin, adrelid)) as line
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid in (${ofTables}) and attnum > 0 and not attisdropped`),
    indexes: await lines(`
      select replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as line from pg_index where indrelid in (${ofTables})`),
    constraints: await lines(`
      select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) as line
      from pg_constraint where conrelid in (${ofTables}) or confrelid in (${ofTables})`),
    triggers: await lines(`
      select pg_get_triggerdef(oid) as line from pg_trigger where tgrelid in (${ofTables}) and not tgisinternal`),
    policies: await lines(`
      select concat_ws(' ', polrelid::regclass, polname, relforcerowsecurity, pg_get_expr(polqual, polrelid)) as line
      from pg_policy join pg_class c on c.oid = polrelid where polrelid in (${ofTables})`),
    views: await lines(`
      select concat_ws(' ', relname, reloptions, pg_get_viewdef(oid)) as line
      from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace and relname !~ '^pg_'`),
  };
}

test.skipIf(partitionCount > 0)(
  'a split table has the columns, keys, indexes, triggers and policies of the plain one',
  async () => {
    const [before, after] = await Promise.all([catalogOf(plain), catalogOf(split)]);
    expect(before.indexes.length).toBeGreaterThan(bigTables.length);
    expect(after).toEqual(before);
    const sql = openSuperuser(split.superuserUrl);
    const partitions = await sql<{ options: string | null; secured: boolean; policies: number }[]>`
    select array_to_string(c.reloptions, ', ') as options, relrowsecurity and relforcerowsecurity as secured,
      (select count(*)::int from pg_policy where polrelid = c.oid) as policies
    from pg_class c where relispartition and relkind = 'r'`;
    expect(partitions).toHaveLength(count * bigTables.length);
    for (const partition of partitions) expect(partition).toMatchObject({ secured: true, policies: 1 });
    const [jobs] =
      await sql`select count(distinct reloptions)::int as kinds, count(*)::int as partitions from pg_class
    where relname ~ '^translation_jobs_p[0-9]+$' and 'autovacuum_vacuum_scale_factor=0.01' = any(reloptions)`;
    expect(jobs).toEqual({ kinds: 1, partitions: count });
  },
);

test.skipIf(partitionCount > 0)(
  'a snapshot of a split database has the tables and rows of a plain one, so that its backup can be restored',
  async () => {
    const contents = ({ ownerUrl }: TestDatabase) =>
      withSnapshot(ownerUrl, 'test', async ({ tables, copyOut }) => {
        const all: Record<string, string[]> = {};
        for (const table of tables) {
          const pieces: Buffer[] = [];
          for await (const piece of copyOut(table)) pieces.push(piece);
          const lines = Buffer.concat(pieces).toString().split('\n');
          // Times differ between the two databases.
          all[table.name] = lines.map((line) => line.split('\t').slice(0, 3).join('\t')).sort();
        }
        return all;
      });
    const [before, after] = [await contents(plain), await contents(split)];
    expect(before['translation_jobs']).toHaveLength(tenants.length + 1);
    for (const name of ['tenants', ...bigTables]) expect(after[name], name).toEqual(before[name]);
    expect(Object.keys(after)).toEqual(Object.keys(before));
  },
);

test.skipIf(partitionCount > 0)(
  'rows in several partitions at the same place expire one by one',
  async () => {
    const database = openDatabase(split.url, { size: 1 });
    onTestFinished(() => database.close());
    const sql = openSuperuser(split.superuserUrl);
    const places = await sql<{ tenant: string }[]>`
    select tenant_id as tenant from tokens where ctid = (select ctid from tokens where expires_at < now())`;
    expect(places.map(({ tenant }) => tenant)).toContain(tenants[0]);
    expect(places).toHaveLength(count);
    expect((await pruneExpired(database)).tokens).toBe(1);
    expect(await sql`select from tokens`).toHaveLength(tenants.length - 1);
  },
);
