import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { type Pair, segmentsOfPair } from './capacity.ts';
import { deleteVectors } from './embedding.ts';

/** An approved pair. */
export interface LearnedPair extends Pair {
  /** Of the source's normal form, in hexadecimal. */
  hash: string;
  sourceText: string;
  targetText: string;
  /** Whether it may be offered as a close match. */
  offered: boolean;
}

/** Makes a pair's golden set where there is none yet. */
export async function ensureGoldenSet(
  tx: Tx,
  tenantId: string,
  set: Pair & { setId: string; name: string; embeddingModel: string | null },
): Promise<void> {
  await tx.execute(sql`
    insert into memory_sets (tenant_id, set_id, name, source_lang, target_lang, pair_source, pair_target, origin,
      entry_count, embedding_model)
    values (${tenantId}, ${set.setId}, ${set.name}, ${set.pairSource}, ${set.pairTarget}, ${set.pairSource},
      ${set.pairTarget}, 'golden_approved', 0, ${set.embeddingModel})
    on conflict (tenant_id, name) do nothing`);
}

/**
 * Appends the pair of a text job, where `published` holds. Not a second time for one job; of a pair that is full, only
 * corrections of sources that it holds (C 7).
 */
export async function appendPairOfJob(
  tx: Tx,
  tenantId: string,
  { jobId, published }: { jobId: string; published: SQL },
  name: string,
  pair: LearnedPair,
  capacity: number,
): Promise<void> {
  const hash = sql`decode(${pair.hash}, 'hex')`;
  const ofSource = sql`tenant_id = ${tenantId} and source_hash = ${hash} and pair_source = ${pair.pairSource}
    and pair_target = ${pair.pairTarget}`;
  await tx.execute(sql`
    insert into memory_segments (tenant_id, set_id, pair_source, pair_target, source_hash, source_text, target_text,
      changed_at, shard_no, job_id)
    select ${tenantId}, g.set_id, ${pair.pairSource}, ${pair.pairTarget}, ${hash}, ${pair.sourceText},
      ${pair.targetText}, now(), ${pair.offered ? null : -1}::int, ${jobId}
    from memory_sets g
    where g.tenant_id = ${tenantId} and g.name = ${name}
      and ${published}
      and not exists (select from memory_segments where ${ofSource} and job_id = ${jobId}
        and target_text = ${pair.targetText})
      and (exists (select from memory_segments m where ${ofSource})
        or ${segmentsOfPair(tenantId, pair, null)} < ${capacity})`);
}

/** Deletes what was learned from a job; answers how many pairs. */
export async function deletePairsOfJob(tx: Tx, tenantId: string, jobId: string): Promise<number> {
  const removed = await tx.execute<{ s: string; n: string }>(sql`
    delete from memory_segments where tenant_id = ${tenantId} and job_id = ${jobId}
    returning set_id as s, segment_no as n`);
  // A statement of its own, which sees vectors that were stored while the first one waited.
  if (removed.length > 0) await deleteVectors(tx, tenantId, removed);
  return removed.length;
}
