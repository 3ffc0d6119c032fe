import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { deleteContent, selectOutdated } from '../queries/contents.ts';
import type { Content } from '../queries/rows.ts';

/**
 * Deletes what a set showed before an upload. Not in the transaction that has the set show another content: nobody need wait for
 * it. What fails here is left to the sweep.
 */
export async function deleteOutdated(
  { database, log }: Services,
  outdated: Content | undefined,
): Promise<void> {
  if (!outdated) return;
  await database
    .inTenant(outdated.tenantId, (tx) => deleteContent(tx, outdated))
    .catch((error: unknown) =>
      log.warn({ error: describeForLog(error) }, 'an outdated content of the memory was not deleted'),
    );
}

/** Deletes what was left of uploads, of all tenants: by a process that ended between the two transactions. */
export async function sweepOutdated(services: Services): Promise<void> {
  for (const content of await services.database.inPlatform(selectOutdated))
    await deleteOutdated(services, content);
}
