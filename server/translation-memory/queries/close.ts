import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { postingsBudget } from '#server/matching/fuzzy/index.ts';
import type { Pair } from './capacity.ts';

/** A shard with the posting lists that were asked for. */
export interface FoundShard {
  contentId: string;
  shardNo: number;
  segments: number;
  lengthMarks: Uint8Array;
  lists: { bucket: number; count: number; ordinals: Uint8Array }[];
}

/**
 * Of the segments that are in no index yet, as many as a lookup looks at, and of those that may be like the text as many
 * characters as it reads. A pair with more of them is due for the index (`selectSetsToIndex`).
 */
const mostUnindexed = { segments: 2000, characters: 200_000 };
/** As much shorter or longer a source may be; less than a close match allows, since white space is not yet in normal form. */
const leastOfLength = 0.6;

/**
 * The posting lists of some buckets, of all shards of a pair; of each shard the rarest ones, as many as it may read: of the
 * others, only how many there are. Equality of text and numbers alone: other operators would not use an index under
 * row-level security.
 */
export async function selectPostings(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: Pair,
  buckets: readonly number[],
): Promise<FoundShard[]> {
  const shardsOfPair = sql`${setsOfPair(tenantId, { pairSource, pairTarget })} join memory_shards d
    on d.tenant_id = g.tenant_id and d.content_id = g.content_id`;
  const [shards, lists] = await Promise.all([
    tx.execute<{ content_id: string; shard_no: number; segments: number; marks: string }>(sql`
      select d.content_id, d.shard_no, d.segments, encode(d.length_marks, 'base64') as marks from ${shardsOfPair}`),
    tx.execute<{ content_id: string; shard_no: number; bucket: number; count: number; ordinals: string }>(sql`
      select content_id, shard_no, bucket, count,
        case when running <= ${postingsBudget} then encode(ordinals, 'base64') else '' end as ordinals
      from (
        select p.*, sum(p.count) over (partition by p.content_id, p.shard_no order by p.count, p.bucket
          rows unbounded preceding) as running
        from ${shardsOfPair} join memory_postings p
          on p.tenant_id = d.tenant_id and p.content_id = d.content_id and p.shard_no = d.shard_no
        where p.bucket = any(array(select value::int from json_array_elements_text(${JSON.stringify(buckets)}::json)))
      ) found`),
  ]);
  const found = new Map<string, FoundShard>();
  for (const { content_id, shard_no, segments, marks } of shards)
    found.set(`${content_id}:${shard_no}`, {
      contentId: content_id,
      shardNo: shard_no,
      segments,
      lengthMarks: Buffer.from(marks, 'base64'),
      lists: [],
    });
  for (const { content_id, shard_no, bucket, count, ordinals } of lists)
    found
      .get(`${content_id}:${shard_no}`)
      ?.lists.push({ bucket, count, ordinals: Buffer.from(ordinals, 'base64') });
  return [...found.values()];
}

/**
 * The sources of a pair that no shard has yet and that are about as long as a text of `length` code points, the newest ones
 * first. Octets are compared before characters: they are known without reading the source.
 */
export async function selectUnindexed(
  tx: Tx,
  tenantId: string,
  pair: Pair,
  length: number,
): Promise<string[]> {
  const shortest = Math.floor(length * leastOfLength);
  const longest = Math.ceil(length / leastOfLength);
  const rows = await tx.execute<{ source_text: string }>(sql`
    select source_text from (
      select source_text, segment_no, sum(char_length(source_text)) over (order by segment_no desc
        rows unbounded preceding) as running
      from (
        select m.source_text, m.segment_no from ${setsOfPair(tenantId, pair)} join memory_segments m
          on m.tenant_id = g.tenant_id and m.content_id = g.content_id
        where m.shard_no is null
        order by m.segment_no desc limit ${mostUnindexed.segments}
      ) newest
      where octet_length(source_text) between ${shortest}::int and ${4 * longest}::int
        and char_length(source_text) between ${shortest}::int and ${longest}::int
    ) fitting
    where running <= ${mostUnindexed.characters} order by segment_no desc`);
  return rows.map(({ source_text }) => source_text);
}

/** The sets of a pair, as `g`: what they show is looked through, and nothing else. */
const setsOfPair = (tenantId: string, { pairSource, pairTarget }: Pair) =>
  sql`(select tenant_id, content_id from memory_sets where tenant_id = ${tenantId}
    and pair_source = ${pairSource} and pair_target = ${pairTarget}) g`;

/** A segment by its place in the index. */
export interface Place {
  contentId: string;
  shardNo: number;
  ordinal: number;
}

/**
 * The sources that stand at some places, in any order; of those that are gone, nothing. Its transaction's only statement.
 */
export async function selectSourcesAt(
  tx: Tx,
  tenantId: string,
  places: readonly Place[],
): Promise<{ at: number; sourceText: string }[]> {
  const asked = JSON.stringify(
    places.map(({ contentId, shardNo, ordinal }, at) => ({ at, c: contentId, d: shardNo, o: ordinal })),
  );
  const statement = tx.execute<{ at: number; source_text: string }>(sql`
    select p.at, m.source_text from json_to_recordset(${asked}::json) as p(at int, c text, d int, o int)
    cross join lateral (
      select ('x' || encode(substring(segment_nos from 8 * p.o + 1 for 8), 'hex'))::bit(64)::bigint as segment_no
      from memory_shards where tenant_id = ${tenantId} and content_id = p.c and shard_no = p.d offset 0) d
    cross join lateral (
      select source_text from memory_segments
      where tenant_id = ${tenantId} and content_id = p.c and segment_no = d.segment_no offset 0) m`);
  const rows = await tx.last(statement);
  return rows.map(({ at, source_text }) => ({ at, sourceText: source_text }));
}
