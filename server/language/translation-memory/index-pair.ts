import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { LanguagePair } from '#server/languages.ts';
import { maxShardSegments } from '#server/matching/fuzzy/index.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { ConcurrentChange, ignoreConcurrentChange, smallShard } from './index-set.ts';
import { collectParts, fieldEnd, type RowPart, rowEnd, rowParts, unpack } from './packed-rows.ts';

/** Queues jobs for the language pairs whose small sets should share an index. */
export async function indexPendingPairs({ database }: Pick<Services, 'database'>): Promise<void> {
  await database.inPlatform(async (tx) => {
    for (const pair of await selectPairsToIndex(tx))
      await addJob(tx, 'index_memory_pair', pair, {
        key: `index_memory_pair:${pair.tenantId}:${pair.pairSource}:${pair.pairTarget}`,
      });
  });
}

/**
 * Moves the segments of a language pair's small imported sets into one shard that these sets share. If each of 200 sets
 * with 250 segments had its own shard, a lookup would have to read 26,000 posting lists. As in `indexSet`, one
 * transaction reads, another stores, and a child process builds the index in between. If the segments or shards have
 * changed in between, nothing is stored, and a later sweep tries again.
 */
export async function indexPair(
  { database, fileWork }: Pick<Services, 'database' | 'fileWork'>,
  { tenantId, ...pair }: LanguagePair & { tenantId: string },
): Promise<void> {
  const waiting = await database.inTenant(tenantId, (tx) => selectPendingForPair(tx, tenantId, pair));
  const { segments, nextShardNo: shardNo, replaced } = waiting;
  if (segments.length === 0 && replaced.length === 0) return;
  // Number the segments by their positions in this list, because segment numbers are not unique across sets.
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
    if ((await moveSegmentsOfPair(tx, tenantId, pair, waiting)) < segments.length)
      throw new ConcurrentChange();
    for (const { kind, rows } of parts)
      if (kind === 'postings') await insertPairPostings(tx, tenantId, pair, unpack(rows));
      else {
        const { shard, of } = readShard(rows, waiting);
        await insertPairShard(tx, tenantId, pair, shard, of);
      }
  });
  await ignoreConcurrentChange(stored);
}

/** Reads the row of a shard that the sandbox has packed, and finds the segment of each ordinal. */
function readShard(rows: RowPart['rows'], { segments }: WaitingPair) {
  const [shardNo, count, lengthMarks, places] = rows.split(rowEnd)[0]!.split(fieldEnd) as [
    ...[string, string, string, string],
  ];
  const ordinals = Buffer.from(places, 'base64');
  const contents = new Map<string, { place: number; segments: number }>();
  const segmentNos = Buffer.alloc(ordinals.length);
  const contentPlaces = Buffer.alloc(ordinals.length / 4);
  for (let ordinal = 0; ordinal < ordinals.length / 8; ordinal++) {
    const { versionId, segmentNo } = segments[Number(ordinals.readBigInt64BE(8 * ordinal))]!;
    const version = contents.get(versionId) ?? { place: contents.size, segments: 0 };
    contents.set(versionId, version);
    version.segments += 1;
    segmentNos.writeBigInt64BE(BigInt(segmentNo), 8 * ordinal);
    contentPlaces.writeUInt16BE(version.place, 2 * ordinal);
  }
  const of: PairShardVersions = {
    contents: [...contents].map(([versionId, { segments }]) => [versionId, segments]),
    segmentNos: segmentNos.toString('base64'),
    contentPlaces: contentPlaces.toString('base64'),
  };
  return { shard: { shardNo: Number(shardNo), segments: Number(count), lengthMarks }, of };
}

/**
 * The limits above which the index of a language pair is rebuilt: segments or octets of small sets that a lookup has to
 * read without an index, or shards of single sets that it has to read one by one.
 */
const many = { segments: 1000, octets: 200_000, ownShards: 4 };
/** The share of a shard's segments that may belong to inactive versions before the shard is rebuilt. */
const maxStaleShare = sql.raw('0.25');

/**
 * Returns the `shard_no` of segments that are in the shard of a language pair. It is at most -2: -1 and above have
 * other meanings.
 */
export const markOf = (shardNo: number) => -2 - shardNo;

const small = sql.raw(String(smallShard));

/** SQL for the number of a shard's segments that have left it, or belong to versions no longer active. */
const goneOf = (d: string): SQL => sql`(
  select ${sql.raw(`${d}.segments`)} - coalesce(sum((c.value ->> 1)::int), 0)
  from jsonb_array_elements(${sql.raw(`${d}.contents`)}) c
  where exists (select from memory_sets s where s.tenant_id = ${sql.raw(`${d}.tenant_id`)}
    and s.content_id = c.value ->> 0))`;

/** Returns the language pairs whose small imported sets should be moved into shared shards. Needs platform scope. */
async function selectPairsToIndex(tx: Tx): Promise<(LanguagePair & { tenantId: string })[]> {
  const rows = await tx.execute<{ tenant_id: string; pair_source: string; pair_target: string }>(sql`
    with due as (
      select g.tenant_id, g.pair_source, g.pair_target from memory_segments m
      join memory_sets g on g.tenant_id = m.tenant_id and g.content_id = m.content_id
      where m.shard_no is null group by 1, 2, 3
      having (count(*) >= ${many.segments} or sum(octet_length(m.source_text)) >= ${many.octets})
        and bool_or(g.origin = 'tmx_import')
      union
      select g.tenant_id, g.pair_source, g.pair_target from memory_shards d
      join memory_sets g on g.tenant_id = d.tenant_id and g.content_id = d.content_id
      where g.origin = 'tmx_import' and d.segments < ${small} group by 1, 2, 3
      having count(*) > ${many.ownShards}
      union
      select d.tenant_id, d.pair_source, d.pair_target from memory_pair_shards d
      where ${goneOf('d')} > ${maxStaleShare} * d.segments)
    select * from due limit 1000`);
  return rows.map(({ tenant_id, pair_source, pair_target }) => ({
    tenantId: tenant_id,
    pairSource: pair_source,
    pairTarget: pair_target,
  }));
}

/** A shard whose segments move to another shard; it belongs to one set or to the language pair. */
interface ReplacedShard {
  /** The version of the set; null for a shard of the language pair. */
  versionId: string | null;
  shardNo: number;
  segments: number;
}

/** A segment, with its current place in the index. */
interface PendingSegment {
  versionId: string;
  segmentNo: number;
  /** The segment's `shard_no` when it was read. */
  was: number | null;
  sourceText: string;
  /** In hexadecimal. */
  sourceHash: string;
}

interface WaitingPair {
  replaced: ReplacedShard[];
  nextShardNo: number;
  segments: PendingSegment[];
}

/**
 * Returns the contents of the next shard of a language pair: the segments that are in no shard, and those of the shards
 * that it replaces, as many as fit.
 */
async function selectPendingForPair(tx: Tx, tenantId: string, pair: LanguagePair): Promise<WaitingPair> {
  const { replaced, nextShardNo } = await selectReplaced(tx, tenantId, pair);
  const rows = await tx.execute<{
    c: string;
    n: string;
    w: number | null;
    source_text: string;
    h: string;
  }>(sql`
    select m.content_id as c, m.segment_no as n, m.shard_no as w, m.source_text, encode(m.source_hash, 'hex') as h
    from ${importsOf(tenantId, pair)} join memory_segments m
      on m.tenant_id = g.tenant_id and m.content_id = g.content_id
    where m.shard_no is null or (m.content_id, m.shard_no) in (
        select c, d from json_to_recordset(${packShards(replaced)}::json) as r(c text, d int) where c is not null)
      or m.shard_no in (
        select ${markOf(0)}::int - d from json_to_recordset(${packShards(replaced)}::json) as r(c text, d int) where c is null)
    order by m.shard_no nulls last limit ${maxShardSegments}`);
  const segments = rows.map(({ c, n, w, source_text, h }) => ({
    ...{ versionId: c, segmentNo: Number(n), was: w, sourceText: source_text, sourceHash: h },
  }));
  return { replaced, nextShardNo, segments };
}

const importsOf = (tenantId: string, { pairSource, pairTarget }: LanguagePair): SQL =>
  sql`(select tenant_id, content_id from memory_sets where tenant_id = ${tenantId}
    and pair_source = ${pairSource} and pair_target = ${pairTarget} and origin = 'tmx_import') g`;

/** Returns the shards that the next shard replaces. Together they are no larger than one shard may be. */
async function selectReplaced(tx: Tx, tenantId: string, pair: LanguagePair) {
  const { pairSource, pairTarget } = pair;
  const rows = await tx.execute<{ c: string | null; d: number; n: number; due: boolean }>(sql`
    select null as c, d.shard_no as d, d.segments as n,
      d.segments < ${small} or ${goneOf('d')} > ${maxStaleShare} * d.segments as due
    from memory_pair_shards d
    where d.tenant_id = ${tenantId} and d.pair_source = ${pairSource} and d.pair_target = ${pairTarget}
    union all
    select d.content_id, d.shard_no, d.segments, d.segments < ${small}
    from ${importsOf(tenantId, pair)} join memory_shards d
      on d.tenant_id = g.tenant_id and d.content_id = g.content_id
    order by 1 nulls first, 2`);
  const replaced: ReplacedShard[] = [];
  let segments = 0;
  for (const { c, d, n, due } of rows) {
    if (!due || segments + n > maxShardSegments) continue;
    segments += n;
    replaced.push({ versionId: c, shardNo: d, segments: n });
  }
  const nextShardNo = Math.max(-1, ...rows.flatMap(({ c, d }) => (c === null ? [d] : []))) + 1;
  return { replaced, nextShardNo };
}

function packShards(shards: readonly ReplacedShard[]): string {
  return JSON.stringify(shards.map(({ versionId, shardNo }) => ({ c: versionId, d: shardNo })));
}

/** Locks the index of a language pair, and returns whether its shards are still those that were read. */
async function lockPairForShard(
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  was: WaitingPair,
): Promise<boolean> {
  const { pairSource, pairTarget } = pair;
  await tx.execute(sql`
    select pg_advisory_xact_lock(hashtextextended(${`pair index ${tenantId} ${pairSource} ${pairTarget}`}, 0))`);
  // Wait for transactions that replace or delete these sets.
  await tx.execute(sql`
    select count(*) from (select from memory_sets where tenant_id = ${tenantId} and pair_source = ${pairSource}
      and pair_target = ${pairTarget} and origin = 'tmx_import' order by set_id for no key update) locked`);
  const { replaced, nextShardNo } = await selectReplaced(tx, tenantId, pair);
  return nextShardNo === was.nextShardNo && JSON.stringify(replaced) === JSON.stringify(was.replaced);
}

/**
 * Assigns segments to a shard that replaces other shards. Returns the number of segments that have not moved since they
 * were read.
 */
async function moveSegmentsOfPair(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
  { replaced, nextShardNo, segments }: WaitingPair,
): Promise<number> {
  const moved = JSON.stringify(
    segments.map((one) => [one.versionId, one.segmentNo, one.was, one.sourceHash]),
  );
  const { count } = await tx.execute(sql`
    update memory_segments m set shard_no = ${markOf(nextShardNo)}
    from (select r ->> 0 as c, (r ->> 1)::bigint as n, (r ->> 2)::int as w,
        decode(r ->> 3, 'hex') as h from json_array_elements(${moved}::json) r offset 0) r
    where m.tenant_id = ${tenantId} and m.content_id = r.c and m.segment_no = r.n
      and m.shard_no is not distinct from r.w and m.source_hash = r.h`);
  const shards = sql`json_to_recordset(${packShards(replaced)}::json) as r(c text, d int)`;
  await tx.execute(sql`
    delete from memory_shards s using ${shards}
    where s.tenant_id = ${tenantId} and s.content_id = r.c and s.shard_no = r.d`);
  await tx.execute(sql`
    delete from memory_pair_shards s using ${shards} where s.tenant_id = ${tenantId}
      and s.pair_source = ${pairSource} and s.pair_target = ${pairTarget} and r.c is null and s.shard_no = r.d`);
  return count;
}

/** The data that a shard of a language pair has in addition to what the sandbox packs. */
interface PairShardVersions {
  contents: [versionId: string, segments: number][];
  /** Segment numbers in base64. The database schema describes the columns. */
  segmentNos: string;
  contentPlaces: string;
}

/**
 * Stores a shard of a language pair: the row that the sandbox packed, with the segment numbers and versions in `of`.
 */
async function insertPairShard(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
  { shardNo, segments, lengthMarks }: { shardNo: number; segments: number; lengthMarks: string },
  of: PairShardVersions,
): Promise<void> {
  await tx.execute(sql`
    insert into memory_pair_shards (tenant_id, pair_source, pair_target, shard_no, segments, length_marks, segment_nos,
      contents, content_places)
    values (${tenantId}, ${pairSource}, ${pairTarget}, ${shardNo}, ${segments}, decode(${lengthMarks}, 'base64'),
      decode(${of.segmentNos}, 'base64'), ${JSON.stringify(of.contents)}::jsonb, decode(${of.contentPlaces}, 'base64'))`);
}

/** Stores the packed posting lists of a shard of a language pair. */
async function insertPairPostings(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
  rows: SQL,
): Promise<void> {
  await tx.execute(sql`
    insert into memory_pair_postings (tenant_id, pair_source, pair_target, shard_no, bucket, count, ordinals)
    select ${tenantId}, ${pairSource}, ${pairTarget}, f[1]::integer, f[2]::integer, f[3]::integer, decode(f[4], 'base64')
    from ${rows}`);
}
