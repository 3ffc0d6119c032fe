import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memorySets } from '#db/schema/translation-memory.ts';
import { AppError } from '#server/errors.ts';
import type { LanguagePair } from '#server/languages.ts';
import type { MemorySet } from './schema.ts';
import type { SetVersion } from './versions.ts';

export async function listSets(tx: Tx, tenantId: string): Promise<MemorySet[]> {
  return (await selectSets(tx, tenantId)).map(setView);
}

export type SetRow = typeof memorySets.$inferSelect;

/** @throws AppError 404 for a set that is unknown or belongs to another tenant */
export function requireSet(set: SetRow | undefined): SetRow {
  if (!set) throw new AppError('not_found', 'translation memory set not found');
  return set;
}

/** The sets that lists show. */
export const isListed = ne(memorySets.origin, 'golden_sentences');

/** The number of segments: those of a golden set are counted; an imported set stores the number. */
const counted = {
  set: memorySets,
  // The table names are written out, because Drizzle omits them in a query on one table.
  entries: sql<number>`case when origin = 'tmx_import' then entry_count
    else ${segmentsOf(sql`memory_sets.tenant_id`, sql`memory_sets.content_id`)} end`.mapWith(Number),
  /**
   * When the latest segment of a golden set was approved, ISO 8601. Reads only the last 100 stored segments: they are
   * stored in the order of approval, except if they were approved at the same time.
   */
  latest: sql<string | null>`case when origin <> 'tmx_import' then (
    select to_json(max(m.changed_at)) #>> '{}' from (
      select m.changed_at from memory_segments m where m.tenant_id = memory_sets.tenant_id
        and m.content_id = memory_sets.content_id order by m.segment_no desc limit 100) m) end`,
};

/** Selects a tenant's sets, latest first. */
async function selectSets(tx: Tx, tenantId: string): Promise<SetRow[]> {
  const rows = await tx
    .select(counted)
    .from(memorySets)
    .where(and(eq(memorySets.tenantId, tenantId), isListed))
    .orderBy(memorySets.setId);
  const sets = rows.map(({ set, entries, latest }) => {
    const updated = latest === null ? 0 : Date.parse(latest);
    return {
      ...set,
      entryCount: entries,
      updatedAt: new Date(Math.max(set.updatedAt.getTime(), updated)),
    };
  });
  return sets.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime());
}

export function selectSetById(tx: Tx, tenantId: string, setId: string): Promise<SetRow | undefined> {
  return selectSet(tx, and(eq(memorySets.tenantId, tenantId), eq(memorySets.setId, setId)));
}

/** Returns a set and locks it until the transaction ends, so that its active version cannot change. */
export async function lockSetById(tx: Tx, tenantId: string, setId: string): Promise<SetRow | undefined> {
  const [row] = await tx
    .select()
    .from(memorySets)
    .where(and(eq(memorySets.tenantId, tenantId), eq(memorySets.setId, setId), isListed))
    .for('update');
  return row;
}

export function selectSetByName(tx: Tx, tenantId: string, name: string): Promise<SetRow | undefined> {
  return selectSet(tx, and(eq(memorySets.tenantId, tenantId), eq(memorySets.name, name)));
}

async function selectSet(tx: Tx, where: SQL | undefined): Promise<SetRow | undefined> {
  const [row] = await tx.select().from(memorySets).where(and(where, isListed));
  return row;
}

interface NewSet {
  tenantId: string;
  setId: string;
  versionId: string;
  name: string;
  sourceLang: string;
  targetLang: string;
  pairSource: string;
  pairTarget: string;
  entryCount: number;
  embeddingModel: string | null;
}

/**
 * Makes a staged version the active version of the imported set with this name. An existing set keeps its id and
 * `created_at`. Readers see the previous version until this transaction commits. Returns the previous version as
 * `replaced`; the caller must delete it.
 */
export async function activateVersion(
  tx: Tx,
  set: NewSet,
): Promise<{ set: SetRow; replaced: SetVersion | undefined }> {
  const { tenantId, setId, name, ...described } = set;
  const [active] = await tx
    .select({ versionId: memorySets.versionId })
    .from(memorySets)
    .where(and(eq(memorySets.tenantId, tenantId), eq(memorySets.name, name)))
    .for('update');
  const [row] = await tx
    .insert(memorySets)
    .values({ ...set, origin: 'tmx_import' })
    .onConflictDoUpdate({
      target: [memorySets.tenantId, memorySets.name],
      set: { ...described, updatedAt: sql`now()` },
    })
    .returning();
  return { set: row as SetRow, replaced: active && { tenantId, versionId: active.versionId } };
}

/** Returns the origin in the form of a response. The sentences of a golden set belong to it. */
export function shownOrigin({ origin }: Pick<SetRow, 'origin'>): MemorySet['origin'] {
  return origin === 'tmx_import' ? 'tmx_import' : 'golden_approved';
}

function setView(row: SetRow): MemorySet {
  return {
    id: row.setId,
    name: row.name,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    origin: shownOrigin(row),
    entry_count: row.entryCount,
    embedding_model: row.embeddingModel,
    stub_embeddings: row.embeddingModel === null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The numbers that only the response to an upload has. */
interface ImportCounts {
  totalUnits: number;
  skippedUnits: number;
  duplicatesDropped: number;
}

export function createdSetView(row: SetRow, counts: ImportCounts): MemorySet {
  return {
    ...setView(row),
    total_units: counts.totalUnits,
    imported: row.entryCount,
    skipped_units: counts.skippedUnits,
    duplicates_dropped: counts.duplicatesDropped,
  };
}

const prefix = 'golden-approved-';

export function goldenSetName({ pairSource, pairTarget }: LanguagePair): string {
  return `${prefix}${pairSource}-${pairTarget}`;
}

/** The end of the name of the set with the sentences of a golden set. */
export const sentencesSuffix = '/sentences';

/** Returns the name of the set with the sentences of a language pair's golden set. */
export function sentenceSetName(pair: LanguagePair): string {
  return `${goldenSetName(pair)}${sentencesSuffix}`;
}

/**
 * Creates the golden set of a language pair or the set of its sentences, if it does not exist. The name of its version is the name of the set: so
 * two concurrent first approvals create only one version. They conflict in both unique indexes of the sets, so the
 * statement must name neither: a conflict in the other one would be an error, and the segment would be lost.
 */
export async function ensureSet(
  tx: Tx,
  tenantId: string,
  set: LanguagePair & Pick<SetRow, 'setId' | 'name' | 'origin' | 'embeddingModel'>,
): Promise<void> {
  // Sentences have the penalties of their golden set, which its new segment has locked.
  const ofGolden = (column: string) =>
    set.origin === 'golden_sentences'
      ? sql`coalesce((select ${sql.raw(column)} from memory_sets where tenant_id = ${tenantId}
          and name = ${goldenSetName(set)}), 0)`
      : sql`0`;
  await tx.execute(sql`
    with version as (
      insert into memory_contents (tenant_id, content_id) select ${tenantId}, ${set.name}
      where not exists (select from memory_sets where tenant_id = ${tenantId} and name = ${set.name})
      on conflict do nothing)
    insert into memory_sets (tenant_id, set_id, content_id, name, source_lang, target_lang, pair_source, pair_target,
      origin, entry_count, embedding_model, penalty, age_penalty)
    values (${tenantId}, ${set.setId}, ${set.name}, ${set.name}, ${set.pairSource}, ${set.pairTarget},
      ${set.pairSource}, ${set.pairTarget}, ${set.origin}, 0, ${set.embeddingModel}, ${ofGolden('penalty')}, ${ofGolden('age_penalty')})
    on conflict do nothing`);
}

/** Whether a name is reserved for golden sets. Ignores letter case. */
export function isGoldenName(name: string): boolean {
  return name.toLowerCase().startsWith(prefix);
}

/**
 * SQL for the number of segments of a golden set's version. Each shard stores how many it has, so only segments in no
 * shard are counted. Every publication runs this, so it must not scan a large TM.
 */
export function segmentsOf(tenantId: SQL, versionId: SQL): SQL {
  return sql`(
  (select coalesce(sum(d.segments), 0) from memory_shards d
    where d.tenant_id = ${tenantId} and d.content_id = ${versionId})
  + (select count(*) from memory_segments m where m.tenant_id = ${tenantId} and m.content_id = ${versionId}
    and (m.shard_no is null or m.shard_no < 0)))`;
}

/**
 * SQL for the number of segments that a tenant has for a language pair, over all sets: the stored number of each
 * imported set; for an import in progress, the larger of its new and its previous number; and the number of approved
 * translations. `without` names a set that is being replaced.
 */
export function segmentsOfPair(
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
  without: string | null,
): SQL {
  const ofPair = sql`tenant_id = ${tenantId} and pair_source = ${pairSource} and pair_target = ${pairTarget}`;
  return sql`(
    (select coalesce(sum(entry_count), 0) from memory_sets s where ${ofPair} and origin = 'tmx_import'
      and name is distinct from ${without}::text and not exists (select from memory_imports i
        where i.tenant_id = s.tenant_id and i.set_name = s.name and i.status = 'running'
          and i.pair_source = s.pair_source and i.pair_target = s.pair_target))
    + (select coalesce(sum(greatest(i.deduped_units, (select s.entry_count from memory_sets s
        where s.tenant_id = i.tenant_id and s.name = i.set_name
          and s.pair_source = i.pair_source and s.pair_target = i.pair_target))), 0)
      from memory_imports i where ${ofPair} and status = 'running')
    + (select coalesce(sum(${segmentsOf(sql`g.tenant_id`, sql`g.content_id`)}), 0) from (
        select tenant_id, content_id from memory_sets where ${ofPair} and origin = 'golden_approved' offset 0) g))`;
}

/**
 * Counts the sets that a tenant has uploaded, including those whose first import is in progress. Returns undefined if
 * one of them has this name. Golden sets do not count: there is at most one for each language pair, and adding a
 * published job to the TM must never fail the job.
 */
export async function countOtherSets(tx: Tx, tenantId: string, name: string): Promise<number | undefined> {
  const [row] = await tx.execute<{ sets: number; named: boolean }>(sql`
    select count(*)::int as sets, coalesce(bool_or(name = ${name}), false) as named from (
      select name from memory_sets where tenant_id = ${tenantId} and origin = 'tmx_import'
      union
      select set_name from memory_imports where tenant_id = ${tenantId} and status = 'running') uploaded`);
  return row?.named ? undefined : row?.sets;
}

export async function countSegmentsOfPair(
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  without: string | null,
): Promise<number> {
  const [row] = await tx.execute<{ count: string }>(
    sql`select ${segmentsOfPair(tenantId, pair, without)} as count`,
  );
  return Number(row?.count ?? 0);
}
