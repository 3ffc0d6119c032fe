import { normalForm } from '../../matching/normal-form.ts';
import { packShard } from './memory/pack-shard.ts';
import type { RowPiece } from './memory/packed-rows.ts';

/** Segments to build one shard of, at most 65,536 of 2000 characters each. */
export interface IndexMemoryPayload {
  shardNo: number;
  sources: string[];
  segmentNos: number[];
}

/** Builds one shard of the fuzzy index. */
export function indexMemoryTask({
  shardNo,
  sources,
  segmentNos,
}: IndexMemoryPayload): Generator<RowPiece, void> {
  return packShard({ shardNo, normals: sources.map(normalForm), segmentNos });
}
