import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import { documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { destinationIn, type LocatingServices } from '#server/storage/destination.ts';
import { recordApproval } from '#server/translation/documents/approval-record.ts';
import { isIntact, newestArtifact } from '#server/translation/documents/artifacts.ts';
import { feedApproval, selectTally } from '#server/translation/documents/feed-manifest.ts';
import {
  type DocumentRow,
  documentColumns,
  isDocument,
  requireDocument,
} from '#server/translation/documents/jobs.ts';
import { withReviewLease } from '#server/translation/documents/review-lease.ts';
import type { DocumentApprovalResult } from '#server/translation/documents/schema.ts';
import { selectCritical } from '#server/translation/documents/segments.ts';
import { UnconfirmedFindings, Unopened } from '../confirmation.ts';
import { requireTranslated, reviewerOf } from './decide.ts';
import type { DocumentApproveRequest } from './review-schema.ts';

type ApproveServices = LocatingServices & Pick<Services, 'backgroundWork' | 'embedder' | 'log'>;

/**
 * Approves a translated document: stores the approval in its row, adds to the TM the segments that no review has added,
 * and writes the audit record. If the first approval was interrupted, a second one completes it; otherwise a second one
 * changes nothing.
 * @param confirmCritical whether the reviewer confirms the critical issues of the segments; undefined if no
 *   confirmation is required
 * @param isUnopened whether the reviewer approves several documents and has not opened this one
 * @throws AppError 404; 400 if the document is not translated, a file of it is missing or damaged, or its reviewer cannot be
 *   determined; 409 storage_binding_not_verified; UnconfirmedFindings; Unopened
 */
export async function approveDocument(
  services: ApproveServices,
  withTenant: WithTenant,
  documentId: string,
  request: DocumentApproveRequest,
  {
    confirmCritical,
    isUnopened = false,
  }: { confirmCritical?: boolean | undefined; isUnopened?: boolean } = {},
): Promise<{ tenantId: string; result: DocumentApprovalResult }> {
  const { tenantId, reviewer, userId } = await withTenant(async (tx, principal) => {
    const row = await requireDocument(tx, principal.tenant.id, documentId);
    requireTranslated(row);
    if (isUnopened && row.approvedAt === null) throw new Unopened(`document job ${documentId}`);
    await destinationIn(tx, services, principal.tenant.id);
    const reviewer = reviewerOf(principal, request.reviewer);
    if (reviewer === null)
      throw new AppError(
        'validation_error',
        'reviewer could not be determined: sign in or supply a reviewer',
      );
    const userId = principal.kind === 'session' ? principal.user.id : null;
    return { tenantId: principal.tenant.id, reviewer, userId };
  });
  const approve = async (): Promise<DocumentApprovalResult> => {
    const { database } = services;
    const known = await database.inTenant(tenantId, (tx) => requireDocument(tx, tenantId, documentId));
    if (known.approvedAt === null) {
      if (confirmCritical === false) await requireNoCritical(services, known);
      await requireLayout(services, known);
    }
    const stamped = await stamp(services, known, { reviewer, userId });
    const row =
      stamped ?? (await database.inTenant(tenantId, (tx) => requireDocument(tx, tenantId, documentId)));
    const { pairs, skipped, error } = await completeApproval(services, row);
    return {
      approved: true,
      already_approved: stamped === undefined,
      reviewer: row.approvedBy,
      fed_pairs: stamped ? pairs : 0,
      skipped,
      feed_error: error,
    };
  };
  const result = await services.backgroundWork.track(
    withReviewLease(services, tenantId, documentId, approve),
  );
  return { tenantId, result };
}

/**
 * Requires that the document has no critical issues without a confirmation.
 * @throws UnconfirmedFindings
 */
async function requireNoCritical(
  { database }: Pick<Services, 'database'>,
  { tenantId, documentId }: DocumentRow,
): Promise<void> {
  const critical = await database.inTenant(tenantId, (tx) => selectCritical(tx, tenantId, documentId));
  if (critical.length > 0) throw new UnconfirmedFindings(`document job ${documentId}`, critical);
}

/**
 * Requires that the files of the document are intact: otherwise it could not be delivered, or not be rendered again
 * after a correction.
 * @throws AppError 400
 */
async function requireLayout(
  services: ApproveServices,
  { tenantId, documentId }: DocumentRow,
): Promise<void> {
  for (const kind of ['source', 'translated'] as const) {
    const artifact = await services.database.inTenant(tenantId, (tx) =>
      newestArtifact(tx, tenantId, documentId, kind),
    );
    if (!artifact || !(await isIntact(services, artifact)))
      throw new AppError('validation_error', 'document layout is unavailable');
  }
}

/** Stores the approval in the document's row. Returns undefined if the document is already approved or was deleted. */
function stamp(
  { database }: Pick<Services, 'database'>,
  { tenantId, documentId }: DocumentRow,
  { reviewer, userId }: { reviewer: string; userId: string | null },
): Promise<DocumentRow | undefined> {
  return database.inTenant(tenantId, async (tx) => {
    const [row] = await tx
      .update(documentJobs)
      .set({ approvedAt: sql`now()`, approvedBy: reviewer, approvedByUser: userId, updatedAt: sql`now()` })
      .where(and(isDocument(tenantId, documentId), isNull(documentJobs.approvedAt)))
      .returning(documentColumns);
    return row;
  });
}

/**
 * Completes an approval that is stored in the row, unless it is already complete: adds segments to the TM, then writes
 * the audit record, which counts them.
 */
async function completeApproval(services: ApproveServices, row: DocumentRow) {
  const { tenantId, documentId } = row;
  const tally = await services.database.inTenant(tenantId, (tx) => selectTally(tx, row));
  const fed = tally ? { pairs: 0, skipped: tally, error: null } : await feedApproval(services, row);
  if (row.goldenUri === null) await recordApproval(services, tenantId, documentId);
  return fed;
}

/**
 * Completes an approval whose process died after storing it in the row, or could not write to the store. May run twice.
 */
export async function resumeApproval(
  services: ApproveServices,
  { tenantId, documentId }: { tenantId: string; documentId: string },
): Promise<void> {
  const find = () => services.database.inTenant(tenantId, (tx) => requireDocument(tx, tenantId, documentId));
  await withReviewLease(services, tenantId, documentId, async () =>
    completeApproval(services, await find()),
  ).catch((error: unknown) => {
    // `not_found`: the document was deleted in between.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  });
}

/** Queues the completion of approvals that have had no audit record for a while. */
export async function resumeApprovals(
  { database }: Pick<Services, 'database'>,
  idleSeconds: number,
): Promise<void> {
  await database.inPlatform(async (tx) => {
    const { tenantId, documentId, approvedAt, goldenUri } = documentJobs;
    const idle = await tx
      .select({ tenantId, documentId })
      .from(documentJobs)
      .where(
        and(
          isNotNull(approvedAt),
          isNull(goldenUri),
          sql`${approvedAt} < now() - make_interval(secs => ${idleSeconds})`,
        ),
      )
      .limit(1000);
    for (const document of idle)
      await addJob(tx, 'resume_approval', document, { key: `resume_approval:${document.documentId}` });
  });
}
