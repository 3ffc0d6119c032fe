import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** The vectors of a part of segments are a part of their own, of its number and so many more: behind all that was read. */
const vectorsAfter = 1_000_000;

interface Part {
  tenantId: string;
  importId: string;
  partNo: number;
}

/**
 * Says whose vectors a running import keeps, and drops those of another model. Answers the parts of segments that have none yet;
 * without a model, that is no use.
 */
export async function beginEmbedding(
  tx: Tx,
  tenantId: string,
  importId: string,
  model: string | null,
): Promise<number[]> {
  await tx.execute(sql`
    with other as (
      update memory_imports set embedding_model = ${model}::text, updated_at = now()
      where tenant_id = ${tenantId} and import_id = ${importId} and status = 'running'
        and embedding_model is distinct from ${model}::text
      returning 1)
    delete from memory_import_parts where tenant_id = ${tenantId} and import_id = ${importId} and kind = 'vectors'
      and exists (select from other)`);
  const rows = await tx.execute<{ part_no: number }>(sql`
    select part_no from memory_import_parts p
    where tenant_id = ${tenantId} and import_id = ${importId} and kind = 'segments' and not exists (
      select from memory_import_parts v where v.tenant_id = ${tenantId} and v.import_id = ${importId}
        and v.part_no = p.part_no + ${vectorsAfter})
    order by part_no`);
  return rows.map(({ part_no }) => part_no);
}

/** The rows of one part; undefined where the import has ended. */
export async function selectPartRows(
  tx: Tx,
  { tenantId, importId, partNo }: Part,
): Promise<string | undefined> {
  const [row] = await tx.execute<{ rows: string }>(sql`
    select rows from memory_import_parts
    where tenant_id = ${tenantId} and import_id = ${importId} and part_no = ${partNo}`);
  return row?.rows;
}

/** Keeps the vectors of a part while the import runs, and says that somebody is at it. */
export async function keepVectors(
  tx: Tx,
  { tenantId, importId, partNo }: Part,
  vectors: string,
): Promise<void> {
  await tx.execute(sql`
    with running as (
      update memory_imports set updated_at = now()
      where tenant_id = ${tenantId} and import_id = ${importId} and status = 'running' returning 1)
    insert into memory_import_parts (tenant_id, import_id, part_no, kind, rows)
    select ${tenantId}, ${importId}, ${partNo + vectorsAfter}::integer, 'vectors', ${vectors}::text from running
    on conflict do nothing`);
}
