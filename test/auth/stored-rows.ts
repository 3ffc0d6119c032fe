import type postgres from 'postgres';

export interface StoredRow {
  table: string;
  row: string;
}

/** Every row of every table, as text. Byte strings show in hexadecimal. */
export async function everyRow(sql: postgres.Sql): Promise<StoredRow[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name
    from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    order by 1`;
  const rows: StoredRow[] = [];
  for (const { name } of tables) {
    const found = await sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t order by 1`);
    for (const { row } of found) rows.push({ table: name, row });
  }
  return rows;
}

export async function countRows(sql: postgres.Sql, tables: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql.unsafe<{ rows: number }[]>(`select count(*)::int as rows from ${table}`);
    counts[table] = row?.rows ?? Number.NaN;
  }
  return counts;
}
