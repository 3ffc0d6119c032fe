import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memoryContents } from '#db/schema/translation-memory.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';

/** What rows belong to. */
export interface Content {
  tenantId: string;
  contentId: string;
}

/** Makes a content that no set shows yet. */
export async function insertContent(tx: Tx, content: Content): Promise<void> {
  await tx.insert(memoryContents).values(content);
}

/** Deletes a content with all that it is of: segments, index, vectors, and the set that shows it. */
export async function deleteContent(tx: Tx, { tenantId, contentId }: Content): Promise<void> {
  await tx
    .delete(memoryContents)
    .where(and(eq(memoryContents.tenantId, tenantId), eq(memoryContents.contentId, contentId)));
}

/** Contents that no set shows and no import is to show, of all tenants, a few of them; read in platform scope. */
async function selectOutdated(tx: Tx): Promise<Content[]> {
  const rows = await tx.execute<{ tenant_id: string; content_id: string }>(sql`
    select tenant_id, content_id from memory_contents c
    where not exists (select from memory_sets s where s.tenant_id = c.tenant_id and s.content_id = c.content_id)
      and not exists (select from memory_imports i
        where i.tenant_id = c.tenant_id and i.content_id = c.content_id and i.status = 'running')
    limit 100`);
  return rows.map(({ tenant_id, content_id }) => ({ tenantId: tenant_id, contentId: content_id }));
}

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
