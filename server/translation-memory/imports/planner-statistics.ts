import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';

/** After an import, which is stored whatever becomes of this. */
export async function updateStatistics(
  { database, log }: Services,
  tenantId: string,
  segments: number,
): Promise<void> {
  await database
    .inTenant(tenantId, (tx) => refreshStatistics(tx, segments))
    .catch((error: unknown) =>
      log.warn({ error: describeForLog(error) }, 'statistics of the memory were not refreshed'),
    );
}

/**
 * Tells the planner of many new rows where the tables are small beside them. PostgreSQL's own look comes up to a minute
 * later, and until then all indexes that begin with the tenant look alike to it: a lookup by hash went through all of a
 * tenant's segments.
 */
async function refreshStatistics(tx: Tx, segments: number): Promise<void> {
  const [row] = await tx.execute<{ known: number }>(
    sql`select reltuples::float8 as known from pg_class where oid = 'memory_segments'::regclass`,
  );
  if (row && row.known > 10 * segments) return;
  await tx.execute(sql`analyze memory_segments, memory_postings, memory_shards, memory_sets`);
}
