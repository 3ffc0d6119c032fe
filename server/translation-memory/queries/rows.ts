import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** The set that rows are put into. */
export interface Destination {
  tenantId: string;
  setId: string;
  pairSource: string;
  pairTarget: string;
}

/** What a file was read into: rows as JSON arrays, unpacked by PostgreSQL (`server/sandbox/tasks/memory`). */
export type RowKind = 'segments' | 'shards' | 'postings';

/** Stores one part of the rows. Shards go before their postings. */
export async function insertRows(tx: Tx, kind: RowKind, to: Destination, rows: string): Promise<void> {
  await tx.execute(statements[kind](to, sql`${rows}::json`));
}

/** Stores a part that a running import keeps, without bringing it here. */
export async function insertStoredRows(
  tx: Tx,
  to: Destination,
  part: { importId: string; partNo: number; kind: RowKind },
): Promise<void> {
  const rows = sql`(select rows::json from memory_import_parts
    where tenant_id = ${to.tenantId} and import_id = ${part.importId} and part_no = ${part.partNo})`;
  await tx.execute(statements[part.kind](to, rows));
}

const statements: Record<RowKind, (to: Destination, rows: ReturnType<typeof sql>) => ReturnType<typeof sql>> =
  {
    segments: ({ tenantId, setId, pairSource, pairTarget }, rows) => sql`
    insert into memory_segments (tenant_id, set_id, segment_no, pair_source, pair_target, source_hash, source_text,
      target_text, tuid, changed_at, shard_no, ordinal)
    select ${tenantId}, ${setId}, n, ${pairSource}, ${pairTarget}, decode(h, 'hex'), s, t, u, c, d, o
    from json_to_recordset(${rows})
      as r(n bigint, h text, s text, t text, u text, c timestamptz, d integer, o integer)`,
    shards: ({ tenantId, setId, pairSource, pairTarget }, rows) => sql`
    insert into memory_shards (tenant_id, set_id, shard_no, pair_source, pair_target, segments, length_marks)
    select ${tenantId}, ${setId}, d, ${pairSource}, ${pairTarget}, k, decode(m, 'base64')
    from json_to_recordset(${rows}) as r(d integer, k integer, m text)`,
    postings: ({ tenantId, setId }, rows) => sql`
    insert into memory_postings (tenant_id, set_id, shard_no, bucket, count, ordinals)
    select ${tenantId}, ${setId}, d, b, k, decode(o, 'base64')
    from json_to_recordset(${rows}) as r(d integer, b integer, k integer, o text)`,
  };
