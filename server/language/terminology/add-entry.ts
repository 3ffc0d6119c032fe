import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import { type LanguageCode, readLanguage } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import { entryView } from './entries.ts';
import type { AddEntryRequest, AddedEntry } from './entry-schema.ts';
import { setView } from './sets.ts';
import { countByLanguages, requireCapacity, sizesOf } from './size-limits.ts';

/** Maximum number of other translations of the same term that a response lists. */
const maxOthers = 20;

/**
 * Adds one term to the end of a glossary. The glossary gets a new revision, so that the next translation uses the term.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409 if it already has the term with this
 *   translation; 422 if the glossary is for other languages or would become too large
 */
export async function addEntry(
  services: Pick<Services, 'database' | 'settings'>,
  withTenant: WithTenant,
  request: AddEntryRequest,
): Promise<AddedEntry> {
  const { tenantId, pair } = await withTenant(async (_tx, { tenant }) => ({
    tenantId: tenant.id,
    pair: requirePair(request),
  }));
  // The same lock as for an upload: two additions must not both use the same free capacity, or the same entry number.
  return withTenantLock(services.database, tenantId, 'terminology', async (tx) => {
    // Lock the set's row first: if the glossary is being deleted, this statement is blocked until then and finds no
    // row.
    const set = await renewSet(tx, tenantId, request.set_id);
    requireLanguages(set, pair);
    const others = await otherTargets(tx, tenantId, request, pair);
    const entry = {
      tenantId,
      setId: set.setId,
      entryNo: await nextNumber(tx, tenantId, set.setId),
      ...pair,
      sourceTerm: request.source_term,
      targetTerm: request.target_term,
      caseSensitive: request.case_sensitive,
      priority: 0,
    };
    // The empty name excludes no set, so all existing sets are counted.
    requireCapacity(await countByLanguages(tx, tenantId, ''), sizesOf([entry]), services.settings);
    await tx.insert(terminologyEntries).values(entry);
    return { set: setView(set), entry: entryView(entry), other_targets: others };
  });
}

interface Pair {
  sourceLang: LanguageCode;
  targetLang: LanguageCode;
}

function requirePair({ source_lang, target_lang }: AddEntryRequest): Pair {
  const sourceLang = requireDeclaredLanguage('source_lang', source_lang).code;
  const targetLang = requireDeclaredLanguage('target_lang', target_lang).code;
  if (sourceLang === targetLang)
    throw new AppError('validation_error', 'source_lang and target_lang are the same language');
  return { sourceLang, targetLang };
}

type SetRow = typeof terminologySets.$inferSelect;

/**
 * Adds the new entry to the set's count, and changes the revision, by which compiled glossaries are cached. Locks the
 * row.
 */
async function renewSet(tx: Tx, tenantId: string, setId: string): Promise<SetRow> {
  const [set] = await tx
    .update(terminologySets)
    .set({
      entryCount: sql`${terminologySets.entryCount} + 1`,
      revision: newId(),
      updatedAt: sql`now()`,
    })
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)))
    .returning();
  if (!set) throw new AppError('not_found', 'terminology set not found');
  return set;
}

/**
 * Requires that the term's languages are those of the glossary: if a glossary was uploaded for other languages, the
 * term could never apply.
 */
function requireLanguages(set: SetRow, { sourceLang, targetLang }: Pair): void {
  const fits = (declared: string | null, language: LanguageCode) =>
    declared === null || readLanguage(declared) === language;
  if (fits(set.sourceLang, sourceLang) && fits(set.targetLang, targetLang)) return;
  throw new AppError(
    'unprocessable',
    `this glossary is for ${set.sourceLang ?? 'any language'} to ${set.targetLang ?? 'any language'}, not for ${sourceLang} to ${targetLang}`,
  );
}

/**
 * Returns the other translations that the glossary has for a term, latest first.
 * @throws AppError 409 if the glossary already has this translation
 */
async function otherTargets(
  tx: Tx,
  tenantId: string,
  { set_id, source_term, target_term, case_sensitive }: AddEntryRequest,
  { sourceLang, targetLang }: Pair,
): Promise<string[]> {
  const rows = await tx
    .select()
    .from(terminologyEntries)
    .where(
      and(
        eq(terminologyEntries.tenantId, tenantId),
        eq(terminologyEntries.setId, set_id),
        inArray(terminologyEntries.sourceLang, [sourceLang, '']),
        inArray(terminologyEntries.targetLang, [targetLang, '']),
      ),
    )
    .orderBy(sql`${terminologyEntries.entryNo} desc`);
  const sourceOf = (term: string, exactly: boolean) =>
    exactly ? normalForm(term) : normalForm(term).toLowerCase();
  const same = rows.filter(
    ({ sourceTerm, caseSensitive }) =>
      caseSensitive === case_sensitive &&
      sourceOf(sourceTerm, caseSensitive) === sourceOf(source_term, caseSensitive),
  );
  const targets = new Set(same.map(({ targetTerm }) => normalForm(targetTerm)));
  if (targets.has(normalForm(target_term)))
    throw new AppError('conflict', 'the glossary already has this term and translation');
  return [...targets].slice(0, maxOthers);
}

async function nextNumber(tx: Tx, tenantId: string, setId: string): Promise<number> {
  const [last] = await tx
    .select({ entryNo: terminologyEntries.entryNo })
    .from(terminologyEntries)
    .where(and(eq(terminologyEntries.tenantId, tenantId), eq(terminologyEntries.setId, setId)))
    .orderBy(sql`${terminologyEntries.entryNo} desc`)
    .limit(1);
  return (last?.entryNo ?? 0) + 1;
}
