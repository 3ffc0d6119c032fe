import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';

/**
 * Updates PostgreSQL's planner statistics after an import. A failure is only logged, because the import is already
 * stored.
 */
export async function updateStatistics(
  { database, log }: Pick<Services, 'database' | 'log'>,
  tenantId: string,
  segments: number,
): Promise<void> {
  await database
    .inTenant(tenantId, (tx) => refreshStatistics(tx, segments))
    .catch((error: unknown) =>
      log.warn({ error: describeForLog(error) }, 'could not update the statistics of the memory tables'),
    );
}

/**
 * Analyzes the tables if there are many new rows, compared with the rows in the planner's statistics. Autovacuum would
 * analyze them up to a minute later. Until then the planner cannot choose between the indexes that begin with the
 * tenant: a lookup by hash would scan all segments of the tenant.
 */
async function refreshStatistics(tx: Tx, segments: number): Promise<void> {
  const [row] = await tx.execute<{ known: number }>(
    sql`select reltuples::float8 as known from pg_class where oid = 'memory_segments'::regclass`,
  );
  if (row && row.known > 10 * segments) return;
  await tx.execute(sql`analyze memory_segments, memory_postings, memory_shards, memory_sets`);
}
