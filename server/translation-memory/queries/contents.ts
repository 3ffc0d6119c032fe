import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memoryContents } from '#db/schema/translation-memory.ts';
import type { Content } from './rows.ts';

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
export async function selectOutdated(tx: Tx): Promise<Content[]> {
  const rows = await tx.execute<{ tenant_id: string; content_id: string }>(sql`
    select tenant_id, content_id from memory_contents c
    where not exists (select from memory_sets s where s.tenant_id = c.tenant_id and s.content_id = c.content_id)
      and not exists (select from memory_imports i
        where i.tenant_id = c.tenant_id and i.content_id = c.content_id and i.status = 'running')
    limit 100`);
  return rows.map(({ tenant_id, content_id }) => ({ tenantId: tenant_id, contentId: content_id }));
}
