import { buildShard } from '../../../matching/fuzzy/index.ts';
import { createRowPacker, type PackedRows, type RowPacker } from './packed-rows.ts';

/** The rows of one shard or several. */
export interface PackedIndex {
  shards: PackedRows;
  postings: PackedRows;
}

/** Collects shards. `add` answers which source stands at each ordinal. */
export function createIndexPacker(): {
  add(shardNo: number, normals: readonly string[]): Uint32Array;
  finish(): PackedIndex;
} {
  const shards = createRowPacker();
  const postings = createRowPacker();
  return {
    add: (shardNo, normals) => addShard(shardNo, normals, shards, postings),
    finish: () => ({ shards: shards.finish(), postings: postings.finish() }),
  };
}

function addShard(
  shardNo: number,
  normals: readonly string[],
  shards: RowPacker,
  postings: RowPacker,
): Uint32Array {
  const shard = buildShard(normals);
  shards.add(shardNo, normals.length, base64(shard.lengthMarks));
  let start = 0;
  for (const [at, bucket] of shard.buckets.entries()) {
    const end = shard.ends[at]!;
    postings.add(shardNo, bucket, shard.counts[at]!, base64(shard.lists.subarray(start, end)));
    start = end;
  }
  return shard.order;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
