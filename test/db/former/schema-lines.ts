import postgres from 'postgres';

/**
 * Returns the complete schema as lines, for the comparison of two databases. They include graphile-worker's schema and
 * the list of migrations.
 */
export async function describeSchema(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<{ line: string }[]>`
      with own as (select oid, nspname from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema')
      select 'column ' || nspname || '.' || c.relname || '.' || a.attname || ' ' || a.attnum || ' ' ||
        format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || a.attcollation::regcollation || ' ' ||
        coalesce(pg_get_expr(d.adbin, d.adrelid), '') as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid join own on own.oid = c.relnamespace
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
        and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')
      union all select 'index ' || pg_get_indexdef(i.indexrelid) from pg_index i
        join pg_class c on c.oid = i.indexrelid join own on own.oid = c.relnamespace
      union all select 'constraint ' || o.conname || ' ' || pg_get_constraintdef(o.oid) from pg_constraint o
        join own on own.oid = o.connamespace
      union all select 'policy ' || p.polrelid::regclass || ' ' || p.polname || ' ' ||
        pg_get_expr(p.polqual, p.polrelid) from pg_policy p
      union all select 'function ' || nspname || ' ' || pg_get_functiondef(f.oid) from pg_proc f
        join own on own.oid = f.pronamespace and f.prokind = 'f'
        where not exists (select from pg_depend e where e.objid = f.oid and e.deptype = 'e')
      union all select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t
        join pg_class c on c.oid = t.tgrelid join own on own.oid = c.relnamespace where not t.tgisinternal
      union all select 'view ' || pg_get_viewdef(c.oid) from pg_class c
        join own on own.oid = c.relnamespace where c.relkind = 'v'
        and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')
      union all select 'migration ' || hash from drizzle.__drizzle_migrations
      union all select 'worker migration ' || id from graphile_worker.migrations
      order by 1`;
    return rows.map(({ line }) => line);
  } finally {
    await sql.end();
  }
}
