import type { Services } from '#server/context.ts';
import { addJob } from '#server/job-queue.ts';
import { collectParts, type RowPart, rowParts } from './imports/read-file.ts';
import { Outdated, unlessOutdated } from './indexing.ts';
import type { Pair } from './queries/capacity.ts';
import {
  insertPairPostings,
  insertPairShard,
  lockPairForShard,
  moveSegmentsOfPair,
  type PairShardContents,
  selectPairsToIndex,
  selectWaitingOfPair,
  type WaitingPair,
} from './queries/pair-index.ts';
import { fieldEnd, rowEnd, unpack } from './queries/rows.ts';

/** Adds jobs for the pairs whose small sets should share their index. */
export async function indexWaitingPairs({ database }: Services): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const pair of await selectPairsToIndex(tx))
      await addJob(tx, 'index_memory_pair', pair, {
        key: `index_memory_pair:${pair.tenantId}:${pair.pairSource}:${pair.pairTarget}`,
      });
  });
}

/**
 * Brings the segments of a pair's small imported sets into one shard that they share: with a shard each, 200 sets of 250 segments
 * cost a lookup 26,000 posting lists. Read and stored in two transactions, made in a child process between them, as `indexSet`
 * does; what changed meanwhile leaves it undone, for the next time.
 */
export async function indexPair(
  { database, fileWork }: Services,
  { tenantId, ...pair }: Pair & { tenantId: string },
): Promise<void> {
  const waiting = await database.inTenant(tenantId, (tx) => selectWaitingOfPair(tx, tenantId, pair));
  const { segments, nextShardNo: shardNo, replaced } = waiting;
  if (segments.length === 0 && replaced.length === 0) return;
  // Their places here stand for the segments' numbers, which are not unique among several sets.
  const payload = {
    shardNo,
    sources: segments.map(({ sourceText }) => sourceText),
    segmentNos: segments.map((_, place) => place),
  };
  const parts =
    segments.length === 0
      ? []
      : await fileWork.stream('index_memory', payload, { tenantId }, (pieces) =>
          collectParts(rowParts(pieces)),
        );
  const stored = database.inTenant(tenantId, async (tx) => {
    if (!(await lockPairForShard(tx, tenantId, pair, waiting))) return;
    if ((await moveSegmentsOfPair(tx, tenantId, pair, waiting)) < segments.length) throw new Outdated();
    for (const { kind, rows } of parts)
      if (kind === 'postings') await insertPairPostings(tx, tenantId, pair, unpack(rows));
      else {
        const { shard, of } = readShard(rows, waiting);
        await insertPairShard(tx, tenantId, pair, shard, of);
      }
  });
  await unlessOutdated(stored);
}

/** The sandbox's row of a shard, with the segments that its ordinals stand for. */
function readShard(rows: RowPart['rows'], { segments }: WaitingPair) {
  const [shardNo, count, lengthMarks, places] = rows.split(rowEnd)[0]!.split(fieldEnd) as [
    ...[string, string, string, string],
  ];
  const ordinals = Buffer.from(places, 'base64');
  const contents = new Map<string, { place: number; segments: number }>();
  const segmentNos = Buffer.alloc(ordinals.length);
  const contentPlaces = Buffer.alloc(ordinals.length / 4);
  for (let ordinal = 0; ordinal < ordinals.length / 8; ordinal++) {
    const { contentId, segmentNo } = segments[Number(ordinals.readBigInt64BE(8 * ordinal))]!;
    const content = contents.get(contentId) ?? { place: contents.size, segments: 0 };
    contents.set(contentId, content);
    content.segments += 1;
    segmentNos.writeBigInt64BE(BigInt(segmentNo), 8 * ordinal);
    contentPlaces.writeUInt16BE(content.place, 2 * ordinal);
  }
  const of: PairShardContents = {
    contents: [...contents].map(([contentId, { segments }]) => [contentId, segments]),
    segmentNos: segmentNos.toString('base64'),
    contentPlaces: contentPlaces.toString('base64'),
  };
  return { shard: { shardNo: Number(shardNo), segments: Number(count), lengthMarks }, of };
}
