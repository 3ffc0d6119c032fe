import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { maxShardSegments } from '#server/matching/fuzzy/index.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { collectParts, insertRows, rowParts } from './packed-rows.ts';
import type { SetVersion } from './versions.ts';

/** Queues jobs for the sets with many segments that are not in an index yet. */
export async function indexPending({ database }: Pick<Services, 'database'>): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const { tenantId, setId } of await selectSetsToIndex(tx))
      await addJob(tx, 'index_memory', { tenantId, setId }, { key: `index_memory:${setId}` });
  });
}

/** Thrown to roll back the transaction, because the rows that it read have changed. */
export class ConcurrentChange extends Error {}

/** Awaits `work`. Also resolves if the work stopped because of a concurrent change: the next sweep tries again. */
export async function ignoreConcurrentChange(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ConcurrentChange)) throw error;
  });
}

/**
 * Moves the unindexed segments of a set, and the segments of its small shards, into one shard of the fuzzy index.
 * Approved translations arrive one by one, and a lookup should have few shards to read. One transaction reads, another
 * stores, and a child process builds the index in between. If the segments or shards have changed in between, nothing
 * is stored, and a later sweep tries again.
 */
export async function indexSet(
  { database, fileWork }: Pick<Services, 'database' | 'fileWork'>,
  tenantId: string,
  setId: string,
): Promise<void> {
  const waiting = await database.inTenant(tenantId, (tx) => selectPending(tx, tenantId, setId));
  if (!waiting || waiting.segments.length === 0) return;
  const { version, segments, nextShardNo: shardNo } = waiting;
  const sources = segments.map(({ sourceText }) => sourceText);
  const segmentNos = segments.map(({ segmentNo }) => segmentNo);
  const parts = await fileWork.stream(
    'index_memory',
    { shardNo, sources, segmentNos },
    { tenantId },
    (pieces) => collectParts(rowParts(pieces)),
  );
  const stored = database.inTenant(tenantId, async (tx) => {
    if (!(await lockSetForShard(tx, setId, waiting))) return;
    const moved = await moveSegments(tx, version, { replaced: waiting.shardNos, shardNo, segments });
    // Imported segments that are missing here may have been moved to a shard of their language pair.
    if (moved < segmentNos.length && !waiting.golden) throw new ConcurrentChange();
    for (const { kind, rows } of parts) await insertRows(tx, kind, version, rows);
    if (moved < segmentNos.length) await countShard(tx, version, { shardNo, segments: moved });
  });
  await ignoreConcurrentChange(stored);
}

/**
 * The limits above which segments are indexed: the number of segments of one set, or the segments or octets of a
 * language pair over all its sets. A lookup reads unindexed sources one by one, at most 200,000 characters, and would
 * miss the rest. The limit is in octets, because these can be counted without reading the sources.
 */
const many = { ofSet: 256, ofPair: 1000, octetsOfPair: 200_000 };

/** A shard with fewer segments is rebuilt, together with the segments that were added since. */
export const smallShard = 4096;

/**
 * Returns the sets whose segments should get their own index. Small imported sets share the index of their language
 * pair instead. Needs platform scope.
 */
async function selectSetsToIndex(tx: Tx): Promise<{ tenantId: string; setId: string }[]> {
  const rows = await tx.execute<{ tenant_id: string; set_id: string }>(sql`
    with waiting as (
      select g.tenant_id, g.set_id, g.pair_source, g.pair_target, g.origin, count(*) as of_set,
        sum(count(*)) over pair as of_pair, sum(sum(octet_length(m.source_text))) over pair as octets_of_pair
      from memory_segments m join memory_sets g on g.tenant_id = m.tenant_id and g.content_id = m.content_id
      where m.shard_no is null group by 1, 2, 3, 4, 5
      window pair as (partition by g.tenant_id, g.pair_source, g.pair_target))
    select tenant_id, set_id from waiting
    where of_set >= ${many.ofSet} or origin <> 'tmx_import'
      and (of_pair >= ${many.ofPair} or octets_of_pair >= ${many.octetsOfPair})
    limit 1000`);
  return rows.map(({ tenant_id, set_id }) => ({ tenantId: tenant_id, setId: set_id }));
}

interface WaitingSegments {
  /** The active version of the set. */
  version: SetVersion;
  /** Whether the segments of the set may be deleted one by one, as in golden sets. */
  golden: boolean;
  /** Numbers of the small shards whose segments are included. */
  shardNos: number[];
  nextShardNo: number;
  segments: IndexedSegment[];
}

interface IndexedSegment {
  segmentNo: number;
  sourceText: string;
  /** In hexadecimal. */
  sourceHash: string;
}

/** Returns the segments of a set that are in no shard or in a small one; undefined if the set has been deleted. */
async function selectPending(tx: Tx, tenantId: string, setId: string): Promise<WaitingSegments | undefined> {
  const [set] = await tx.execute<{ content_id: string; golden: boolean }>(sql`
    select content_id, origin <> 'tmx_import' as golden from memory_sets
    where tenant_id = ${tenantId} and set_id = ${setId} for share`);
  if (!set) return undefined;
  const version = { tenantId, versionId: set.content_id };
  const { shardNos, nextShardNo } = await selectShards(tx, version);
  const rows = await tx.execute<{ segment_no: string; source_text: string; hash: string }>(sql`
    select segment_no, source_text, encode(source_hash, 'hex') as hash from memory_segments
    where tenant_id = ${tenantId} and content_id = ${version.versionId} and (shard_no is null
      or shard_no = any(${numbers(shardNos)}))
    order by segment_no limit ${maxShardSegments}`);
  const segments = rows.map(({ segment_no, source_text, hash }) => ({
    segmentNo: Number(segment_no),
    sourceText: source_text,
    sourceHash: hash,
  }));
  return { version, golden: set.golden, shardNos, nextShardNo, segments };
}

const numbers = (shardNos: readonly number[]): SQL =>
  sql`array(select value::int from json_array_elements_text(${JSON.stringify(shardNos)}::json))`;

async function selectShards(tx: Tx, { tenantId, versionId }: SetVersion) {
  const shards = await tx.execute<{ shard_no: number; segments: number }>(sql`
    select shard_no, segments from memory_shards
    where tenant_id = ${tenantId} and content_id = ${versionId} order by shard_no`);
  const small = shards.filter(({ segments }) => segments < smallShard);
  return {
    shardNos: small.map(({ shard_no }) => shard_no),
    nextShardNo: Math.max(-1, ...shards.map(({ shard_no }) => shard_no)) + 1,
  };
}

/**
 * Locks a set that is about to get another shard. Returns whether the set's active version and shards are still those
 * that were read.
 */
async function lockSetForShard(
  tx: Tx,
  setId: string,
  was: Pick<WaitingSegments, 'version' | 'shardNos' | 'nextShardNo'>,
): Promise<boolean> {
  const { tenantId, versionId } = was.version;
  const [set] = await tx.execute<{ content_id: string }>(sql`
    select content_id from memory_sets
    where tenant_id = ${tenantId} and set_id = ${setId} for no key update`);
  if (set?.content_id !== versionId) return false;
  const { shardNos, nextShardNo } = await selectShards(tx, was.version);
  return nextShardNo === was.nextShardNo && shardNos.join() === was.shardNos.join();
}

/**
 * Deletes shards and assigns their segments to a new one. Returns the number of segments that have not moved since they
 * were read: others have been deleted or edited, or moved to a shard of their language pair.
 */
async function moveSegments(
  tx: Tx,
  { tenantId, versionId }: SetVersion,
  {
    replaced,
    shardNo,
    segments,
  }: { replaced: readonly number[]; shardNo: number; segments: readonly IndexedSegment[] },
): Promise<number> {
  const { count } = await tx.execute(sql`
    update memory_segments m set shard_no = ${shardNo}
    from json_to_recordset(${JSON.stringify(segments.map(({ segmentNo: n, sourceHash: h }) => ({ n, h })))}::json)
      as r(n bigint, h text)
    where m.tenant_id = ${tenantId} and m.content_id = ${versionId} and m.segment_no = r.n
      and m.source_hash = decode(r.h, 'hex') and (m.shard_no is null or m.shard_no = any(${numbers(replaced)}))`);
  await tx.execute(sql`
    delete from memory_shards where tenant_id = ${tenantId} and content_id = ${versionId}
      and shard_no = any(${numbers(replaced)})`);
  return count;
}

/** Sets the stored number of segments of a shard. */
async function countShard(
  tx: Tx,
  { tenantId, versionId }: SetVersion,
  { shardNo, segments }: { shardNo: number; segments: number },
): Promise<void> {
  await tx.execute(sql`
    update memory_shards set segments = ${segments}
    where tenant_id = ${tenantId} and content_id = ${versionId} and shard_no = ${shardNo}`);
}
