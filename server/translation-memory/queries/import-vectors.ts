import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { blockSize } from '../vectors/block.ts';
import { insertRows } from './rows.ts';

interface Import {
  tenantId: string;
  importId: string;
}

/** Says whose vectors a running import has, and drops those of another model; null where it is to have none. */
export async function beginEmbedding(
  tx: Tx,
  { tenantId, importId }: Import,
  model: string | null,
): Promise<void> {
  await tx.execute(sql`
    with other as (
      update memory_imports set embedding_model = ${model}::text, updated_at = now()
      where tenant_id = ${tenantId} and import_id = ${importId} and status = 'running'
        and embedding_model is distinct from ${model}::text
      returning content_id)
    delete from memory_vectors where tenant_id = ${tenantId} and content_id in (select content_id from other)`);
}

/** The next segments of a running import that have no vectors yet, a block's worth of them; none where it has ended. */
export async function selectNextBlock(
  tx: Tx,
  { tenantId, importId }: Import,
): Promise<{ segmentNo: number; sourceText: string }[]> {
  const rows = await tx.execute<{ segment_no: string; source_text: string }>(sql`
    select m.segment_no, m.source_text
    from memory_imports i join memory_segments m on m.tenant_id = i.tenant_id and m.content_id = i.content_id
    where i.tenant_id = ${tenantId} and i.import_id = ${importId} and m.shard_no is distinct from -1
      and m.segment_no > (
        select coalesce(max(segment_nos[cardinality(segment_nos)]), 0) from memory_vectors v
        where v.tenant_id = i.tenant_id and v.content_id = i.content_id)
    order by m.segment_no limit ${blockSize}`);
  return rows.map(({ segment_no, source_text }) => ({
    segmentNo: Number(segment_no),
    sourceText: source_text,
  }));
}

/**
 * Keeps the vectors of a block, where the import still runs and has vectors of the model; and says that somebody is at it.
 */
export async function keepBlock(
  tx: Tx,
  { tenantId, importId }: Import,
  { model, rows }: { model: string; rows: string },
): Promise<'kept' | 'ended' | 'of another model'> {
  const [running] = await tx.execute<{ content_id: string; ours: boolean }>(sql`
    update memory_imports set updated_at = case when embedding_model = ${model} then now() else updated_at end
    where tenant_id = ${tenantId} and import_id = ${importId} and status = 'running'
    returning content_id, embedding_model is not distinct from ${model} as ours`);
  if (!running) return 'ended';
  if (!running.ours) return 'of another model';
  await insertRows(tx, 'vectors', { tenantId, contentId: running.content_id }, rows);
  return 'kept';
}
