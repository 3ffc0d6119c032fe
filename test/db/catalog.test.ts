import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';

/** The tables without a tenant policy, and the reason for each. All other tables must have a policy. */
const exceptions: Record<string, string> = {
  'public.credential_directory': 'read before the tenant is known: hash → tenant, nothing else',
  'public.rate_windows': 'attempts by bucket and client address, before any tenant is known',
  'public.sso_states': 'sign-ins whose tenant is known only at their end; sealed',
  'public.worker_heartbeats': 'about processes, not tenants',
  'public.maintenance_runs': 'about recurring tasks and the backup, not tenants',
  'public.store_identity': 'about platform storage, not tenants',
  'public.model_requests': 'sums by hour and model over all tenants',
  'drizzle.__drizzle_migrations': 'the record of migrations',
};
/** Schemas of packages, which contain the packages' own tables. */
const foreignSchemas = ['graphile_worker', 'pg_catalog', 'information_schema', 'pg_toast'];

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

interface Table {
  name: string;
  oid: number;
  enabled: boolean;
  forced: boolean;
  policies: string[];
}

async function tables(): Promise<Table[]> {
  return sql<Table[]>`
    select n.nspname || '.' || c.relname as name, c.oid::int as oid, c.relrowsecurity as enabled,
      c.relforcerowsecurity as forced,
      coalesce(array_agg(pg_get_expr(p.polqual, p.polrelid)) filter (where p.oid is not null), '{}') as policies
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    left join pg_policy p on p.polrelid = c.oid
    where c.relkind in ('r', 'p') and not n.nspname = any(${foreignSchemas})
    group by 1, 2, 3, 4 order by 1`;
}

const scope = "( SELECT current_setting('lingualoop.tenant_id'::text, true) AS current_setting)";

test('every table has the tenant policy, forced on its owner too, or a documented exception', async () => {
  const all = await tables();
  expect(all.length).toBeGreaterThanOrEqual(7);
  for (const { name, enabled, forced, policies } of all) {
    if (exceptions[name]) {
      expect(policies, `${name} has a policy: take it off the list of exceptions`).toEqual([]);
      continue;
    }
    expect({ name, enabled, forced }).toEqual({ name, enabled: true, forced: true });
    expect(policies, `${name}: one policy, by the scope`).toHaveLength(1);
    expect(policies[0]).toBe(`((tenant_id === ${scope}) OR (${scope} = '*'::text))`);
  }
  for (const name of Object.keys(exceptions)) expect(all.map((table) => table.name)).toContain(name);
});

test('every foreign key has an index that begins with its columns, for deletes of the referenced row', async () => {
  const missing = await sql<{ key: string }[]>`
    select o.conname as key from pg_constraint o join pg_namespace n on n.oid = o.connamespace
    where o.contype = 'f' and not n.nspname = any(${foreignSchemas}) and not exists (
      select from pg_index i where i.indrelid = o.conrelid and o.conkey::int[] <@ (i.indkey::int[])[0:cardinality(o.conkey) - 1])`;
  expect(missing.map(({ key }) => key)).toEqual([]);
});

test('the owner of the tables is no superuser and cannot bypass policies', async () => {
  const role = new URL(database.ownerUrl).username;
  const [attributes] = await sql`
    select rolsuper, rolbypassrls, rolcreaterole from pg_roles where rolname = ${role}`;
  expect(attributes).toEqual({ rolsuper: false, rolbypassrls: false, rolcreaterole: false });
  const owners = await sql`
    select distinct tableowner from pg_tables where not schemaname = any(${foreignSchemas})`;
  expect(owners.map((row) => row['tableowner'])).toEqual([role]);
});

test('the policy allows an index lookup of a tenant’s rows', async () => {
  await sql.unsafe(`set role "${new URL(database.url).username}"`);
  try {
    await sql.begin(async (tx) => {
      await tx`select set_config('lingualoop.tenant_id', 'x', true)`;
      await tx`set local enable_seqscan = off`;
      const plan = await tx`explain select * from translation_jobs where tenant_id = 'x' and job_id = 'y'`;
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).toMatch(/Index Scan using translation_jobs_/);
      expect(text).toMatch(/Index Cond:.*tenant_id = 'x'/);
    });
  } finally {
    await sql`reset role`;
  }
});
