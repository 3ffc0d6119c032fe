import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { LanguagePair } from '#server/languages.ts';

/** A shard with the requested posting lists. */
export interface FoundShard {
  /** The version to which the segments belong; null for a shard of a language pair. */
  versionId: string | null;
  shardNo: number;
  segments: number;
  lengthMarks: Uint8Array;
  lists: { bucket: number; count: number; ordinals: Uint8Array }[];
  /** For a shard of a language pair: the versions to which the segments belong. */
  contents: string[];
  /**
   * Returns whether the segment with this ordinal belongs to a version that is no longer active; undefined if there is
   * no such segment.
   */
  isGone: ((ordinal: number) => boolean) | undefined;
}

/**
 * Maximum number of unindexed segments that a lookup considers, and of characters that it reads of those with a similar
 * length. If a language pair has more, it gets an index (`selectSetsToIndex`).
 */
const maxUnindexed = { segments: 2000, characters: 200_000 };
/**
 * The minimum ratio of the shorter length to the longer. It is lower than for a fuzzy match, because white space is not
 * in normal form yet.
 */
const minLengthShare = 0.6;

/**
 * Returns for each text the posting lists of its buckets from all shards of a language pair: the shards of single sets, and
 * those that small sets share. Only the rarest lists of each shard, up to the budget of the text, are returned with their ordinals;
 * the others only with their count. Text and numbers are compared only for equality: with other operators, no index
 * would be used under row-level security.
 */
export async function selectPostings(
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  texts: readonly { buckets: readonly number[]; budget: number }[],
): Promise<FoundShard[][]> {
  const asked = JSON.stringify(texts.map(({ buckets, budget }) => [budget, ...buckets]));
  const [own, ownLists, shared, sharedLists] = await Promise.all([
    tx.execute<OwnShardRow>(sql`
      select d.content_id, d.shard_no, d.segments, encode(d.length_marks, 'base64') as marks
      from ${shardsOfPair(tenantId, pair)}`),
    tx.execute<ListRow>(
      listsOf(
        asked,
        sql`${setsOfPair(tenantId, pair)} join memory_postings p
          on p.tenant_id = g.tenant_id and p.content_id = g.content_id`,
        sql`p.content_id`,
        sql`memory_postings o where o.tenant_id = ${tenantId} and o.content_id = f.content_id`,
      ),
    ),
    tx.execute<PairShardRow>(sql`
      select d.shard_no, d.segments, encode(d.length_marks, 'base64') as marks,
        array_to_json(array(select c.value ->> 0 from jsonb_array_elements(d.contents) c)) as contents,
        gone.places as gone, case when gone.places is not null then encode(d.content_places, 'base64') end as places
      from memory_pair_shards d cross join lateral (
        select json_agg(c.at - 1) as places from jsonb_array_elements(d.contents) with ordinality as c(value, at)
        where c.value ->> 0 not in (select content_id from ${setsOfPair(tenantId, pair)})) gone
      where ${ofPair(sql`d`, tenantId, pair)}`),
    tx.execute<ListRow>(
      listsOf(
        asked,
        sql`memory_pair_shards d join memory_pair_postings p on p.tenant_id = d.tenant_id
          and p.pair_source = d.pair_source and p.pair_target = d.pair_target and p.shard_no = d.shard_no
          and ${ofPair(sql`d`, tenantId, pair)}`,
        sql`null::text`,
        sql`memory_pair_postings o where ${ofPair(sql`o`, tenantId, pair)}`,
      ),
    ),
  ]);
  const found = new Map<string, FoundShard>();
  for (const { content_id, shard_no, segments, marks } of own)
    found.set(`${content_id}:${shard_no}`, {
      ...{ versionId: content_id, shardNo: shard_no, segments, lists: [], contents: [], isGone: undefined },
      lengthMarks: Buffer.from(marks, 'base64'),
    });
  for (const { shard_no, segments, marks, contents, gone, places } of shared)
    found.set(`null:${shard_no}`, {
      ...{ versionId: null, shardNo: shard_no, segments, lists: [], contents },
      lengthMarks: Buffer.from(marks, 'base64'),
      isGone: gone === null || places === null ? undefined : isAmong(gone, Buffer.from(places, 'base64')),
    });
  const ofTexts = texts.map(
    () => new Map([...found].map(([key, shard]) => [key, { ...shard, lists: [] as FoundShard['lists'] }])),
  );
  for (const { at, content_id, shard_no, bucket, count, ordinals } of [...ownLists, ...sharedLists])
    ofTexts[at]!.get(`${content_id}:${shard_no}`)?.lists.push({
      ...{ bucket, count },
      ordinals: Buffer.from(ordinals, 'base64'),
    });
  return ofTexts.map((shards) => [...shards.values()]);
}

type OwnShardRow = { content_id: string; shard_no: number; segments: number; marks: string };
type PairShardRow = Omit<OwnShardRow, 'content_id'> & {
  contents: string[];
  gone: number[] | null;
  places: string | null;
};
type ListRow = {
  /** The index of the text. */
  at: number;
  content_id: string | null;
  shard_no: number;
  bucket: number;
  count: number;
  ordinals: string;
};

/**
 * SQL for the posting lists of some texts, each an array of its budget and its buckets. The ordinals are read only of the
 * lists within the budget, after these are known: they would make the sort slow, and so would the array (`offset 0`). `from` joins shards `d` with their posting lists `p`. */
const listsOf = (texts: string, from: SQL, versionId: SQL, ordinals: SQL) => sql`
  select f.at, f.content_id, f.shard_no, f.bucket, f.count,
    case when f.running <= f.budget then (select encode(o.ordinals, 'base64') from ${ordinals}
      and o.shard_no = f.shard_no and o.bucket = f.bucket) else '' end as ordinals
  from (
    select asked.at, asked.budget, ${versionId} as content_id, p.shard_no, p.bucket, p.count,
      sum(p.count) over (partition by asked.at, ${versionId}, p.shard_no order by p.count, p.bucket rows unbounded preceding) as running
    from ${from}
    join (select t.at::int - 1 as at, (t.value ->> 0)::int as budget, b.value::int as bucket
      from json_array_elements(${texts}::json) with ordinality as t(value, at),
        json_array_elements_text(t.value) with ordinality as b(value, at)
      where b.at > 1 offset 0) asked
      on asked.bucket = p.bucket
    where p.bucket = any(array(select b.value::int
      from json_array_elements(${texts}::json) t, json_array_elements_text(t.value) with ordinality as b(value, at)
      where b.at > 1))
  ) f`;

function isAmong(gone: readonly number[], places: Buffer): (ordinal: number) => boolean {
  const all = new Set(gone);
  return (ordinal) => all.has(places.readUInt16BE(2 * ordinal));
}

/**
 * Returns the sources of a language pair that are in no shard yet and about as long as one of the texts, whose lengths are
 * in code points, latest first. Compares the number of octets before that of characters, because it is known without reading the
 * source.
 */
export async function selectUnindexed(
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  lengths: readonly number[],
): Promise<string[]> {
  const shortest = Math.floor(Math.min(...lengths) * minLengthShare);
  const longest = Math.ceil(Math.max(...lengths) / minLengthShare);
  const rows = await tx.execute<{ source_text: string }>(sql`
    select source_text from (
      select source_text, segment_no, sum(char_length(source_text)) over (order by segment_no desc
        rows unbounded preceding) as running
      from (
        select m.source_text, m.segment_no from ${setsOfPair(tenantId, pair)} join memory_segments m
          on m.tenant_id = g.tenant_id and m.content_id = g.content_id
        where m.shard_no is null
        order by m.segment_no desc limit ${maxUnindexed.segments}
      ) newest
      where octet_length(source_text) between ${shortest}::int and ${4 * longest}::int
        and char_length(source_text) between ${shortest}::int and ${longest}::int
    ) fitting
    where running <= ${maxUnindexed.characters} order by segment_no desc`);
  return rows.map(({ source_text }) => source_text);
}

const ofPair = (table: SQL, tenantId: string, { pairSource, pairTarget }: LanguagePair) =>
  sql`${table}.tenant_id = ${tenantId} and ${table}.pair_source = ${pairSource} and ${table}.pair_target = ${pairTarget}`;

/** The sets of a language pair, as `g`. Lookups read only the sets' active versions. */
const setsOfPair = (tenantId: string, pair: LanguagePair) =>
  sql`(select s.tenant_id, s.content_id from memory_sets s where ${ofPair(sql`s`, tenantId, pair)}) g`;

/** The shards of single sets of a language pair, as `d`, without the shards that sets share. */
const shardsOfPair = (tenantId: string, pair: LanguagePair) =>
  sql`${setsOfPair(tenantId, pair)} join memory_shards d
    on d.tenant_id = g.tenant_id and d.content_id = g.content_id`;

/** The position of a segment in the index. */
export interface ShardPosition {
  shard: FoundShard;
  ordinal: number;
}

/**
 * Returns the sources at some positions, in any order. Deleted segments are left out. Must be the transaction's only
 * statement.
 */
export async function selectSourcesAt(
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  places: readonly ShardPosition[],
): Promise<{ at: number; sourceText: string }[]> {
  const contents: string[] = [];
  const firsts = new Map<FoundShard, number>();
  const own: object[] = [];
  const shared: object[] = [];
  for (const [at, { shard, ordinal }] of places.entries())
    if (shard.versionId !== null) own.push({ at, c: shard.versionId, d: shard.shardNo, o: ordinal });
    else {
      if (!firsts.has(shard)) {
        firsts.set(shard, contents.length);
        contents.push(...shard.contents);
      }
      shared.push({ at, f: firsts.get(shard), d: shard.shardNo, o: ordinal });
    }
  const statement = tx.execute<{ at: number; source_text: string }>(sql`
    with version as materialized (
      select array(select json_array_elements_text(${JSON.stringify(contents)}::json)) as ids),
    place as (
      select p.at, p.c, d.segment_no from json_to_recordset(${JSON.stringify(own)}::json) as p(at int, c text, d int, o int)
      cross join lateral (
        select ${numberAt(sql`segment_nos`, 8)} as segment_no from memory_shards
        where tenant_id = ${tenantId} and content_id = p.c and shard_no = p.d offset 0) d
      union all
      select p.at, (select ids[p.f + d.place + 1] from version), d.segment_no
      from json_to_recordset(${JSON.stringify(shared)}::json) as p(at int, f int, d int, o int)
      cross join lateral (
        select ${numberAt(sql`segment_nos`, 8)} as segment_no, ${numberAt(sql`content_places`, 2)} as place
        from memory_pair_shards d where ${ofPair(sql`d`, tenantId, pair)} and shard_no = p.d offset 0) d)
    select place.at, m.source_text from place cross join lateral (
      select source_text from memory_segments
      where tenant_id = ${tenantId} and content_id = place.c and segment_no = place.segment_no offset 0) m`);
  const rows = await tx.last(statement);
  return rows.map(({ at, source_text }) => ({ at, sourceText: source_text }));
}

/** SQL for one number in a column of packed numbers, at index `p.o`, from 0. Each number has `width` bytes. */
const numberAt = (column: SQL, width: 2 | 8) => {
  const type = sql.raw(width === 8 ? 'bit(64)::bigint' : 'bit(16)::int');
  const bytes = sql.raw(String(width));
  return sql`('x' || encode(substring(${column} from ${bytes} * p.o + 1 for ${bytes}), 'hex'))::${type}`;
};
