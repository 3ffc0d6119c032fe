import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { releaseBytes } from '#server/platform/sandbox/release-bytes.ts';
import type { RowPiece } from '#server/platform/sandbox/tasks/index-memory.ts';
import type { MemoryPiece } from '#server/platform/sandbox/tasks/read-memory.ts';
import type { SetVersion } from './versions.ts';

/**
 * The kinds of packed rows. A child process creates them from a file, and PostgreSQL unpacks them
 * (`server/platform/sandbox/tasks/index-memory.ts`).
 */
type RowKind = 'segments' | 'shards' | 'postings' | 'vectors';

/**
 * Stores one part of the rows. Shards must be stored before their postings. A block of vectors that already exists is
 * identical and is skipped: if two workers run the same import, the slower one repeats the blocks of the faster.
 */
export async function insertRows(tx: Tx, kind: RowKind, of: SetVersion, rows: string): Promise<void> {
  await tx.execute(statements[kind](of, unpack(rows)));
}

/** The separator between the fields of a packed row, and the separator between rows. */
export const fieldEnd = '\u001f';
export const rowEnd = '\u001e';

/**
 * SQL that unpacks the sandbox's rows into arrays `f` of text fields. With `offset 0`, each row is split once instead
 * of once for each field.
 */
export function unpack(rows: string): SQL {
  return sql`(select string_to_array(line, E'\\x1f') as f from string_to_table(${rows}::text, E'\\x1e') line where line <> '' offset 0) rows`;
}

const statements: Record<RowKind, (of: SetVersion, rows: SQL) => SQL> = {
  segments: ({ tenantId, versionId }, rows) => sql`
    insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, tuid,
      changed_at, shard_no, context_before, context_after)
    select ${tenantId}, ${versionId}, f[1]::bigint, decode(f[2], 'hex'), f[3], f[4], nullif(f[5], ''),
      nullif(f[6], '')::timestamptz, nullif(f[7], '')::integer, decode(nullif(f[8], ''), 'hex'), decode(nullif(f[9], ''), 'hex')
    from ${rows}`,
  shards: ({ tenantId, versionId }, rows) => sql`
    insert into memory_shards (tenant_id, content_id, shard_no, segments, length_marks, segment_nos)
    select ${tenantId}, ${versionId}, f[1]::integer, f[2]::integer, decode(f[3], 'base64'), decode(f[4], 'base64')
    from ${rows}`,
  postings: ({ tenantId, versionId }, rows) => sql`
    insert into memory_postings (tenant_id, content_id, shard_no, bucket, count, ordinals)
    select ${tenantId}, ${versionId}, f[1]::integer, f[2]::integer, f[3]::integer, decode(f[4], 'base64')
    from ${rows}`,
  vectors: ({ tenantId, versionId }, rows) => sql`
    insert into memory_vectors (tenant_id, content_id, block_no, segment_nos, codes, vectors)
    select ${tenantId}, ${versionId}, (f[1]::bigint[])[1], f[1]::bigint[], decode(f[2], 'base64'), decode(f[3], 'base64')
    from ${rows}
    on conflict do nothing`,
};

/** Packed rows for one statement. */
export interface RowPart {
  kind: RowKind;
  rows: string;
}

const utf8 = new TextDecoder();

/** Collects all parts in memory. Only for small files. */
export async function collectParts(parts: AsyncIterable<RowPart>): Promise<RowPart[]> {
  const all: RowPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** Yields those pieces that are rows, as text. */
export async function* rowParts(pieces: AsyncIterable<MemoryPiece | RowPiece>): AsyncGenerator<RowPart> {
  for await (const piece of pieces) {
    if (!('rows' in piece)) continue;
    const rows = utf8.decode(piece.rows);
    releaseBytes(piece.rows);
    yield { kind: piece.kind, rows };
  }
}
