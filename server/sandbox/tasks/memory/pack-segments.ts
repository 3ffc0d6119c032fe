import { sourceHash } from '../../../matching/normal-form.ts';
import type { MemoryUnit } from './memory-unit.ts';
import { type FuzzyPlaces, noShard } from './pack-shards.ts';
import { createRowPacker, type PackedRows } from './packed-rows.ts';

/** Longer names of units than any tool writes are cut. */
const longestTuid = 1000;

/** A name that is empty is none; one that is cut does not end in half a character. */
function cut(tuid: string): string {
  return tuid.slice(0, longestTuid).replace(/[\ud800-\udbff]$/, '');
}

/** The rows of the segments, in the order in which the query unpacks them. */
export function packSegments(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  { shardNo, ordinal }: FuzzyPlaces,
): PackedRows {
  const packer = createRowPacker();
  for (const [index, unit] of units.entries()) {
    const shard = shardNo[index]!;
    packer.add(
      unit.position,
      sourceHash(normals[index]!).toString('hex'),
      unit.source,
      unit.target,
      unit.tuid && cut(unit.tuid),
      unit.changedate,
      shard === noShard ? null : shard,
      shard >= 0 ? ordinal[index]! : null,
    );
  }
  return packer.finish();
}
