import { sourceHashHex } from '../../../matching/normal-form.ts';
import type { MemoryUnit } from './memory-unit.ts';
import { createRowPacker, fieldEnd, type PackedRows, rowEnd } from './packed-rows.ts';
import { type FuzzyPlaces, noShard } from './places.ts';

/** Longer names of units than any tool writes are cut. */
const longestTuid = 1000;

/** Of one row, as the query unpacks it: number, hash, source, target, tuid, changedate, shard, ordinal. */
const places = { source: 2, shardNo: 6, ordinal: 7 };

/** The rows of a set's segments. */
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
      sourceHashHex(normals[index]!),
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

/** A name that is cut does not end in half a character. */
function cut(tuid: string): string {
  return tuid.slice(0, longestTuid).replace(/[\ud800-\udbff]$/, '');
}

/** The sources of packed segments, by shard and ordinal. */
export function readPackedSources(rows: Uint8Array): string[][] {
  const shards: string[][] = [];
  for (const row of new TextDecoder().decode(rows).split(rowEnd)) {
    const fields = row.split(fieldEnd);
    const shardNo = fields[places.shardNo];
    if (!shardNo || Number(shardNo) < 0) continue;
    const shard = shards[Number(shardNo)] ?? [];
    shards[Number(shardNo)] = shard;
    shard[Number(fields[places.ordinal])] = fields[places.source]!;
  }
  return shards;
}
