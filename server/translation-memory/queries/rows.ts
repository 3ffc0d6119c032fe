import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** The set that rows are put into. */
export interface Destination {
  tenantId: string;
  setId: string;
  pairSource: string;
  pairTarget: string;
}

/** What a file was read into: packed rows, unpacked by PostgreSQL (`server/sandbox/tasks/memory/packed-rows.ts`). */
export type RowKind = 'segments' | 'shards' | 'postings' | 'vectors';

/** Stores one part of the rows. Shards go before their postings. */
export async function insertRows(tx: Tx, kind: RowKind, to: Destination, rows: string): Promise<void> {
  await tx.execute(statements[kind](to, unpack(sql`${rows}::text`)));
}

/** Stores a part of the segments that a running import keeps, and their vectors, without bringing it here. */
export async function insertStoredSegments(
  tx: Tx,
  to: Destination,
  part: { importId: string; partNo: number },
): Promise<void> {
  const kept = (column: SQL) => sql`(select ${column} from memory_import_parts
    where tenant_id = ${to.tenantId} and import_id = ${part.importId} and part_no = ${part.partNo})`;
  await tx.execute(statements.segments(to, unpack(kept(sql`rows`))));
  await tx.execute(statements.vectors(to, unpack(kept(sql`vectors`))));
}

/** Rows `f` of text fields, from how the sandbox packs them. `offset 0`: each row is cut up once, not for each field. */
function unpack(rows: SQL): SQL {
  return sql`(select string_to_array(line, E'\\x1f') as f from string_to_table(${rows}, E'\\x1e') line where line <> '' offset 0) rows`;
}

const statements: Record<RowKind, (to: Destination, rows: SQL) => SQL> = {
  segments: ({ tenantId, setId, pairSource, pairTarget }, rows) => sql`
    insert into memory_segments (tenant_id, set_id, segment_no, pair_source, pair_target, source_hash, source_text,
      target_text, tuid, changed_at, shard_no, ordinal)
    select ${tenantId}, ${setId}, f[1]::bigint, ${pairSource}, ${pairTarget}, decode(f[2], 'hex'), f[3], f[4],
      nullif(f[5], ''), nullif(f[6], '')::timestamptz, nullif(f[7], '')::integer, nullif(f[8], '')::integer
    from ${rows}`,
  shards: ({ tenantId, setId, pairSource, pairTarget }, rows) => sql`
    insert into memory_shards (tenant_id, set_id, shard_no, pair_source, pair_target, segments, length_marks)
    select ${tenantId}, ${setId}, f[1]::integer, ${pairSource}, ${pairTarget}, f[2]::integer, decode(f[3], 'base64')
    from ${rows}`,
  postings: ({ tenantId, setId }, rows) => sql`
    insert into memory_postings (tenant_id, set_id, shard_no, bucket, count, ordinals)
    select ${tenantId}, ${setId}, f[1]::integer, f[2]::integer, f[3]::integer, decode(f[4], 'base64')
    from ${rows}`,
  vectors: ({ tenantId, setId, pairSource, pairTarget }, rows) => sql`
    insert into memory_vectors (tenant_id, set_id, block_no, pair_source, pair_target, segment_nos, codes, vectors)
    select ${tenantId}, ${setId}, (f[1]::bigint[])[1], ${pairSource}, ${pairTarget}, f[1]::bigint[],
      decode(f[2], 'base64'), decode(f[3], 'base64')
    from ${rows}`,
};
