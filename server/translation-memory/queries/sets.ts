import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memorySets } from '#db/schema/translation-memory.ts';

export type SetRow = typeof memorySets.$inferSelect;

/** A golden set's pairs are counted; an import's are known. */
const counted = {
  set: memorySets,
  // With the tables' names: of a query over one table, columns are written without.
  entries: sql<number>`case when origin = 'tmx_import' then entry_count else (
    select count(*) from memory_segments m where m.tenant_id = memory_sets.tenant_id
      and m.set_id = memory_sets.set_id) end`.mapWith(Number),
  /** When a golden set's newest pair was approved, ISO 8601. */
  newest: sql<string | null>`case when origin <> 'tmx_import' then (
    select to_json(max(m.changed_at)) #>> '{}' from memory_segments m where m.tenant_id = memory_sets.tenant_id
      and m.set_id = memory_sets.set_id) end`,
};

/** A tenant's sets, the newest first. */
export async function selectSets(tx: Tx, tenantId: string): Promise<SetRow[]> {
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

export function selectSetByName(tx: Tx, tenantId: string, name: string): Promise<SetRow | undefined> {
  return selectSet(tx, and(eq(memorySets.tenantId, tenantId), eq(memorySets.name, name)));
}

async function selectSet(tx: Tx, where: SQL | undefined): Promise<SetRow | undefined> {
  const [row] = await tx.select().from(memorySets).where(where);
  return row;
}

/** Deletes a set with all that belongs to it; answers whether there was one. */
export async function deleteSet(tx: Tx, tenantId: string, setId: string): Promise<boolean> {
  const rows = await tx
    .delete(memorySets)
    .where(and(eq(memorySets.tenantId, tenantId), eq(memorySets.setId, setId)))
    .returning({ setId: memorySets.setId });
  return rows.length > 0;
}

export interface NewSet {
  tenantId: string;
  setId: string;
  name: string;
  sourceLang: string;
  targetLang: string;
  pairSource: string;
  pairTarget: string;
  entryCount: number;
  embeddingModel: string | null;
}

/**
 * The imported set of a name, made, or emptied and described anew: it keeps its id and its `created_at` (B 3.3).
 * Whoever looks sees the old segments until this transaction commits.
 */
export async function replaceSet(tx: Tx, set: NewSet): Promise<SetRow> {
  const { tenantId, setId, name, ...described } = set;
  const [row] = await tx
    .insert(memorySets)
    .values({ ...set, origin: 'tmx_import' })
    .onConflictDoUpdate({
      target: [memorySets.tenantId, memorySets.name],
      set: { ...described, updatedAt: sql`now()` },
    })
    .returning();
  const stored = row as SetRow;
  if (stored.setId !== setId) await emptySet(tx, tenantId, stored.setId);
  return stored;
}

async function emptySet(tx: Tx, tenantId: string, setId: string): Promise<void> {
  await Promise.all([
    tx.execute(sql`delete from memory_shards where tenant_id = ${tenantId} and set_id = ${setId}`),
    tx.execute(sql`delete from memory_vectors where tenant_id = ${tenantId} and set_id = ${setId}`),
    tx.execute(sql`delete from memory_segments where tenant_id = ${tenantId} and set_id = ${setId}`),
  ]);
}
