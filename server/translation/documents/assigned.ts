import { type SQL, sql } from 'drizzle-orm';

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
