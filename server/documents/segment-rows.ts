import { and, eq } from 'drizzle-orm';
import { documentSegments } from '#db/schema/documents.ts';

/** Matches the segments of one document by tenant and id. The row-level policy is only the second line of defence. */
export function ofDocument(tenantId: string, documentId: string) {
  return and(eq(documentSegments.tenantId, tenantId), eq(documentSegments.documentId, documentId));
}
