import { sourceHashHex } from '../../../matching/normal-form.ts';
import type { MemoryUnit } from './memory-unit.ts';
import { packRows, type Row, type RowPiece } from './packed-rows.ts';
import { noShard, type ShardMembers } from './shards.ts';

/** Longer names of units than any tool writes are cut. */
const longestTuid = 1000;

/** The rows of segments: number, hash, source, target, tuid, changedate, shard. */
export function packSegments(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  { shardNo }: ShardMembers,
): Generator<RowPiece, void> {
  return packRows('segments', segmentRows(normals, units, shardNo));
}

function* segmentRows(
  normals: readonly string[],
  units: readonly MemoryUnit[],
  shardNo: Int32Array,
): Generator<Row> {
  for (const [index, unit] of units.entries()) {
    const shard = shardNo[index]!;
    yield [
      unit.position,
      sourceHashHex(normals[index]!),
      unit.source,
      unit.target,
      unit.tuid && cut(unit.tuid),
      unit.changedate,
      shard === noShard ? null : shard,
    ];
  }
}

/** A name that is cut does not end in half a character. */
function cut(tuid: string): string {
  return tuid.slice(0, longestTuid).replace(/[\ud800-\udbff]$/, '');
}
