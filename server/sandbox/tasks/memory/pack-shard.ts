import { type BuiltShard, buildShard } from '../../../matching/fuzzy/index.ts';
import { packRows, type Row, type RowPiece } from './packed-rows.ts';

/** A shard to build: its number, and its segments' sources in normal form and their numbers. */
export interface ShardToPack {
  shardNo: number;
  normals: readonly string[];
  segmentNos: readonly number[];
}

/** The rows of a shard and, behind it, of its posting lists. */
export function* packShard({ shardNo, normals, segmentNos }: ShardToPack): Generator<RowPiece, void> {
  const shard = buildShard(normals);
  const numbers = Buffer.alloc(8 * segmentNos.length);
  for (const [ordinal, index] of shard.order.entries())
    numbers.writeBigInt64BE(BigInt(segmentNos[index]!), 8 * ordinal);
  const row = [shardNo, normals.length, base64(shard.lengthMarks), base64(numbers)];
  yield* packRows('shards', [row]);
  yield* packRows('postings', postingRows(shardNo, shard));
}

function* postingRows(shardNo: number, { buckets, counts, ends, lists }: BuiltShard): Generator<Row> {
  let start = 0;
  for (const [at, bucket] of buckets.entries()) {
    const end = ends[at]!;
    yield [shardNo, bucket, counts[at]!, base64(lists.subarray(start, end))];
    start = end;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
