import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type { CallScope, Embedder } from '#server/platform/engines/engine.ts';
import { fieldEnd, insertRows, type RowPart, rowEnd } from '../packed-rows.ts';
import { base64, blockOf, blockSize, embedTexts } from '../vector-blocks.ts';

/** The vectors of a set, with the name of the model that created them. */
interface EmbeddedFile {
  model: string;
  parts: RowPart[];
}

/**
 * Returns the vectors of a file whose segments are stored in the same request; null without an embedding model.
 * @throws AppError 502
 */
export async function embedFile(
  { embedder }: Pick<Services, 'embedder'>,
  scope: SlotScope,
  file: readonly RowPart[],
): Promise<EmbeddedFile | null> {
  if (!embedder) return null;
  const parts: RowPart[] = [];
  for (const { kind, rows } of file)
    if (kind === 'segments') parts.push({ kind: 'vectors', rows: await embedRows(embedder, rows, scope) });
  return { model: embedder.model, parts };
}

/**
 * Creates the vectors of an import in progress, block by block: if a worker is killed, the next one creates only the
 * missing vectors. Deletes the vectors of another model, or all vectors if no model is configured now.
 * @throws AppError 502; another error if a worker with a different model has taken the import: the caller must retry
 */
export async function embedImport(
  { database, embedder }: Pick<Services, 'database' | 'embedder'>,
  tenantId: string,
  importId: string,
): Promise<void> {
  const of = { tenantId, importId };
  await database.inTenant(tenantId, (tx) => beginEmbedding(tx, of, embedder?.model ?? null));
  if (!embedder) return;
  const { model } = embedder;
  for (;;) {
    const segments = await database.inTenant(tenantId, (tx) => selectNextBlock(tx, of));
    if (segments.length === 0) return;
    const rows = await embedBlock(embedder, segments, { tenantId });
    const kept = await database.inTenant(tenantId, (tx) => keepBlock(tx, of, { model, rows }));
    if (kept === 'ended') return;
    if (kept === 'of another model')
      throw new Error('another worker computes the embeddings of this import with a different model');
  }
}

interface Import {
  tenantId: string;
  importId: string;
}

/**
 * Stores the name of the embedding model with an import in progress (null for none), and deletes vectors of other
 * models.
 */
async function beginEmbedding(tx: Tx, { tenantId, importId }: Import, model: string | null): Promise<void> {
  await tx.execute(sql`
    with other as (
      update memory_imports set embedding_model = ${model}::text, updated_at = now()
      where tenant_id = ${tenantId} and import_id = ${importId} and status = 'running'
        and embedding_model is distinct from ${model}::text
      returning content_id)
    delete from memory_vectors where tenant_id = ${tenantId} and content_id in (select content_id from other)`);
}

/**
 * Returns the next block of segments of an import in progress that have no vectors yet; empty if the import has ended.
 */
async function selectNextBlock(
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
 * Stores the vectors of a block if the import is still in progress with this model, and updates `updated_at` to show
 * that a worker is active.
 */
async function keepBlock(
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
  await insertRows(tx, 'vectors', { tenantId, versionId: running.content_id }, rows);
  return 'kept';
}

/** A segment that may be offered as a match. */
interface Segment {
  segmentNo: number;
  sourceText: string;
}

/**
 * Returns the vectors of packed segments, also packed, one row for each block. Segments that are too long to be offered
 * as matches get no vectors.
 * @throws AppError 502 if the model does not respond
 */
async function embedRows(embedder: Embedder, rows: string, scope: CallScope): Promise<string> {
  const offered = rows.split(rowEnd).flatMap((row): Segment[] => {
    const [segmentNo, , sourceText, , , , shardNo] = row.split(fieldEnd);
    return sourceText && shardNo !== '-1' ? [{ segmentNo: Number(segmentNo), sourceText }] : [];
  });
  let packed = '';
  for (let from = 0; from < offered.length; from += blockSize)
    packed += await embedBlock(embedder, offered.slice(from, from + blockSize), scope);
  return packed;
}

/** Returns the vectors of one block of segments, as one packed row. @throws AppError 502 if the model does not respond */
async function embedBlock(
  embedder: Embedder,
  segments: readonly Segment[],
  scope: CallScope,
): Promise<string> {
  const texts = segments.map(({ sourceText }) => normalForm(sourceText));
  const vectors = await embedTexts(embedder, texts, scope).catch((error: unknown) => {
    throw backendUnavailable(error);
  });
  const block = blockOf(segments, vectors);
  return `{${block.segmentNos.join()}}${fieldEnd}${base64(block.codes)}${fieldEnd}${base64(block.vectors)}${rowEnd}`;
}

function backendUnavailable(cause: unknown): AppError {
  return new AppError(
    'import_backend_unavailable',
    'memory import backend unavailable: the embedding model returned no usable response; nothing was imported, send the file again later',
    { cause },
  );
}
