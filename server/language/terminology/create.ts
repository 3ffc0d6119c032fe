import { and, eq, sql } from 'drizzle-orm';
import { terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireLanguagePair, requireSetName } from '#server/language/set-upload.ts';
import { newId } from '#server/platform/ids.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import type { CreateRequest, RenameRequest, TerminologySet } from './schema.ts';
import { countOtherSets, lockSet, nameTaken, setView } from './sets.ts';
import { changeGlossary } from './term-changes.ts';
import { requireRoomForGlossary } from './upload.ts';

/**
 * Creates a glossary without terms. If the same glossary exists and has no terms, nothing changes, so that the request
 * can be sent again, also by another member at the same time.
 * @throws AppError 400 for the name or equal languages; 409 if another glossary has the name; 422 for a language or the
 *   number of glossaries
 */
export async function createGlossary(
  services: Pick<Services, 'database' | 'embedder' | 'settings'>,
  withTenant: WithTenant,
  request: CreateRequest,
): Promise<TerminologySet> {
  const { tenantId, name, source, target } = await withTenant(async (_tx, { tenant }) => ({
    tenantId: tenant.id,
    name: requireSetName(request.name),
    ...requireLanguagePair(request),
  }));
  return withTenantLock(services.database, tenantId, 'terminology', async (tx) => {
    const present = await lockSet(tx, tenantId, name);
    if (present) {
      const { sourceLang, targetLang, entryCount } = present;
      if (sourceLang === source.tag && targetLang === target.tag && entryCount === 0) return setView(present);
      throw nameTaken();
    }
    await requireRoomForGlossary(tx, services.settings, tenantId, name);
    const [created] = await tx
      .insert(terminologySets)
      .values({
        tenantId,
        setId: newId(),
        name,
        sourceLang: source.tag,
        targetLang: target.tag,
        entryCount: 0,
        embeddingModel: services.embedder?.model ?? null,
        revision: newId(),
      })
      .returning();
    if (!created) throw new Error('an insert returned no row');
    return setView(created);
  });
}

/**
 * Renames a glossary, which keeps its ID and terms.
 * @throws AppError 400 for the name; 404 for an unknown glossary or one of another tenant; 409 if another glossary has
 *   the name
 */
export function renameGlossary(
  services: Pick<Services, 'database'>,
  withTenant: WithTenant,
  request: RenameRequest,
): Promise<TerminologySet> {
  const prepare = () => requireSetName(request.name);
  return changeGlossary(services, withTenant, request.set_id, prepare, async (tx, set, name) => {
    const { tenantId, setId } = set;
    if (name === set.name) return setView(set);
    if ((await countOtherSets(tx, tenantId, name)) === undefined) throw nameTaken();
    const [renamed] = await tx
      .update(terminologySets)
      .set({ name, revision: newId(), updatedAt: sql`now()` })
      .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)))
      .returning();
    return setView(renamed ?? set);
  });
}
