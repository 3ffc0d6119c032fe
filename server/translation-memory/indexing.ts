import type { Services } from '#server/context.ts';
import { addJob } from '#server/jobs.ts';
import { buildIndex, storeIndex } from './imports/build-index.ts';
import { lockSetForShard, moveSegments, selectSetsToIndex, selectWaiting } from './queries/indexing.ts';

/** Adds jobs for the sets that have collected segments in no index. */
export async function indexWaiting({ database }: Services): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const { tenantId, setId } of await selectSetsToIndex(tx))
      await addJob(tx, 'index_memory', { tenantId, setId }, { key: `index_memory:${setId}` });
  });
}

/**
 * Brings a set's segments into one shard of the fuzzy index, together with those of its small shards: approved pairs come
 * one by one, and a lookup should have few shards to ask. Read and stored in two transactions, the index made between them;
 * what changed meanwhile leaves it undone, for the next time.
 */
export async function indexSet(services: Services, tenantId: string, setId: string): Promise<void> {
  const { database } = services;
  const {
    revision,
    shardNos,
    nextShardNo: shardNo,
    segments,
  } = await database.inTenant(tenantId, (tx) => selectWaiting(tx, tenantId, setId));
  if (segments.length === 0) return;
  const sources = segments.map(({ sourceText }) => sourceText);
  const built = await buildIndex(services, tenantId, { sources, shardNo });
  const places = [...built.order].map((at, ordinal): [number, number] => [segments[at]!.segmentNo, ordinal]);
  await database.inTenant(tenantId, async (tx) => {
    const pair = await lockSetForShard(tx, tenantId, setId, { revision, shardNos, nextShardNo: shardNo });
    if (!pair) return;
    const to = { tenantId, setId, ...pair };
    await moveSegments(tx, tenantId, setId, { replaced: shardNos, shardNo, places });
    await storeIndex(tx, to, built);
  });
}
