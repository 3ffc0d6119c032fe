import type { Services } from '#server/context.ts';
import { addJob } from '#server/job-queue.ts';
import { collectParts, rowParts } from './imports/read-file.ts';
import {
  countShard,
  lockContentForShard,
  moveSegments,
  selectSetsToIndex,
  selectWaiting,
} from './queries/indexing.ts';
import { insertRows } from './queries/rows.ts';

/** Adds jobs for the sets that have collected segments in no index. */
export async function indexWaiting({ database }: Services): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const { tenantId, setId } of await selectSetsToIndex(tx))
      await addJob(tx, 'index_memory', { tenantId, setId }, { key: `index_memory:${setId}` });
  });
}

/** Leaves the transaction with nothing done: what was read has changed. */
export class Outdated extends Error {}

/** Settles without an error where the work was left since it is outdated: the next sweep looks again. */
export async function unlessOutdated(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Outdated)) throw error;
  });
}

/**
 * Brings a set's segments into one shard of the fuzzy index, together with those of its small shards: approved pairs come
 * one by one, and a lookup should have few shards to ask. Read and stored in two transactions, the index made in a child
 * process between them; what changed meanwhile leaves it undone, for the next time.
 */
export async function indexSet(
  { database, fileWork }: Services,
  tenantId: string,
  setId: string,
): Promise<void> {
  const waiting = await database.inTenant(tenantId, (tx) => selectWaiting(tx, tenantId, setId));
  if (!waiting || waiting.segments.length === 0) return;
  const { content, segments, nextShardNo: shardNo } = waiting;
  const sources = segments.map(({ sourceText }) => sourceText);
  const segmentNos = segments.map(({ segmentNo }) => segmentNo);
  const parts = await fileWork.stream(
    'index_memory',
    { shardNo, sources, segmentNos },
    { tenantId },
    (pieces) => collectParts(rowParts(pieces)),
  );
  const stored = database.inTenant(tenantId, async (tx) => {
    if (!(await lockContentForShard(tx, setId, waiting))) return;
    const moved = await moveSegments(tx, content, { replaced: waiting.shardNos, shardNo, segmentNos });
    // Those of an import are deleted with the set alone: they are in a shard of their pair now.
    if (moved < segmentNos.length && !waiting.golden) throw new Outdated();
    for (const { kind, rows } of parts) await insertRows(tx, kind, content, rows);
    if (moved < segmentNos.length) await countShard(tx, content, { shardNo, segments: moved });
  });
  await unlessOutdated(stored);
}
