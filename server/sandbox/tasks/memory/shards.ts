import { isOffered, largestShard } from '../../../matching/fuzzy/index.ts';
import type { MemoryUnit } from './memory-unit.ts';

/** Which shard of the fuzzy index has which units. */
export interface ShardMembers {
  /** Of each unit: a shard's number, or `noShard`, or `notOffered`. */
  shardNo: Int32Array;
  /** Of each shard: where its units stand. */
  members: number[][];
}

/** Of a segment that a lookup reads itself, because there are few of them. */
export const noShard = -2;
/** Of a segment that is too long to be offered as a close match (B 8). */
const notOffered = -1;

/** Fewer are not worth an index: a lookup reads them all. */
const smallestShard = 256;

/** Shares the units of a set out to as many shards as it needs. */
export function shareOut(normals: readonly string[], units: readonly MemoryUnit[]): ShardMembers {
  const shardNo = new Int32Array(normals.length).fill(notOffered);
  const offered = normals.flatMap((_, index) =>
    isOffered(units[index]!.source) && isOffered(units[index]!.target) ? [index] : [],
  );
  const members: number[][] = [];
  if (offered.length >= smallestShard)
    for (let from = 0; from < offered.length; from += largestShard)
      members.push(offered.slice(from, from + largestShard));
  else for (const index of offered) shardNo[index] = noShard;
  for (const [shard, indexes] of members.entries()) for (const index of indexes) shardNo[index] = shard;
  return { shardNo, members };
}
