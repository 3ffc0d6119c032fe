import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/**
 * What a lookup has to read whole: segments of one set, and segments and octets of a pair over all of its sets. Octets, since
 * they are known without reading the sources: a lookup reads 200,000 characters at most, and would not find what is behind them.
 */
const many = { ofSet: 256, ofPair: 1000, octetsOfPair: 200_000 };

/** Shards with fewer segments are made anew together with what came since. */
const smallShard = 4096;
/** Segments of one shard at most. */
const largestShard = 65_536;

/** The sets whose segments should be brought into the index; read in platform scope. */
export async function selectSetsToIndex(tx: Tx): Promise<{ tenantId: string; setId: string }[]> {
  const rows = await tx.execute<{ tenant_id: string; set_id: string }>(sql`
    with waiting as (
      select tenant_id, set_id, pair_source, pair_target, count(*) as of_set,
        sum(count(*)) over pair as of_pair, sum(sum(octet_length(source_text))) over pair as octets_of_pair
      from memory_segments where shard_no is null group by 1, 2, 3, 4
      window pair as (partition by tenant_id, pair_source, pair_target))
    select tenant_id, set_id from waiting
    where of_set >= ${many.ofSet} or of_pair >= ${many.ofPair} or octets_of_pair >= ${many.octetsOfPair}
    limit 1000`);
  return rows.map(({ tenant_id, set_id }) => ({ tenantId: tenant_id, setId: set_id }));
}

export interface WaitingSegments {
  /** The small shards whose segments are among them. */
  shardNos: number[];
  /** Of the set's content: another one with each upload. */
  revision: string;
  /** The number that another shard would have. */
  nextShardNo: number;
  segments: { segmentNo: number; sourceText: string }[];
}

/** A set's segments that are in no shard, and those of its small shards. */
export async function selectWaiting(tx: Tx, tenantId: string, setId: string): Promise<WaitingSegments> {
  const [set] = await tx.execute<{ revision: string }>(sql`
    select updated_at::text as revision from memory_sets
    where tenant_id = ${tenantId} and set_id = ${setId} for share`);
  const { shardNos, nextShardNo } = await selectShards(tx, tenantId, setId);
  const rows = await tx.execute<{ segment_no: string; source_text: string }>(sql`
    select segment_no, source_text from memory_segments
    where tenant_id = ${tenantId} and set_id = ${setId} and (shard_no is null
      or shard_no = any(array(select value::int from json_array_elements_text(${JSON.stringify(shardNos)}::json))))
    order by segment_no limit ${largestShard}`);
  const segments = rows.map(({ segment_no, source_text }) => ({
    segmentNo: Number(segment_no),
    sourceText: source_text,
  }));
  return { revision: set?.revision ?? '', shardNos, nextShardNo, segments };
}

async function selectShards(tx: Tx, tenantId: string, setId: string) {
  const shards = await tx.execute<{ shard_no: number; segments: number }>(sql`
    select shard_no, segments from memory_shards
    where tenant_id = ${tenantId} and set_id = ${setId} order by shard_no`);
  const small = shards.filter(({ segments }) => segments < smallShard);
  return {
    shardNos: small.map(({ shard_no }) => shard_no),
    nextShardNo: Math.max(-1, ...shards.map(({ shard_no }) => shard_no)) + 1,
  };
}

/** Locks a set that is to get another shard; undefined where the set is gone, or its shards are others than they were. */
export async function lockSetForShard(
  tx: Tx,
  tenantId: string,
  setId: string,
  was: Pick<WaitingSegments, 'shardNos' | 'nextShardNo' | 'revision'>,
): Promise<{ pairSource: string; pairTarget: string } | undefined> {
  const [set] = await tx.execute<{ pair_source: string; pair_target: string; revision: string }>(sql`
    select pair_source, pair_target, updated_at::text as revision from memory_sets
    where tenant_id = ${tenantId} and set_id = ${setId} for no key update`);
  const { shardNos, nextShardNo } = await selectShards(tx, tenantId, setId);
  // Another upload numbers its segments from 1 again: the same numbers, other texts.
  if (set?.revision !== was.revision) return undefined;
  if (nextShardNo !== was.nextShardNo || shardNos.join() !== was.shardNos.join()) return undefined;
  return { pairSource: set.pair_source, pairTarget: set.pair_target };
}

/** Takes shards away, and says where their segments and new ones stand now. */
export async function moveSegments(
  tx: Tx,
  tenantId: string,
  setId: string,
  {
    replaced,
    shardNo,
    places,
  }: { replaced: readonly number[]; shardNo: number; places: [segmentNo: number, ordinal: number][] },
): Promise<void> {
  await tx.execute(sql`
    update memory_segments m set shard_no = ${shardNo}, ordinal = p.o
    from json_to_recordset(${JSON.stringify(places.map(([n, o]) => ({ n, o })))}::json) as p(n bigint, o int)
    where m.tenant_id = ${tenantId} and m.set_id = ${setId} and m.segment_no = p.n`);
  await tx.execute(sql`
    delete from memory_shards where tenant_id = ${tenantId} and set_id = ${setId}
      and shard_no = any(array(select value::int from json_array_elements_text(${JSON.stringify(replaced)}::json)))`);
}
