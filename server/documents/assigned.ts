import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/**
 * SQL: whether a document has or had an assignment, or has a rule that is not applied yet, also after its approval. Its
 * corrections enter the TM only with an approval: that of an assignment that ended is still missing.
 */
export function isAssigned(tenantId: SQL | string, documentId: SQL | string): SQL {
  return sql`exists (select from review_assignments a
    where a.tenant_id = ${tenantId} and a.item_kind = 'document' and a.item_id = ${documentId}
      and (a.version > 0 or a.rules_from is not null))`;
}

/** SQL: whether the segment `s` is a correction that the TM gets only with the approval of its document. */
export const awaitsApproval = sql`(s.corrected and s.feed_pending
  and ${isAssigned(sql`s.tenant_id`, sql`s.document_id`)})`;

/** Returns those of the documents to which `isAssigned` applies. */
export async function selectAssigned(
  tx: Tx,
  tenantId: string,
  documentIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.execute<{ id: string }>(sql`
    select d.id from json_array_elements_text(${JSON.stringify(documentIds)}::json) d(id)
    where ${isAssigned(tenantId, sql`d.id`)}`);
  return new Set(rows.map(({ id }) => id));
}

/** Whether a document has corrections that the TM and a new version get only with its approval. */
export async function hasUnapproved(tx: Tx, tenantId: string, documentId: string): Promise<boolean> {
  const found = await tx.execute(sql`
    select from document_segments s
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and ${awaitsApproval} limit 1`);
  return found.length > 0;
}
