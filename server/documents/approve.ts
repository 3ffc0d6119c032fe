import { and, isNotNull, isNull, sql } from 'drizzle-orm';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { WithTenant } from '#server/access/guards/tenant.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { feedMemory } from './feed-manifest.ts';
import { type DocumentRow, isDocument, manifestOf, requireDocument } from './jobs.ts';
import { requireTranslated, reviewerOf } from './review.ts';
import { withReviewLease } from './review-lease.ts';
import type { DocumentApprovalResult, DocumentApproveRequest } from './schema.ts';
import { ofDocument } from './segments.ts';

const nothingSkipped = { fast_path: 0, needs_review: 0, duplicates: 0, empty: 0 };

/**
 * Approves a translated document (B 4.3): stamps it, then feeds the memory with the segments that no review has fed. A second
 * approval changes nothing.
 * @throws AppError 404; 400 if the document is not translated, or nobody can be named as its reviewer
 */
export async function approveDocument(
  services: Pick<Services, 'backgroundWork' | 'database' | 'embedder' | 'log' | 'settings'>,
  withTenant: WithTenant,
  documentId: string,
  request: DocumentApproveRequest,
): Promise<{ tenantId: string; result: DocumentApprovalResult }> {
  const { tenantId, reviewer } = await withTenant(async (tx, principal) => {
    requireTranslated(await requireDocument(tx, principal.tenant.id, documentId));
    const reviewer = reviewerOf(principal, request.reviewer);
    if (reviewer === null)
      throw new AppError(
        'validation_error',
        'reviewer could not be determined: sign in or supply a reviewer',
      );
    return { tenantId: principal.tenant.id, reviewer };
  });
  const approve = async (): Promise<DocumentApprovalResult> => {
    const row = await stamp(services, tenantId, documentId, reviewer);
    if (!row) {
      const known = await services.database.inTenant(tenantId, (tx) =>
        requireDocument(tx, tenantId, documentId),
      );
      // Nothing was fed yet: the process of the first approval died before, or the memory could not be written.
      let { skipped } = manifestOf(known);
      if (Object.keys(skipped).length === 0) {
        const rest = await selectPairs(services, tenantId, documentId);
        const fed = await feedMemory(services, known, rest.pairs, {
          stage: 'approve',
          skipped: rest.skipped,
        });
        skipped = { ...rest.skipped, duplicates: fed.duplicates };
      }
      return {
        approved: true,
        already_approved: true,
        reviewer: known.approvedBy,
        fed_pairs: 0,
        skipped: { ...nothingSkipped, ...skipped },
        feed_error: null,
      };
    }
    const { pairs, skipped } = await selectPairs(services, tenantId, documentId);
    const fed = await feedMemory(services, row, pairs, { stage: 'approve', skipped });
    return {
      approved: true,
      already_approved: false,
      reviewer,
      fed_pairs: fed.pairs,
      skipped: { ...skipped, duplicates: fed.duplicates },
      feed_error: fed.error,
    };
  };
  const result = await services.backgroundWork.track(
    withReviewLease(services, tenantId, documentId, approve),
  );
  return { tenantId, result };
}

/** Stamps the approval; undefined if the document has one. */
function stamp(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  documentId: string,
  reviewer: string,
): Promise<DocumentRow | undefined> {
  return database.inTenant(tenantId, async (tx) => {
    const [row] = await tx
      .update(documentJobs)
      .set({ approvedAt: sql`now()`, approvedBy: reviewer, updatedAt: sql`now()` })
      .where(and(isDocument(tenantId, documentId), isNull(documentJobs.approvedAt)))
      .returning();
    return row;
  });
}

/** The segments to feed, each distinct text once. Corrected ones were fed by their review. */
function selectPairs({ database }: Pick<Services, 'database'>, tenantId: string, documentId: string) {
  return database.inTenant(tenantId, async (tx) => {
    const rows = await tx
      .selectDistinctOn([documentSegments.sourceText, documentSegments.targetText], {
        sourceText: documentSegments.sourceText,
        targetText: documentSegments.targetText,
        fastPath: documentSegments.fastPath,
        needsReview: documentSegments.needsReview,
      })
      .from(documentSegments)
      .where(
        and(
          ofDocument(tenantId, documentId),
          isNotNull(documentSegments.target),
          sql`not ${documentSegments.corrected}`,
        ),
      );
    const skipped = { ...nothingSkipped };
    const pairs = rows.flatMap(({ sourceText, targetText, fastPath, needsReview }) => {
      const reason =
        (targetText ?? '').trim() === ''
          ? 'empty'
          : fastPath !== null
            ? 'fast_path'
            : needsReview
              ? 'needs_review'
              : null;
      if (reason) skipped[reason] += 1;
      return reason ? [] : [{ sourceText, targetText: targetText ?? '', corrected: false }];
    });
    return { pairs, skipped };
  });
}
