import postgres from 'postgres';

/** The tables that grow with the work of a workspace. */
export const bigTables = [
  'translation_jobs',
  'usage_records',
  'audit_log',
  'tokens',
  'memory_segments',
  'memory_postings',
  'memory_pair_postings',
  'memory_vectors',
  'document_segments',
  'document_artifacts',
  'recognized_pages',
  'segment_events',
] as const;

/** The number of partitions of each big table in the databases of this test run; 0 if the tables are plain. */
export const partitionCount = Number.parseInt(process.env['TEST_PARTITIONS'] ?? '0', 10);

/** The tables that are split in this test run: the big ones, or with a value such as `TEST_PARTITIONS=4,all` all. */
export const splitTables = process.env['TEST_PARTITIONS']?.endsWith(',all') ? 'all' : bigTables;

/**
 * Replaces each of `tables`, or all tables of tenants, with one of the same name and the same rows that is split by the hash of `tenant_id` into
 * `count` partitions. Keeps columns, indexes and their names, constraints, triggers, views, row-level policies and the
 * options of the storage. Everything happens in one transaction, which locks the tables.
 * @param url the URL of a migrated database, with the role that owns its tables
 */
export async function partitionTables(
  url: string,
  count: number,
  tables: readonly string[] | 'all' = bigTables,
): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.begin(async (tx) => {
      // The scope of the platform: otherwise the copy of a table would have no rows.
      await tx`select set_config('lingualoop.tenant_id', '*', true)`;
      for (const table of tables === 'all' ? await tenantTables(tx) : tables)
        await partitionTable(tx, table, count);
    });
  } finally {
    await sql.end();
  }
}

async function tenantTables(tx: postgres.TransactionSql): Promise<string[]> {
  const rows = await tx<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relrowsecurity order by 1`;
  return rows.map(({ name }) => name);
}

async function partitionTable(tx: postgres.TransactionSql, table: string, count: number): Promise<void> {
  const run = (statement: string) => tx.unsafe(statement);
  const definitions = async (query: string) => (await run(query)).map((row) => String(row['definition']));
  const oid = `'${table}'::regclass`;
  const [found] = await run(`select relkind, reloptions from pg_class where oid = ${oid}`);
  if (found?.['relkind'] !== 'r') throw new Error(`${table} is no plain table`);
  const options: string[] | null = found['reloptions'];

  const views = await run(`
    select distinct c.oid, c.relname as name, pg_get_viewdef(c.oid) as query, c.reloptions as options
    from pg_depend d join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
    join pg_class c on c.oid = r.ev_class where d.refobjid = ${oid} and c.relkind = 'v' order by c.oid`);
  const keys = await definitions(`
    select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as definition
    from pg_constraint where contype = 'f' and conparentid = 0 and (conrelid = ${oid} or confrelid = ${oid}) order by oid`);
  // In the order of their creation: of indexes that seem to cost the same, PostgreSQL uses the youngest.
  const indexes = await definitions(`
    select coalesce(
      (select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(o.oid))
       from pg_constraint o where o.conindid = i.indexrelid and o.contype in ('p', 'u') and o.conrelid = i.indrelid),
      pg_get_indexdef(i.indexrelid)) as definition
    from pg_index i where i.indrelid = ${oid} order by i.indexrelid`);
  const triggers = await definitions(`
    select pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = ${oid} and not tgisinternal order by oid`);

  for (const { name } of views) await run(`drop view ${name}`);
  for (const key of keys)
    await run(key.replace(/^(alter table \S+) add (constraint \S+) .*$/s, '$1 drop $2'));
  await run(`alter table ${table} rename to ${table}_whole`);
  await run(
    `create table ${table} (like ${table}_whole including all excluding indexes) partition by hash (tenant_id)`,
  );
  for (let remainder = 0; remainder < count; remainder++)
    await run(`create table ${table}_p${remainder} partition of ${table}
      for values with (modulus ${count}, remainder ${remainder}) ${options ? `with (${options.join(', ')})` : ''}`);
  const [copied] = await run(`
    select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
    where attrelid = '${table}_whole'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`);
  await run(
    `insert into ${table} (${copied?.['columns']}) select ${copied?.['columns']} from ${table}_whole`,
  );
  // Without the table go its indexes, whose names the new ones get.
  await run(`drop table ${table}_whole`);
  for (const index of indexes) await run(index);
  for (const trigger of triggers) await run(trigger);
  for (const key of keys) await run(key);
  for (const { name, query, options: viewOptions } of views)
    await run(`create view ${name} ${viewOptions ? `with (${viewOptions.join(', ')})` : ''} as ${query}`);
  // A policy of the table does not bind statements that name a partition.
  await run(`select protect_tenant_table(${oid})`);
  await run(`select protect_tenant_table(inhrelid::regclass) from pg_inherits where inhparent = ${oid}`);
}
