import { and, count, eq, gte, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import { AppError } from '#server/errors.ts';
import type { GlossaryFileEntry } from '#server/formats/glossary-file.ts';
import { fieldView } from '#server/formats/term-fields.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { LanguagePairs, TerminologySet } from './schema.ts';

/** The error for a glossary that is unknown or belongs to another tenant. */
export const setNotFound = () => new AppError('not_found', 'terminology set not found');

export const nameTaken = () => new AppError('state_conflict', 'another glossary has this name');

export async function listSets(tx: Tx, tenantId: string): Promise<TerminologySet[]> {
  return (await selectSets(tx, tenantId)).map(setView);
}

/** @throws AppError 404 if the set is unknown or belongs to another tenant */
export async function removeSet(tx: Tx, tenantId: string, setId: string): Promise<void> {
  if (!(await deleteSet(tx, tenantId, setId))) throw setNotFound();
  await queueTermCheck(tx, tenantId);
}

/**
 * Counts the terms of a set for each language pair, in the order of their first terms.
 * @throws AppError 404 if the set is unknown or belongs to another tenant
 */
export async function countPairs(tx: Tx, tenantId: string, setId: string): Promise<LanguagePairs> {
  const { sourceLang, targetLang, entryNo } = terminologyEntries;
  const rows = await tx
    .select({ source: sourceLang, target: targetLang, terms: count() })
    .from(terminologyEntries)
    .where(and(eq(terminologyEntries.tenantId, tenantId), eq(terminologyEntries.setId, setId)))
    .groupBy(sourceLang, targetLang)
    .orderBy(sql`min(${entryNo})`);
  if (rows.length === 0 && !(await selectSets(tx, tenantId)).some((set) => set.setId === setId))
    throw setNotFound();
  return rows.map(({ source, target, terms }) => ({
    source_lang: source || null,
    target_lang: target || null,
    entry_count: terms,
  }));
}

/**
 * Queues the check of the open segments of the tenant's documents, after a change of the terms. Several changes within a
 * minute need one check.
 */
export function queueTermCheck(tx: Tx, tenantId: string): Promise<void> {
  const changedAt = new Date().toISOString();
  return addJob(
    tx,
    'recheck_terms',
    { tenantId, documentId: '', after: null, changedAt },
    {
      key: `recheck_terms:${tenantId}`,
      ...{ afterSeconds: 5, postpone: { seconds: 60 }, priority: 1 },
      flags: [ofChange(changedAt)],
    },
  );
}

/** The flag of the checks of all documents after a change of the terms. @param changedAt in ISO 8601 format, UTC */
export const ofChange = (changedAt: string) => `change:${changedAt}`;

/**
 * Queues the check of the open segments of one document: their terms may have changed since they were checked. Several
 * calls within a few seconds need one check.
 */
export function queueTermCheckOf(tx: Tx, tenantId: string, documentId: string): Promise<void> {
  return addJob(
    tx,
    'recheck_terms',
    { tenantId, documentId, after: -1, changedAt: new Date().toISOString(), single: true },
    { key: `recheck_terms:${documentId}`, afterSeconds: 5, priority: 1 },
  );
}

/** Whether a set was created or changed since then. */
export async function haveSetsChanged(tx: Tx, tenantId: string, since: Date): Promise<boolean> {
  const rows = await tx
    .select({ setId: terminologySets.setId })
    .from(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), gte(terminologySets.updatedAt, since)))
    .limit(1);
  return rows.length > 0;
}

type SetRow = typeof terminologySets.$inferSelect;

/** A term with the languages to which it applies; '' means any language. */
export interface NewEntry extends Omit<GlossaryFileEntry, 'sourceLang' | 'targetLang'> {
  sourceLang: string;
  targetLang: string;
}

/**
 * Creates a set with this name. If the name exists, removes the terms of the set and updates its description; the set
 * keeps its id.
 */
export async function replaceSet(tx: Tx, set: typeof terminologySets.$inferInsert): Promise<SetRow> {
  const { tenantId, setId, name: _, ...described } = set;
  const [row] = await tx
    .insert(terminologySets)
    .values(set)
    .onConflictDoUpdate({
      target: [terminologySets.tenantId, terminologySets.name],
      set: { ...described, updatedAt: sql`now()` },
    })
    .returning();
  const stored = row as SetRow;
  if (stored.setId !== setId)
    await tx.execute(
      sql`delete from terminology_entries where tenant_id = ${tenantId} and set_id = ${stored.setId}`,
    );
  await queueTermCheck(tx, tenantId);
  return stored;
}

export async function insertEntries(
  tx: Tx,
  tenantId: string,
  setId: string,
  entries: readonly NewEntry[],
): Promise<void> {
  const rows = entries.map((entry, index) => ({
    n: index + 1,
    sl: entry.sourceLang,
    tl: entry.targetLang,
    s: entry.sourceTerm,
    t: entry.targetTerm,
    c: entry.caseSensitive,
    p: entry.priority,
    ...fieldView(entry),
  }));
  await tx.execute(sql`
    insert into terminology_entries (tenant_id, set_id, entry_no, source_lang, target_lang, source_term, target_term,
      case_sensitive, priority, definition, note, part_of_speech, gender, status, do_not_translate, domain, picture)
    select ${tenantId}, ${setId}, n, sl, tl, s, t, c, p, definition, note, part_of_speech, gender,
      coalesce(status, 'preferred'), coalesce(do_not_translate, false), domain, picture
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as r(n integer, sl text, tl text, s text, t text, c boolean, p integer, definition text, note text,
        part_of_speech text, gender text, status text, do_not_translate boolean, domain text, picture text)`);
}

/** Returns the set with this name, which cannot be deleted until the transaction ends. */
export async function lockSet(tx: Tx, tenantId: string, name: string): Promise<SetRow | undefined> {
  const [set] = await tx
    .select()
    .from(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.name, name)))
    .for('update');
  return set;
}

/** Counts a tenant's sets. Returns undefined if one of them has this name. */
export async function countOtherSets(tx: Tx, tenantId: string, name: string): Promise<number | undefined> {
  const [row] = await tx
    .select({ sets: count(), named: sql<boolean>`coalesce(bool_or(name = ${name}), false)` })
    .from(terminologySets)
    .where(eq(terminologySets.tenantId, tenantId));
  return row?.named ? undefined : row?.sets;
}

function selectSets(tx: Tx, tenantId: string): Promise<SetRow[]> {
  return tx
    .select()
    .from(terminologySets)
    .where(eq(terminologySets.tenantId, tenantId))
    .orderBy(sql`${terminologySets.updatedAt} desc, ${terminologySets.setId}`);
}

/** Deletes a set with its terms. Returns whether the set existed. */
async function deleteSet(tx: Tx, tenantId: string, setId: string): Promise<boolean> {
  const rows = await tx
    .delete(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)))
    .returning({ setId: terminologySets.setId });
  return rows.length > 0;
}

export function setView(row: SetRow): TerminologySet {
  return {
    id: row.setId,
    name: row.name,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    entry_count: row.entryCount,
    embedding_model: row.embeddingModel,
    stub_embeddings: row.embeddingModel === null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
