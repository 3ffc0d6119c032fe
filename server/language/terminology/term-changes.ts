import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { givenFields } from '#server/formats/term-fields.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireLanguagePair } from '#server/language/set-upload.ts';
import { readLanguage } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import { entryView } from './entries.ts';
import type { AddEntryRequest, AddedEntry } from './entry-schema.ts';
import { queueTermCheck, setNotFound, setView } from './sets.ts';
import { countByLanguages, requireCapacity, sizesOf } from './size-limits.ts';

/*
 * The parts of a change of single terms: the lock, the checks and the new revision.
 */

export type SetRow = typeof terminologySets.$inferSelect;
export type EntryRow = typeof terminologyEntries.$inferSelect;

/** A term without its place. Languages are codes; '' means any language. */
export type Term = Omit<EntryRow, 'tenantId' | 'setId' | 'entryNo'>;

/** Maximum number of other translations of the same term that a response lists. */
const maxOthers = 20;

/**
 * Runs a change of a glossary's terms. Uses the same lock as an upload: two changes must not both use the same free
 * capacity, or the same entry number.
 * @param prepare checks the request after the caller is authenticated
 * @throws AppError 404 for an unknown glossary or one of another tenant
 */
export async function changeGlossary<P, R>(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  setId: string,
  prepare: () => P,
  change: (tx: Tx, set: SetRow, prepared: P) => Promise<R>,
): Promise<R> {
  const { tenantId, prepared } = await withTenant(async (_tx, { tenant }) => ({
    tenantId: tenant.id,
    prepared: prepare(),
  }));
  return withTenantLock(database, tenantId, 'terminology', async (tx) => {
    // Lock the set's row first: if the glossary is being deleted, this statement is blocked until then and finds no
    // row.
    const [set] = await tx
      .select()
      .from(terminologySets)
      .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)))
      .for('update');
    if (!set) throw setNotFound();
    return change(tx, set, prepared);
  });
}

/** Changes a set's count, and its revision, by which compiled glossaries are cached. */
export async function renewSet(tx: Tx, { tenantId, setId }: SetRow, added: number): Promise<SetRow> {
  const [set] = await tx
    .update(terminologySets)
    .set({
      entryCount: sql`${terminologySets.entryCount} + ${added}`,
      revision: newId(),
      updatedAt: sql`now()`,
    })
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)))
    .returning();
  if (!set) throw new Error('a locked glossary is gone');
  await queueTermCheck(tx, tenantId);
  return set;
}

/**
 * Requires that the term's languages are those of the glossary: if a glossary was uploaded for other languages, the
 * term could never apply.
 * @throws AppError 422
 */
export function requireLanguages(set: SetRow, { sourceLang, targetLang }: Term): void {
  const fits = (declared: string | null, language: string) =>
    declared === null || language === '' || readLanguage(declared) === language;
  if (fits(set.sourceLang, sourceLang) && fits(set.targetLang, targetLang)) return;
  throw new AppError(
    'unprocessable',
    `this glossary is for ${set.sourceLang ?? 'any language'} to ${set.targetLang ?? 'any language'}, not for ${sourceLang || 'any language'} to ${targetLang || 'any language'}`,
  );
}

/** Returns the terms of a set that have the same source and may apply to the same texts, the latest first. */
export async function selectSameSources(
  tx: Tx,
  { tenantId, setId }: SetRow,
  term: Term,
): Promise<EntryRow[]> {
  const rows = await tx
    .select()
    .from(terminologyEntries)
    .where(
      and(
        eq(terminologyEntries.tenantId, tenantId),
        eq(terminologyEntries.setId, setId),
        // A term for any language applies to the texts of every other term.
        term.sourceLang === '' ? undefined : inArray(terminologyEntries.sourceLang, [term.sourceLang, '']),
        term.targetLang === '' ? undefined : inArray(terminologyEntries.targetLang, [term.targetLang, '']),
      ),
    )
    .orderBy(sql`${terminologyEntries.entryNo} desc`);
  return rows.filter((row) => row.caseSensitive === term.caseSensitive && sourceOf(row) === sourceOf(term));
}

function sourceOf({ sourceTerm, caseSensitive }: Term): string {
  return caseSensitive ? normalForm(sourceTerm) : normalForm(sourceTerm).toLowerCase();
}

/** Returns the term that has the same translation; undefined without such a term. */
export function findDuplicate(same: readonly EntryRow[], { targetTerm }: Term): EntryRow | undefined {
  return same.find((row) => normalForm(row.targetTerm) === normalForm(targetTerm));
}

/**
 * Returns the different translations over which a new term takes precedence, at most `maxOthers`. Only preferred terms take
 * precedence, over other preferred ones.
 */
export function otherTargets(same: readonly EntryRow[], { status }: Term): string[] {
  if (status !== 'preferred') return [];
  const preferred = same.filter((row) => row.status === 'preferred');
  return [...new Set(preferred.map(({ targetTerm }) => normalForm(targetTerm)))].slice(0, maxOthers);
}

/**
 * Requires that the workspace has room for new terms.
 * @param without a term that they replace
 * @throws AppError 422
 */
export async function requireRoom(
  tx: Tx,
  settings: Services['settings'],
  { tenantId }: SetRow,
  added: readonly Term[],
  without: readonly Term[] = [],
): Promise<void> {
  // The empty name excludes no set, so all existing sets are counted.
  const held = await countByLanguages(tx, tenantId, '');
  const freed = sizesOf(without).map((size) => ({
    ...size,
    terms: -size.terms,
    characters: -size.characters,
  }));
  requireCapacity([...held, ...freed], sizesOf(added), settings);
}

/** Adds a term after the last one. */
export async function insertLast(tx: Tx, { tenantId, setId }: SetRow, term: Term): Promise<EntryRow> {
  const [last] = await tx
    .select({ entryNo: terminologyEntries.entryNo })
    .from(terminologyEntries)
    .where(and(eq(terminologyEntries.tenantId, tenantId), eq(terminologyEntries.setId, setId)))
    .orderBy(sql`${terminologyEntries.entryNo} desc`)
    .limit(1);
  const entry = { ...term, tenantId, setId, entryNo: (last?.entryNo ?? 0) + 1 };
  await tx.insert(terminologyEntries).values(entry);
  return entry;
}

/**
 * Adds one term to the end of a glossary. The glossary gets a new revision, so that the next translation uses the term.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409 if it already has the term with this
 *   translation; 422 if the glossary is for other languages or would become too large
 */
export function addEntry(
  services: Pick<Services, 'database' | 'settings'>,
  withTenant: WithTenant,
  request: AddEntryRequest,
): Promise<AddedEntry> {
  const prepare = () => {
    const { source, target } = requireLanguagePair(request);
    const { source_term: sourceTerm, case_sensitive: caseSensitive } = request;
    const fields = givenFields(request);
    const targetTerm = fields.doNotTranslate ? sourceTerm : request.target_term;
    return {
      ...{ sourceLang: source.code, targetLang: target.code, sourceTerm, targetTerm },
      ...{ caseSensitive, priority: 0, ...fields },
    };
  };
  return changeGlossary(services, withTenant, request.set_id, prepare, async (tx, set, term) => {
    requireLanguages(set, term);
    const same = await selectSameSources(tx, set, term);
    if (findDuplicate(same, term))
      throw new AppError('conflict', 'the glossary already has this term and translation');
    await requireRoom(tx, services.settings, set, [term]);
    const entry = await insertLast(tx, set, term);
    const renewed = await renewSet(tx, set, 1);
    return { set: setView(renewed), entry: entryView(entry), other_targets: otherTargets(same, term) };
  });
}
