import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { approvalOf } from '#server/translation/documents/approval-record.ts';
import { withdrawApprovalFeed } from '#server/translation/documents/feed-withdrawal.ts';
import { isDocument, requireDocument } from '#server/translation/documents/jobs.ts';
import { withReviewLease } from '#server/translation/documents/review-lease.ts';
import { removeGoldenLater, removeGoldenNow } from '#server/translation/records/golden-deletion.ts';
import { reopenMinutes, requireReopenable } from '../reopening.ts';
import type { ReopenedItem } from '../schema.ts';

/**
 * Withdraws the approval of a document: removes it from the document's row, deletes the audit record, and removes from
 * the TM the segments that the approval added. Corrections, confirmations, the translated files, and segments that
 * reviews added stay. Waits for a review or an approval that holds the document.
 * @throws AppError 403; 404; 409 conflict if the document is not approved, or was approved too long ago
 */
export async function reopenDocument(
  services: LocatingServices & Pick<Services, 'log'>,
  withBearer: <T>(work: (tx: Tx, principal: SessionPrincipal) => Promise<T>) => Promise<T>,
  origin: Origin,
  documentId: string,
): Promise<ReopenedItem> {
  const principal = await withBearer(async (tx, principal) => {
    await requireApproved(tx, principal, documentId);
    return principal;
  });
  const tenantId = principal.tenant.id;
  const { item, withdrawn } = await withReviewLease(services, tenantId, documentId, (lease) =>
    services.database.inTenant(tenantId, async (tx) => {
      await lease.confirm(tx);
      const row = await requireApproved(tx, principal, documentId);
      await withdrawApprovalFeed(tx, row);
      const [changed] = await tx
        .update(documentJobs)
        .set({
          approvedAt: null,
          approvedBy: null,
          approvedByUser: null,
          approvedVia: null,
          goldenRecord: null,
          goldenUri: null,
          reopenings: approvalOf(row.reopenings),
          updatedAt: sql`now()`,
        })
        .where(isDocument(tenantId, documentId))
        .returning({ updatedAt: documentJobs.updatedAt });
      if (!changed) throw new Error('a document was deleted although it was locked');
      await recordEvent(tx, origin, {
        action: 'review_reopened',
        tenantId,
        actor: { kind: 'member', userId: principal.user.id },
        target: documentId,
        details: { kind: 'document', status: 'approved', decided_by: row.approvedByUser },
      });
      const withdrawn = {
        tenantId,
        jobId: documentId,
        attempt: approvalOf(row.reopenings),
        goldenUri: row.goldenUri,
      };
      await removeGoldenLater(tx, withdrawn);
      const updated_at = changed.updatedAt.toISOString();
      const item: ReopenedItem = { kind: 'document', id: documentId, status: row.status, updated_at };
      return { item, withdrawn };
    }),
  );
  await removeGoldenNow(services, withdrawn);
  return item;
}

/**
 * Returns the row of a document whose approval the member may withdraw.
 * @throws AppError
 */
async function requireApproved(tx: Tx, principal: SessionPrincipal, documentId: string) {
  const tenantId = principal.tenant.id;
  const row = await requireDocument(tx, tenantId, documentId);
  if (row.approvedAt === null)
    throw new AppError('conflict', `document job ${documentId} is not approved (status=${row.status})`);
  const [found] = await tx
    .select({
      isRecent: sql<boolean>`${documentJobs.approvedAt} > now() - make_interval(mins => ${reopenMinutes})`,
    })
    .from(documentJobs)
    .where(isDocument(tenantId, documentId));
  requireReopenable(principal, {
    what: `document job ${documentId}`,
    isRecent: found?.isRecent ?? null,
    by: row.approvedByUser,
  });
  return row;
}
