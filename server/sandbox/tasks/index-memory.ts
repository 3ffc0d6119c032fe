import { normalForm } from '../../matching/normal-form.ts';
import { readPackedSources } from './memory/pack-segments.ts';
import { createIndexPacker } from './memory/pack-shard.ts';

/** Sources to build one shard over, at most 65,536 of 2000 characters each; or rows that `read_memory` has packed. */
export type IndexMemoryPayload = { sources: string[]; shardNo: number } | { segmentRows: Uint8Array };

/** A fuzzy index as packed rows. */
export interface IndexedMemory {
  /** Which source stands at each ordinal; of packed rows, which say it themselves, nothing. */
  order: Uint32Array;
  shardRows: Uint8Array;
  postingRows: Uint8Array;
  /** Where the parts of each end. */
  ends: Record<'shards' | 'postings', number[]>;
}

/** Builds the fuzzy index of some sources. */
export function indexMemoryTask(payload: IndexMemoryPayload): IndexedMemory {
  const index = createIndexPacker();
  let order = new Uint32Array();
  if ('sources' in payload)
    order = Uint32Array.from(index.add(payload.shardNo, payload.sources.map(normalForm)));
  else
    for (const [shardNo, sources] of readPackedSources(payload.segmentRows).entries())
      index.add(shardNo, sources.map(normalForm));
  const { shards, postings } = index.finish();
  return {
    order,
    shardRows: shards.bytes,
    postingRows: postings.bytes,
    ends: { shards: shards.ends, postings: postings.ends },
  };
}
