import type { ShareScope } from '#server/concurrency-limit.ts';
import type { Services } from '#server/context.ts';
import { beginEmbedding, keepBlock, selectNextBlock } from '../queries/import-vectors.ts';
import { embedBlock, embedRows } from '../vectors/embed-rows.ts';
import type { RowPart } from './read-file.ts';

/** The vectors of a set, and whose they are. */
export interface EmbeddedFile {
  model: string;
  parts: RowPart[];
}

/**
 * The vectors of a file that is stored at once; null without an embedding model.
 * @throws AppError 502 (B 4.5)
 */
export async function embedFile(
  { embedder }: Services,
  scope: ShareScope,
  file: readonly RowPart[],
): Promise<EmbeddedFile | null> {
  if (!embedder) return null;
  const parts: RowPart[] = [];
  for (const { kind, rows } of file)
    if (kind === 'segments') parts.push({ kind: 'vectors', rows: await embedRows(embedder, rows, scope) });
  return { model: embedder.model, parts };
}

/**
 * Makes the vectors of a running import, block by block: whoever takes over from a killed worker makes those that are missing.
 * Those of another model, or without any model now, are thrown away.
 * @throws AppError 502 (B 4.5); an error where another model's worker is at it, to be tried again
 */
export async function embedImport(
  { database, embedder }: Services,
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
    if (kept === 'of another model') throw new Error('another worker makes its vectors by another model');
  }
}
