import { setImmediate } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import type { LanguagePair } from '#server/languages.ts';
import type { PostingCache, PostingList } from './posting-cache.ts';

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

/** A text whose posting lists are read. */
interface PostingsLookup {
  buckets: readonly number[];
  /** Maximum number of postings that are read in each shard. */
  budget: number;
}

/**
 * Returns for each text the posting lists of its buckets from all shards of a language pair: the shards of single sets, and
 * those that small sets share. Only the rarest lists of each shard, up to the budget of the text, are returned with their
 * ordinals; the others only with their count. Text and numbers are compared only for equality: with other operators, no
 * index would be used under row-level security.
 * @param also runs in the first transaction, and must send its statements at once
 */
export async function selectPostings<T>(
  database: Database,
  cache: PostingCache,
  tenantId: string,
  pair: LanguagePair,
  texts: readonly PostingsLookup[],
  also: (tx: Tx) => Promise<T>,
): Promise<[FoundShard[][], T]> {
  const buckets = [...new Set(texts.flatMap((text) => text.buckets))];
  const [shards, other] = await database.inTenant(tenantId, (tx) =>
    Promise.all([
      selectShards(tx, tenantId, pair).then(async (shards) => {
        await addKnown(cache, shards, buckets);
        await readLists(tx, cache, tenantId, pair, await unreadOf(shards, buckets, texts), texts);
        return shards;
      }),
      also(tx),
    ]),
  );
  // Only now all counts are known. The rarest lists have been read nearly always.
  const unread = await unreadOf(shards, buckets, texts);
  if (unread.length > 0)
    await database.inTenant(tenantId, (tx) => readLists(tx, cache, tenantId, pair, unread, texts));
  const found = texts.map((text) =>
    shards.map(({ found, lists }) => {
      const { lists: rarest, read } = rarestLists(lists, text);
      return {
        ...found,
        lists: rarest.map(({ bucket, count, ordinals }, place) => ({
          ...{ bucket, count },
          ordinals: (place < read ? ordinals : undefined) ?? noOrdinals,
        })),
      };
    }),
  );
  return [found, other];
}

/** Adds the lists and length marks that the cache has. */
async function addKnown(
  cache: PostingCache,
  shards: readonly ShardReading[],
  buckets: readonly number[],
): Promise<void> {
  let begun = performance.now();
  for (const shard of shards) {
    const known = cache.lists(shard.key);
    for (const bucket of buckets) {
      const list = known(bucket);
      if (list) shard.lists.set(bucket, list);
    }
    shard.found.lengthMarks = cache.lengthMarks(shard.key) ?? noOrdinals;
    begun = await pause(begun);
  }
}

/** Returns what must be read: lists that are unknown, and the ordinals of those that are the rarest of the known ones. */
async function unreadOf(
  shards: readonly ShardReading[],
  buckets: readonly number[],
  texts: readonly PostingsLookup[],
): Promise<ReadPart[]> {
  const unread: ReadPart[] = [];
  let begun = performance.now();
  for (const shard of shards) {
    const unknown = buckets.filter((bucket) => !shard.lists.has(bucket));
    const wanted = texts.flatMap((text) => {
      const { lists, read } = rarestLists(shard.lists, text);
      return lists.slice(0, read).flatMap(({ bucket, ordinals }) => (ordinals ? [] : bucket));
    });
    if (unknown.length > 0 || wanted.length > 0 || shard.found.lengthMarks === noOrdinals)
      unread.push({ shard, unknown, wanted: [...new Set(wanted)] });
    begun = await pause(begun);
  }
  return unread;
}

const noOrdinals = new Uint8Array();
/** Milliseconds after which other requests may run. */
const maxSliceMs = 3;

/** Lets other requests run if the time of a slice is over. Returns when the current slice began. */
export async function pause(begun: number): Promise<number> {
  if (performance.now() - begun < maxSliceMs) return begun;
  await setImmediate();
  return performance.now();
}

/** Returns the lists of a text in one shard, the rarest first, and how many of them are within its budget. */
function rarestLists(
  known: ReadonlyMap<number, PostingList>,
  { buckets, budget }: PostingsLookup,
): { lists: PostingList[]; read: number } {
  const lists: PostingList[] = [];
  for (const bucket of buckets) {
    const list = known.get(bucket);
    if (list && list.count > 0) lists.push(list);
  }
  lists.sort((a, b) => a.count - b.count || a.bucket - b.bucket);
  let [read, postings] = [0, 0];
  while (read < lists.length && postings + lists[read]!.count <= budget) postings += lists[read++]!.count;
  return { lists, read };
}

/** A shard that a look-up reads. */
interface ShardReading {
  /** The key of the shard in the cache. */
  key: string;
  found: FoundShard;
  /** The lists that are known, by bucket. */
  lists: Map<number, PostingList>;
}

/** A shard, the buckets of which nothing is known, and those whose ordinals are needed, too. */
interface ReadPart {
  shard: ShardReading;
  unknown: number[];
  wanted: number[];
}

/**
 * Returns the shards of a language pair. Their version is the transaction that wrote the row: a shard that replaces another
 * one can have the same number.
 */
async function selectShards(tx: Tx, tenantId: string, pair: LanguagePair): Promise<ShardReading[]> {
  const [own, shared] = await Promise.all([
    tx.execute<ShardRow & { content_id: string }>(sql`
      select d.content_id, d.shard_no, d.segments, d.xmin::text as version from ${shardsOfPair(tenantId, pair)}`),
    tx.execute<ShardRow & { contents: string[]; gone: number[] | null; places: string | null }>(sql`
      select d.shard_no, d.segments, d.xmin::text as version,
        array_to_json(array(select c.value ->> 0 from jsonb_array_elements(d.contents) c)) as contents,
        gone.places as gone, case when gone.places is not null then encode(d.content_places, 'base64') end as places
      from memory_pair_shards d cross join lateral (
        select json_agg(c.at - 1) as places from jsonb_array_elements(d.contents) with ordinality as c(value, at)
        where c.value ->> 0 not in (select content_id from ${setsOfPair(tenantId, pair)})) gone
      where ${ofPair(sql`d`, tenantId, pair)}`),
  ]);
  const reading = (key: string, found: Omit<FoundShard, 'lengthMarks' | 'lists'>): ShardReading => ({
    key: `${tenantId} ${key}`,
    found: { ...found, lengthMarks: noOrdinals, lists: [] },
    lists: new Map(),
  });
  return [
    ...own.map(({ content_id, shard_no, segments, version }) =>
      reading(`${content_id} ${shard_no} ${version}`, {
        ...{ versionId: content_id, shardNo: shard_no, segments, contents: [], isGone: undefined },
      }),
    ),
    ...shared.map(({ shard_no, segments, version, contents, gone, places }) =>
      reading(`${pair.pairSource} ${pair.pairTarget} ${shard_no} ${version}`, {
        ...{ versionId: null, shardNo: shard_no, segments, contents },
        isGone: gone === null || places === null ? undefined : isAmong(gone, Buffer.from(places, 'base64')),
      }),
    ),
  ];
}

type ShardRow = { shard_no: number; segments: number; version: string };

/**
 * Reads lists of some shards, and their length marks, as the last of the transaction. Of unknown lists, the ordinals of the rarest are read in the same
 * round trip: together as many as the texts may read.
 */
async function readLists(
  tx: Tx,
  cache: PostingCache,
  tenantId: string,
  pair: LanguagePair,
  unread: readonly ReadPart[],
  texts: readonly PostingsLookup[],
): Promise<void> {
  const budgets = texts.map(({ budget }) => budget);
  const [most, sum] = [Math.max(...budgets), budgets.reduce((all, one) => all + one, 0)];
  const partsOf = (isOwn: boolean) =>
    unread.flatMap(({ shard: { found }, unknown, wanted }, at) =>
      (found.versionId !== null) === isOwn
        ? [{ at, c: found.versionId, d: found.shardNo, b: [...unknown, ...wanted], o: wanted }]
        : [],
    );
  const kinds = [true, false].flatMap((isOwn) => {
    const parts = partsOf(isOwn);
    return parts.length > 0 ? [{ isOwn, parts }] : [];
  });
  const rows = await Promise.all(
    kinds.map(({ isOwn, parts }, index) => {
      const [shardsTable, listsTable] = isOwn
        ? [sql`memory_shards`, sql`memory_postings`]
        : [sql`memory_pair_shards`, sql`memory_pair_postings`];
      const ofShard = isOwn
        ? sql`d.tenant_id = ${tenantId} and d.content_id = w.c and d.shard_no = w.d`
        : sql`${ofPair(sql`d`, tenantId, pair)} and d.shard_no = w.d`;
      const statement = tx.execute<{
        at: number;
        marks: string;
        lists: string | null;
        ordinals: string | null;
      }>(sql`
        select w.at, s.marks, l.lists, l.ordinals
        from json_to_recordset(${JSON.stringify(parts)}::json) as w(at int, c text, d int, b json, o json)
        cross join lateral (select encode(d.length_marks, 'base64') as marks from ${shardsTable} d where ${ofShard} offset 0) s
        cross join lateral (
          select string_agg(bucket || ' ' || count || ' ' || coalesce(octet_length(ordinals), -1), ',' order by bucket) as lists,
            encode(string_agg(ordinals, ''::bytea order by bucket), 'base64') as ordinals
          from (
            select d.bucket, d.count, case when is_wanted or (d.count <= ${most}::int
              and sum(d.count) over (partition by is_wanted order by d.count, d.bucket) <= ${sum}::int) then d.ordinals end as ordinals
            from (
              select d.*, d.bucket = any(array(select o.value::int from json_array_elements_text(w.o) o)) as is_wanted
              from ${listsTable} d where ${ofShard}
                and d.bucket = any(array(select b.value::int from json_array_elements_text(w.b) b))) d) d) l`);
      // `then` sends the statement, before COMMIT.
      return index === kinds.length - 1 ? tx.last(statement) : statement.then((found) => found);
    }),
  );
  let begun = performance.now();
  for (const { at, marks, lists, ordinals } of rows.flat()) {
    const { shard, unknown } = unread[at]!;
    shard.found.lengthMarks = new Uint8Array(Buffer.from(marks, 'base64'));
    cache.addLengthMarks(shard.key, shard.found.lengthMarks);
    const bytes = Buffer.from(ordinals ?? '', 'base64');
    const add = (list: PostingList) => {
      shard.lists.set(list.bucket, list);
      cache.add(shard.key, list);
    };
    for (const bucket of unknown) shard.lists.set(bucket, { bucket, count: 0, ordinals: undefined });
    let end = 0;
    for (const list of lists?.split(',') ?? []) {
      const [bucket, count, length] = list.split(' ').map(Number) as [number, number, number];
      const begin = end;
      end += Math.max(0, length);
      add({ bucket, count, ordinals: length < 0 ? undefined : bytes.subarray(begin, end) });
    }
    for (const bucket of unknown) {
      const list = shard.lists.get(bucket)!;
      if (list.count === 0) cache.add(shard.key, list);
    }
    begun = await pause(begun);
  }
}

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
