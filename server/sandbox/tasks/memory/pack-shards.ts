import { buildShard, largestShard, longestFuzzy } from '../../../matching/fuzzy/index.ts';
import type { MemoryUnit } from './memory-unit.ts';
import { createRowPacker, type PackedRows, type RowPacker } from './packed-rows.ts';

/** Where each unit stands in the fuzzy index. */
export interface FuzzyPlaces {
  /** A shard's number, or `noShard`, or -1 for what is too long to be offered. */
  shardNo: Int32Array;
  ordinal: Int32Array;
}

export interface PackedShards {
  places: FuzzyPlaces;
  shards: PackedRows;
  postings: PackedRows;
}

/** Of a segment that a lookup reads itself, because there are few of them. */
export const noShard = -2;

/** Fewer are not worth an index: a lookup reads them all. */
const smallestShard = 256;

/** Builds the fuzzy index of a set, in as many shards as it needs. */
export function packShards(normals: readonly string[], units: readonly MemoryUnit[]): PackedShards {
  const places = {
    shardNo: new Int32Array(normals.length).fill(-1),
    ordinal: new Int32Array(normals.length),
  };
  const offered = normals.flatMap((normal, index) =>
    isOffered(normal) && isOffered(units[index]!.target) ? [index] : [],
  );
  const shards = createRowPacker();
  const postings = createRowPacker();
  if (offered.length < smallestShard) for (const index of offered) places.shardNo[index] = noShard;
  else
    for (let from = 0, shardNo = 0; from < offered.length; from += largestShard, shardNo++) {
      const members = offered.slice(from, from + largestShard);
      const order = addShard(
        members.map((index) => normals[index]!),
        shardNo,
        shards,
        postings,
      );
      for (const [ordinal, member] of order.entries()) {
        const index = members[member]!;
        places.shardNo[index] = shardNo;
        places.ordinal[index] = ordinal;
      }
    }
  return { places, shards: shards.finish(), postings: postings.finish() };
}

/** Adds a shard's rows; answers which source stands at each ordinal. */
export function addShard(
  normals: readonly string[],
  shardNo: number,
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

function isOffered(text: string): boolean {
  return text.length <= longestFuzzy || (text.length <= 2 * longestFuzzy && [...text].length <= longestFuzzy);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
