import type { Services } from '#server/context.ts';
import type { ShareScope } from '#server/fair-share.ts';
import type { ReadMemory } from '#server/sandbox/index.ts';
import { beginEmbedding, keepVectors, selectPartRows } from '../queries/import-vectors.ts';
import { embedRows } from '../vectors/embed-rows.ts';
import { rowParts } from './row-parts.ts';

/** The vectors of a set, and whose they are. */
export interface EmbeddedFile {
  model: string;
  /** Packed rows, for each part of the segments. */
  parts: string[];
}

/**
 * The vectors of a file that is stored at once; null without an embedding model.
 * @throws AppError 502 (B 4.5)
 */
export async function embedFile(
  { embedder }: Services,
  scope: ShareScope,
  read: ReadMemory,
): Promise<EmbeddedFile | null> {
  if (!embedder) return null;
  const parts: string[] = [];
  for (const rows of rowParts(read.segmentRows, read.ends))
    parts.push(await embedRows(embedder, rows, scope));
  return { model: embedder.model, parts };
}

/**
 * Makes the vectors of a running import, part by part, and keeps them with it: whoever takes over from a killed worker makes
 * those that are missing. Those of another model, or without any model now, are thrown away.
 * @throws AppError 502 (B 4.5)
 */
export async function embedImport(
  { database, embedder }: Services,
  tenantId: string,
  importId: string,
): Promise<void> {
  const waiting = await database.inTenant(tenantId, (tx) =>
    beginEmbedding(tx, tenantId, importId, embedder?.model ?? null),
  );
  if (!embedder) return;
  for (const partNo of waiting) {
    const part = { tenantId, importId, partNo };
    const rows = await database.inTenant(tenantId, (tx) => selectPartRows(tx, part));
    if (rows === undefined) return;
    const vectors = await embedRows(embedder, rows, { tenantId });
    await database.inTenant(tenantId, (tx) => keepVectors(tx, part, { model: embedder.model, vectors }));
  }
}
