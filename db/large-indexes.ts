import type postgres from 'postgres';

/**
 * Indexes of tables that may hold many rows when they are added. A migration would build them in its transaction, and nobody
 * could write to the table meanwhile, 2 s for a million jobs, an hour for many. These are built beside the writers
 * (docs/decisions/0037). They are declared in `db/schema` too; the migrations leave them out.
 */
const largeIndexes: Readonly<Record<string, string>> = {
  translation_jobs_status_idx: 'translation_jobs (tenant_id, status, updated_at, job_id)',
};

/**
 * Indexes that were given up. A migration would drop them in its transaction, and hold their table, which each admission reads,
 * until it is done.
 */
const formerIndexes = ['usage_totals_day_idx'];

/**
 * Builds the large indexes that are missing, anew those whose building broke off, and drops those that were given up. One
 * process at a time, outside of any transaction; it waits for the transactions that are open when it begins, and so must have no
 * `lock_timeout`.
 */
export async function buildLargeIndexes(sql: postgres.Sql): Promise<void> {
  const found = await sql<{ name: string; valid: boolean }[]>`
    select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = 'public'::regnamespace and c.relname = any(${[...formerIndexes, ...Object.keys(largeIndexes)]})`;
  const validity = new Map(found.map(({ name, valid }) => [name, valid]));
  for (const name of formerIndexes)
    if (validity.has(name)) await sql.unsafe(`drop index concurrently ${name}`);
  for (const [name, definition] of Object.entries(largeIndexes)) {
    if (validity.get(name)) continue;
    if (validity.has(name)) await sql.unsafe(`drop index concurrently ${name}`);
    await sql.unsafe(`create index concurrently ${name} on ${definition}`);
  }
}
