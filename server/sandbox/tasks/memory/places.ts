import { isOffered, largestShard, orderByLength } from '../../../matching/fuzzy/index.ts';
import type { MemoryUnit } from './memory-unit.ts';

/** Where each unit stands in the fuzzy index. */
export interface FuzzyPlaces {
  /** A shard's number, or `noShard`, or `notOffered`. */
  shardNo: Int32Array;
  ordinal: Int32Array;
  /** Shards there are. */
  shards: number;
}

/** Of a segment that a lookup reads itself, because there are few of them. */
export const noShard = -2;
/** Of a segment that is too long to be offered as a close match (B 8). */
const notOffered = -1;

/** Fewer are not worth an index: a lookup reads them all. */
const smallestShard = 256;

/** Gives the segments of a set their places, in as many shards as it needs. */
export function placeSegments(normals: readonly string[], units: readonly MemoryUnit[]): FuzzyPlaces {
  const shardNo = new Int32Array(normals.length).fill(notOffered);
  const ordinal = new Int32Array(normals.length);
  const offered = normals.flatMap((normal, index) =>
    isOffered(normal) && isOffered(units[index]!.target) ? [index] : [],
  );
  if (offered.length < smallestShard) {
    for (const index of offered) shardNo[index] = noShard;
    return { shardNo, ordinal, shards: 0 };
  }
  let shards = 0;
  for (let from = 0; from < offered.length; from += largestShard) {
    const members = offered.slice(from, from + largestShard);
    const { order } = orderByLength(members.map((index) => normals[index]!));
    for (const [at, member] of order.entries()) {
      const index = members[member]!;
      shardNo[index] = shards;
      ordinal[index] = at;
    }
    shards += 1;
  }
  return { shardNo, ordinal, shards };
}
