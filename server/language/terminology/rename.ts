import { and, eq, sql } from 'drizzle-orm';
import { terminologySets } from '#db/schema/terminology.ts';
import type { Services } from '#server/context.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireSetName } from '#server/language/set-upload.ts';
import { newId } from '#server/platform/ids.ts';
import type { RenameRequest, TerminologySet } from './schema.ts';
import { countOtherSets, nameTaken, setView } from './sets.ts';
import { changeGlossary } from './term-changes.ts';

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
