import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Pair } from './language-pair.ts';

/**
 * SQL for the number of segments of a version that grows pair by pair. Each shard stores how many it has, so only segments in
 * no shard are counted: every publication runs it, and must not scan a large memory.
 */
export const segmentsOf = (tenantId: SQL, versionId: SQL): SQL => sql`(
  (select coalesce(sum(d.segments), 0) from memory_shards d
    where d.tenant_id = ${tenantId} and d.content_id = ${versionId})
  + (select count(*) from memory_segments m where m.tenant_id = ${tenantId} and m.content_id = ${versionId}
    and (m.shard_no is null or m.shard_no < 0)))`;

/**
 * SQL for the number of segments that a tenant has of a pair, over all sets: imported sets by their stored counts, running
 * imports by the larger of what they bring and what they leave if they fail, and approved pairs. `without` names a set that is
 * being replaced.
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
        where i.tenant_id = s.tenant_id and i.set_name = s.name and i.status = 'running'
          and i.pair_source = s.pair_source and i.pair_target = s.pair_target))
    + (select coalesce(sum(greatest(i.deduped_units, (select s.entry_count from memory_sets s
        where s.tenant_id = i.tenant_id and s.name = i.set_name
          and s.pair_source = i.pair_source and s.pair_target = i.pair_target))), 0)
      from memory_imports i where ${ofPair} and status = 'running')
    + (select coalesce(sum(${segmentsOf(sql`g.tenant_id`, sql`g.content_id`)}), 0) from (
        select tenant_id, content_id from memory_sets where ${ofPair} and origin = 'golden_approved' offset 0) g))`;
}

/**
 * Counts the sets that a tenant has uploaded, including those whose first import still runs; undefined if one of them has this
 * name. Golden sets do not count: there is at most one for a language pair, and learning must never fail a job.
 */
export async function countSetsBeside(tx: Tx, tenantId: string, name: string): Promise<number | undefined> {
  const [row] = await tx.execute<{ sets: number; named: boolean }>(sql`
    select count(*)::int as sets, coalesce(bool_or(name = ${name}), false) as named from (
      select name from memory_sets where tenant_id = ${tenantId} and origin = 'tmx_import'
      union
      select set_name from memory_imports where tenant_id = ${tenantId} and status = 'running') uploaded`);
  return row?.named ? undefined : row?.sets;
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
