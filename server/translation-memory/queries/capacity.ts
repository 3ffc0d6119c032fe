import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** A language pair by the languages that its codes stand for. */
export interface Pair {
  pairSource: string;
  pairTarget: string;
}

/**
 * The segments that a tenant has of a pair, over all sets, as an expression: imports by their counts, those that still run
 * by what they are to bring, and approved pairs. `without` is a set's name that is being replaced.
 */
export function segmentsOfPair(
  tenantId: string,
  { pairSource, pairTarget }: Pair,
  without: string | null,
): SQL {
  const ofPair = sql`tenant_id = ${tenantId} and pair_source = ${pairSource} and pair_target = ${pairTarget}`;
  return sql`(
    (select coalesce(sum(entry_count), 0) from memory_sets s where ${ofPair} and origin = 'tmx_import'
      and name is distinct from ${without}::text and not exists (select from memory_imports i
        where i.tenant_id = s.tenant_id and i.set_name = s.name and i.status = 'running'))
    + (select coalesce(sum(deduped_units), 0) from memory_imports where ${ofPair} and status = 'running')
    + (select count(*) from memory_segments m join memory_sets g using (tenant_id, set_id)
      where g.tenant_id = ${tenantId} and g.pair_source = ${pairSource} and g.pair_target = ${pairTarget}
        and g.origin = 'golden_approved' and m.tenant_id = ${tenantId}))`;
}

export async function countSegmentsOfPair(
  tx: Tx,
  tenantId: string,
  pair: Pair,
  without: string | null,
): Promise<number> {
  const [row] = await tx.execute<{ count: string }>(
    sql`select ${segmentsOfPair(tenantId, pair, without)} as count`,
  );
  return Number(row?.count ?? 0);
}

/** One change of a tenant's memory at a time: what is counted must not change before it is used. */
export async function lockMemory(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`memory:${tenantId}`}, 0))`);
}
