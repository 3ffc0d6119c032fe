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

/** Milliseconds that a sweep spends on it: thousands may be left, and the next sweep goes on. */
const longestSweep = 60_000;

/** Deletes what was left of uploads, of all tenants: by a process that ended between the two transactions. */
export async function sweepOutdated(services: Services): Promise<void> {
  const end = performance.now() + longestSweep;
  for (let before: string | undefined; ; ) {
    const found = await services.database.inPlatform(selectOutdated);
    const page = JSON.stringify(found);
    // What can't be deleted is left to the next sweep.
    if (found.length === 0 || page === before) return;
    before = page;
    for (const content of found) {
      if (performance.now() > end) return;
      await deleteOutdated(services, content);
    }
  }
}
