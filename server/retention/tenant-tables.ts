import { is, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import * as schema from '#db/schema/index.ts';
import { isInAccount } from '#server/storage/destination.ts';

/** A table with rows of tenants. */
export interface TenantTable {
  name: string;
  /** The tables to whose rows its rows refer. */
  parents: readonly string[];
  /** The addresses of the stored objects to which a row refers, one per line. */
  addresses?: SQL;
}

const addresses: Readonly<Record<string, SQL>> = {
  translation_jobs: sql`golden_uri`,
  document_jobs: sql`concat_ws(E'\\n', golden_uri, failure #>> '{metadata,delivered_to}')`,
  analysis_files: sql`address`,
  document_artifacts: sql`address`,
};

/** Tables whose rows a trigger deletes with those of others. They come before them, so that all rows are counted. */
const withOthers: Readonly<Record<string, readonly string[]>> = {
  review_assignments: ['translation_jobs', 'document_jobs'],
};

/** Tables whose rows of a tenant are not deleted with its other rows: the row of the tenant, and the report. */
const kept: ReadonlySet<string> = new Set(['tenants', 'tenant_deletions']);

/**
 * All tables with rows of tenants, except the tenant's own row. A table comes before those to which it refers, so that
 * no deleted row cascades to an unlimited number of others.
 */
export const tenantTables: readonly TenantTable[] = childrenFirst(
  Object.values(schema).flatMap((table) => {
    if (!is(table, PgTable)) return [];
    const { name, columns, foreignKeys } = getTableConfig(table);
    if (kept.has(name) || !columns.some((column) => column.name === 'tenant_id')) return [];
    const parents = foreignKeys.map((key) => getTableConfig(key.reference().foreignTable).name);
    parents.push(...(withOthers[name] ?? []));
    return [{ name, parents, ...(addresses[name] && { addresses: addresses[name] }) }];
  }),
);

function childrenFirst(tables: readonly TenantTable[]): TenantTable[] {
  const parentsFirst = new Map<string, TenantTable>();
  const add = (table: TenantTable): void => {
    if (parentsFirst.has(table.name)) return;
    for (const parent of tables) if (table.parents.includes(parent.name)) add(parent);
    parentsFirst.set(table.name, table);
  };
  // Added first, so that it is the last one: objects in the tenant's own account can be removed as long as it exists.
  for (const table of tables) if (table.name === 'storage_bindings') add(table);
  for (const table of tables) if (table.name !== 'event_feeds') add(table);
  // Added last, so that it is the first one: without a feed, the deletion of other rows records no events.
  for (const table of tables) add(table);
  return [...parentsFirst.values()].reverse();
}

/** Some rows of a table: their places, and the URLs of their objects. */
interface SomeRows {
  places: string[];
  addresses: string[];
}

/** Selects some rows of a tenant, with the URLs of the objects in the tenant's own account to which they refer. */
export async function selectSomeRows(
  tx: Tx,
  { name, addresses }: TenantTable,
  tenantId: string,
  limit: number,
): Promise<SomeRows> {
  const rows = await tx.execute<{ place: string; addresses: string | null }>(sql`
    select ctid::text as place, ${addresses ?? sql`null`} as addresses from ${sql.identifier(name)}
    where tenant_id = ${tenantId} limit ${limit}::int`);
  return {
    places: rows.map(({ place }) => place),
    addresses: rows.flatMap((row) => row.addresses?.split('\n') ?? []).filter(isInAccount),
  };
}

/** Deletes the rows at these places. A row that was changed in the meantime has another place, and stays. */
export async function deleteRowsAt(
  tx: Tx,
  { name }: TenantTable,
  tenantId: string,
  places: readonly string[],
): Promise<number> {
  const [row] = await tx.execute<{ deleted: number }>(sql`
    with deleted as (
      delete from ${sql.identifier(name)} where tenant_id = ${tenantId} and ctid = any(array(
        select jsonb_array_elements_text(${JSON.stringify(places)}::jsonb)::tid))
      returning 1
    )
    select count(*)::int as deleted from deleted`);
  return row?.deleted ?? 0;
}

/**
 * Deletes some rows of a tenant.
 * @param limit the maximum number of rows
 * @returns the number of deleted rows
 */
export async function deleteSomeRows(
  tx: Tx,
  { name }: TenantTable,
  tenantId: string,
  limit: number,
): Promise<number> {
  const table = sql.identifier(name);
  const [row] = await tx.execute<{ deleted: number }>(sql`
    with deleted as (
      delete from ${table} where tenant_id = ${tenantId} and ctid = any(array(
        select ctid from ${table} where tenant_id = ${tenantId} limit ${limit}::int))
      returning 1
    )
    select count(*)::int as deleted from deleted`);
  return row?.deleted ?? 0;
}

/**
 * Counts the rows of a tenant in each table that has any.
 * @param max the number of rows in a table from which the others are not counted
 */
export async function countRows(
  tx: Tx,
  tenantId: string,
  max: number | null = null,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of tenantTables) {
    const [row] = await tx.execute<{ rows: number }>(sql`
      select count(*)::int as rows from (
        select from ${sql.identifier(name)} where tenant_id = ${tenantId} limit ${max}::int) counted`);
    if (row?.rows) counts[name] = row.rows;
  }
  return counts;
}
