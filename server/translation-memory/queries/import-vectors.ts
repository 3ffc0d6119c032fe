import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

interface Part {
  tenantId: string;
  importId: string;
  partNo: number;
}

/**
 * Says whose vectors a running import keeps, and drops those of another model. Answers the parts that have none; without a model,
 * that is no use.
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
    update memory_import_parts set vectors = null
    where tenant_id = ${tenantId} and import_id = ${importId} and vectors is not null and exists (select from other)`);
  const rows = await tx.execute<{ part_no: number }>(sql`
    select part_no from memory_import_parts
    where tenant_id = ${tenantId} and import_id = ${importId} and vectors is null
    order by part_no`);
  return rows.map(({ part_no }) => part_no);
}

/** The segments of one part; undefined where the import has ended. */
export async function selectPartRows(
  tx: Tx,
  { tenantId, importId, partNo }: Part,
): Promise<string | undefined> {
  const [row] = await tx.execute<{ rows: string }>(sql`
    select rows from memory_import_parts
    where tenant_id = ${tenantId} and import_id = ${importId} and part_no = ${partNo}`);
  return row?.rows;
}

/** Keeps the vectors of a part with it, unless the import is of another model by now; and says that somebody is at it. */
export async function keepVectors(
  tx: Tx,
  { tenantId, importId, partNo }: Part,
  { model, vectors }: { model: string; vectors: string },
): Promise<void> {
  await tx.execute(sql`
    with running as (
      update memory_imports set updated_at = now()
      where tenant_id = ${tenantId} and import_id = ${importId} and status = 'running' and embedding_model = ${model}
      returning 1)
    update memory_import_parts set vectors = ${vectors}
    where tenant_id = ${tenantId} and import_id = ${importId} and part_no = ${partNo} and exists (select from running)`);
}
