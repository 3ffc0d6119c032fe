import { type SQL, sql } from 'drizzle-orm';

/**
 * SQL: whether a document has an assignment, a rule that is not applied yet, or a second review, also after its approval.
 * Its corrections enter the TM only with an approval.
 */
export function isAssigned(tenantId: SQL | string, documentId: SQL | string): SQL {
  return sql`exists (select from review_assignments a
    where a.tenant_id = ${tenantId} and a.item_kind = 'document' and a.item_id = ${documentId}
      and (a.four_eyes or a.assignee is not null or a.rules_from is not null))`;
}
