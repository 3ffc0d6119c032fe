import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memorySets } from '#db/schema/translation-memory.ts';
import type { Pair } from './language-pair.ts';
import type { MemorySet } from './schema.ts';
import { segmentsOf } from './size-limits.ts';
import type { SetVersion } from './versions.ts';

export async function listSets(tx: Tx, tenantId: string): Promise<MemorySet[]> {
  return (await selectSets(tx, tenantId)).map(setView);
}

export type SetRow = typeof memorySets.$inferSelect;

/** The segments of a golden set are counted; an imported set stores its count. */
const counted = {
  set: memorySets,
  // Write the table names out: Drizzle leaves them out in a query over one table.
  entries: sql<number>`case when origin = 'tmx_import' then entry_count
    else ${segmentsOf(sql`memory_sets.tenant_id`, sql`memory_sets.content_id`)} end`.mapWith(Number),
  /**
   * When a golden set's newest pair was approved, ISO 8601. Looks only at the last 100 stored pairs: pairs are stored in the
   * order of their approval, except those approved at the same time.
   */
  newest: sql<string | null>`case when origin <> 'tmx_import' then (
    select to_json(max(m.changed_at)) #>> '{}' from (
      select m.changed_at from memory_segments m where m.tenant_id = memory_sets.tenant_id
        and m.content_id = memory_sets.content_id order by m.segment_no desc limit 100) m) end`,
};

/** A tenant's sets, the newest first. */
async function selectSets(tx: Tx, tenantId: string): Promise<SetRow[]> {
  const rows = await tx
    .select(counted)
    .from(memorySets)
    .where(eq(memorySets.tenantId, tenantId))
    .orderBy(memorySets.setId);
  const sets = rows.map(({ set, entries, newest }) => {
    const updated = newest === null ? 0 : Date.parse(newest);
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
    .where(and(eq(memorySets.tenantId, tenantId), eq(memorySets.setId, setId)))
    .for('update');
  return row;
}

export function selectSetByName(tx: Tx, tenantId: string, name: string): Promise<SetRow | undefined> {
  return selectSet(tx, and(eq(memorySets.tenantId, tenantId), eq(memorySets.name, name)));
}

async function selectSet(tx: Tx, where: SQL | undefined): Promise<SetRow | undefined> {
  const [row] = await tx.select().from(memorySets).where(where);
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
 * Makes a staged version the active one of the imported set with this name. A set that exists keeps its id and `created_at`
 * (B 3.3). Readers see the old version until this transaction commits. Returns that version as `replaced`; the caller deletes it.
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

function setView(row: SetRow): MemorySet {
  return {
    id: row.setId,
    name: row.name,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    origin: row.origin,
    entry_count: row.entryCount,
    embedding_model: row.embeddingModel,
    stub_embeddings: row.embeddingModel === null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The counts that only the response to an upload has (B 2.9 "plus on create"). */
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

/** The name of the golden set of a language pair (B 2.9). */
export function goldenSetName({ pairSource, pairTarget }: Pair): string {
  return `${prefix}${pairSource}-${pairTarget}`;
}

/** Whether a name is reserved for golden sets, ignoring case. */
export function isGoldenName(name: string): boolean {
  return name.toLowerCase().startsWith(prefix);
}
