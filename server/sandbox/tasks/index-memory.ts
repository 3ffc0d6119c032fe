import { normalForm } from '../../matching/normal-form.ts';
import { addShard } from './memory/pack-shards.ts';
import { createRowPacker } from './memory/packed-rows.ts';

export interface IndexMemoryPayload {
  /** At most 65,536, of at most 2000 characters each. */
  sources: string[];
  shardNo: number;
}

export interface IndexedMemory {
  /** Which source stands at each ordinal. */
  order: Uint32Array;
  shardRows: Uint8Array;
  postingRows: Uint8Array;
  /** Where the parts of the postings end. */
  postingEnds: number[];
}

/** Builds one shard of the fuzzy index. */
export function indexMemoryTask({ sources, shardNo }: IndexMemoryPayload): IndexedMemory {
  const shards = createRowPacker();
  const postings = createRowPacker();
  const order = addShard(sources.map(normalForm), shardNo, shards, postings);
  const { bytes, ends } = postings.finish();
  return { order, shardRows: shards.finish().bytes, postingRows: bytes, postingEnds: ends };
}
