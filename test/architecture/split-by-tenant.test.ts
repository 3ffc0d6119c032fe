import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { bigTables } from '#test/setup/partitions.ts';

/*
 * What it takes to split every tenant table by the tenant: into hash partitions, or onto several servers with Citus
 * (docs/decisions/0105). `bound-statements.nightly.test.ts` checks the statements.
 */

/** Tables that are not split: small, or read before the tenant is known. With Citus, they are reference tables. */
const wholeTables = [
  'credential_directory',
  'maintenance_runs',
  'model_requests',
  'rate_windows',
  'sso_states',
  'store_identity',
  'worker_heartbeats',
];

/** Triggers, and the tables of the same tenant that they change. Each names the tenant in its statements. */
const triggers = {
  'analysis_files.count_deleted': 'row, updates storage_totals',
  'analysis_files.count_inserted': 'row, updates storage_totals',
  'document_artifacts.count_deleted': 'row, updates storage_totals',
  'document_artifacts.count_inserted': 'row, updates storage_totals',
  'document_jobs.delete_assignments': 'statement, deletes from review_assignments',
  'document_jobs.follow_updated': 'row, changes review_assignments',
  'document_jobs.forget_checked_texts': 'statement, updates quality_checks',
  'document_jobs.record_changed': 'row, inserts into events',
  'document_jobs.record_deleted': 'row, inserts into events',
  'document_jobs.record_inserted': 'row, inserts into events',
  'document_jobs.record_updated': 'row, inserts into events',
  'memory_contents.delete_segments': 'row, deletes from memory_segments',
  'memory_imports.record_inserted': 'row, inserts into events',
  'memory_imports.record_updated': 'row, inserts into events',
  'memory_pair_shards.delete_pair_postings': 'statement, deletes from memory_pair_postings',
  'memory_shards.delete_postings': 'statement, deletes from memory_postings',
  'review_assignments.record_inserted': 'row, inserts into events',
  'review_assignments.record_updated': 'row, inserts into events',
  'segment_events.forget_pay_days': 'statement, deletes from review_pay_days',
  'translation_jobs.delete_assignments': 'statement, deletes from review_assignments',
  'translation_jobs.follow_inserted': 'row, changes review_assignments',
  'translation_jobs.follow_updated': 'row, changes review_assignments',
  'translation_jobs.forget_checked_texts': 'statement, updates quality_checks',
  'translation_jobs.record_deleted': 'row, inserts into events',
  'translation_jobs.record_inserted': 'row, inserts into events',
  'translation_jobs.record_updated': 'row, inserts into events',
  'users.take_invited_languages': 'row, inserts into reviewer_profiles',
  'users.unassign_member': 'row, updates review_assignments',
};

let database: TestDatabase;
let sql: postgres.Sql;
/** The names of the tenant tables. */
let tables: string[];
beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
  const all = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;
  tables = all.map(({ name }) => name).filter((name) => !wholeTables.includes(name));
  tables.sort();
  expect(all).toHaveLength(tables.length + wholeTables.length);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

test('every tenant table has the same column for the tenant, which is never null', async () => {
  expect(tables.length).toBeGreaterThan(35);
  const columns = await sql<{ table: string; column: string }[]>`
    select c.relname as table, concat_ws(' ', format_type(atttypid, atttypmod), collname, case when attnotnull then 'not null' end,
      attgenerated, attidentity) as column
    from pg_attribute a join pg_class c on c.oid = attrelid left join pg_collation l on l.oid = attcollation
    where attname = 'tenant_id' and c.relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`;
  const columnOf = new Map(columns.map(({ table, column }) => [table, column.trim()]));
  for (const name of tables) expect([name, columnOf.get(name)]).toEqual([name, 'text C not null']);
});

test('every tenant table has a primary key, and every unique index contains the tenant', async () => {
  const indexes = await sql<
    { table: string; name: string; primary: boolean; columns: string[]; expressions: boolean }[]
  >`
    select c.relname as table, i.relname as name, indisprimary as primary, indexprs is not null as expressions,
      array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey::int[])) as columns
    from pg_index join pg_class c on c.oid = indrelid join pg_class i on i.oid = indexrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition and indisunique`;
  const ofTenants = indexes.filter(({ table }) => tables.includes(table));
  for (const { name, columns, expressions } of ofTenants) {
    expect(columns, name).toContain('tenant_id');
    // PostgreSQL splits no table with a unique index over an expression.
    expect(expressions, name).toBe(false);
  }
  const keyed = ofTenants.filter(({ primary }) => primary).map(({ table }) => table);
  expect(keyed.sort()).toEqual(tables);
});

test('every foreign key pairs the tenant of a row with the tenant of the row that it refers to', async () => {
  const keys = await sql<{ key: string; table: string; referenced: string; pairs: string[] }[]>`
    select conname as key, conrelid::regclass::text as table, confrelid::regclass::text as referenced,
      array(select own.attname || ' = ' || other.attname
        from unnest(conkey, confkey) as pair (here, there)
        join pg_attribute own on own.attrelid = conrelid and own.attnum = here
        join pg_attribute other on other.attrelid = confrelid and other.attnum = there) as pairs
    from pg_constraint where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`;
  expect(keys.length).toBeGreaterThan(25);
  for (const { key, table, referenced, pairs } of keys) {
    expect(pairs, key).toContain('tenant_id = tenant_id');
    expect(tables, key).toContain(table);
    expect(tables, key).toContain(referenced);
  }
  // A foreign key between two split tables has a constraint for each pair of partitions.
  const between = keys.filter(({ table, referenced }) =>
    [table, referenced].every((name) => bigTables.includes(name as never)),
  );
  expect(between).toEqual([]);
});

test('no tenant table has what cannot be split: exclusions, rules, inheritance, identity columns', async () => {
  const found = await sql<{ what: string }[]>`
    select 'exclusion ' || conname as what from pg_constraint where contype = 'x' and connamespace = 'public'::regnamespace
    union all select 'constraint trigger ' || tgname from pg_trigger where tgconstraint <> 0 and not tgisinternal
    union all select 'rule ' || rulename from pg_rewrite join pg_class c on c.oid = ev_class
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
    union all select 'inheritance ' || inhrelid::regclass from pg_inherits join pg_class c on c.oid = inhrelid
      where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    union all select 'identity ' || attrelid::regclass || '.' || attname from pg_attribute join pg_class c on c.oid = attrelid
      where attidentity <> '' and relnamespace = 'public'::regnamespace
    union all select 'unlogged ' || relname from pg_class
      where relpersistence <> 'p' and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`;
  expect(found.map(({ what }) => what)).toEqual(['unlogged rate_windows']);
});

test('triggers are those on the list, and the only sequences order segments and events within a tenant', async () => {
  const existing = await sql<{ name: string; kind: string; body: string }[]>`
    select c.relname || '.' || tgname as name, case when tgtype & 1 = 1 then 'row' else 'statement' end as kind,
      prosrc as body
    from pg_trigger join pg_class c on c.oid = tgrelid join pg_proc p on p.oid = tgfoid
    where not tgisinternal and c.relnamespace = 'public'::regnamespace and not c.relispartition order by 1`;
  expect(existing.map(({ name }) => name)).toEqual(Object.keys(triggers));
  for (const { name, kind, body } of existing) {
    expect(triggers[name as keyof typeof triggers].split(', ')[0], name).toBe(kind);
    for (const statement of body.match(/(insert|update|delete)\s[^;]*/gi) ?? [])
      expect(statement, name).toContain('tenant_id');
  }
  const sequences = await sql`
    select relname as name from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace order by 1`;
  expect(sequences.map(({ name }) => name)).toEqual(['event_sequence', 'memory_segment_no']);
});
