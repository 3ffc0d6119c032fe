import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/**
 * Tells the planner of many new rows where the tables are small beside them. PostgreSQL's own look comes up to a minute
 * later, and until then all indexes that begin with the tenant look alike to it: a lookup by hash went through all of a
 * tenant's segments.
 */
export async function refreshStatistics(tx: Tx, segments: number): Promise<void> {
  const [row] = await tx.execute<{ known: number }>(
    sql`select reltuples::float8 as known from pg_class where oid = 'memory_segments'::regclass`,
  );
  if (row && row.known > 10 * segments) return;
  await tx.execute(sql`analyze memory_segments, memory_postings, memory_shards, memory_sets`);
}
