import { sourceHash } from '../../../matching/normal-form.ts';
import type { MemoryUnit } from './memory-unit.ts';
import { type FuzzyPlaces, noShard } from './pack-shards.ts';
import { createRowPacker, type PackedRows } from './packed-rows.ts';

/** Longer names of units than any tool writes are cut. */
const longestTuid = 1000;

/** The rows of the segments, under the names that the query unpacks. */
export function packSegments(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  { shardNo, ordinal }: FuzzyPlaces,
): PackedRows {
  const packer = createRowPacker();
  for (const [index, unit] of units.entries()) {
    const shard = shardNo[index]!;
    packer.add(
      JSON.stringify({
        n: unit.position,
        h: sourceHash(normals[index]!).toString('hex'),
        s: unit.source,
        t: unit.target,
        u: unit.tuid?.slice(0, longestTuid) ?? null,
        c: unit.changedate,
        d: shard === noShard ? null : shard,
        o: shard >= 0 ? ordinal[index] : null,
      }),
    );
  }
  return packer.finish();
}
