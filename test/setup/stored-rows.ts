import { sql as drizzle } from 'drizzle-orm';
import type postgres from 'postgres';
import { expect } from 'vitest';
import type { Tx } from '#db/client.ts';
import { openSuperuser } from './database.ts';

/** A database, a table, and the columns to read. */
interface Stored {
  superuserUrl: string;
}

export interface StoredRow {
  table: string;
  row: string;
}

/** All rows of all tables, as text. Byte strings are in hexadecimal. */
export async function everyRow(sql: postgres.Sql): Promise<StoredRow[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where relkind in ('r', 'p') and not relispartition and nspname !~ '^(pg_|information_schema$)'
    order by 1`;
  expect(tables.length).toBeGreaterThan(10);
  const rows: StoredRow[] = [];
  for (const { name } of tables) {
    const found = await sql.unsafe<{ row: string }[]>(`select t::text as row from ${name} t order by 1`);
    for (const { row } of found) rows.push({ table: name, row });
  }
  return rows;
}

/** The content of all tables of the service as one text. */
export async function contentsOf({ superuserUrl }: Stored): Promise<string> {
  const rows = await everyRow(openSuperuser(superuserUrl));
  return JSON.stringify(rows.filter(({ table }) => table.startsWith('public.')));
}

export async function countRows(sql: postgres.Sql, tables: string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await sql.unsafe<{ rows: number }[]>(`select count(*)::int as rows from ${table}`);
    counts[table] = row?.rows ?? Number.NaN;
  }
  return counts;
}

/**
 * The rows of some tables that the connection has read so far, to compare within a transaction: a bound of a plan that does
 * not depend on the load of the machine.
 */
export async function rowsRead(tx: Tx, tables: string[]): Promise<number> {
  const [row] = await tx.execute<{ rows: number }>(drizzle`
    select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int as rows
    from pg_stat_xact_user_tables
    where relname = any(array(select json_array_elements_text(${JSON.stringify(tables)}::json)))`);
  return row?.rows ?? Number.NaN;
}

/** The events of one action in a tenant's audit log, oldest first. */
export async function eventsOf({ superuserUrl }: Stored, tenantId: string, action: string) {
  const rows = await openSuperuser(superuserUrl)`
    select actor_kind, actor_id, target, details, address, request_id from audit_log
    where tenant_id = ${tenantId} and action = ${action} order by event_id`;
  return rows.map((row) => ({
    actor: row['actor_id'] === null ? row['actor_kind'] : [row['actor_kind'], row['actor_id']],
    target: row['target'],
    details: row['details'],
    address: row['address'],
    requestId: row['request_id'],
  }));
}

/** All events in a tenant's audit log, oldest first. */
export async function auditOf(superuserUrl: string, { tenantId }: { tenantId: string }) {
  const rows = await openSuperuser(superuserUrl)`
    select action, actor_kind, details from audit_log
    where tenant_id = ${tenantId} order by event_id`;
  return rows.map(({ action, actor_kind: actor, details }) => ({ action, actor, details }));
}
