import type { EnterTenant, Principal } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publishJob } from './golden/publish.ts';
import { selectReviewable, updateReviewed } from './queries/publication.ts';
import { selectJob } from './queries/reading.ts';
import { decideReview } from './review-decision.ts';
import type { ReviewRequest, TranslationJob } from './schema.ts';

/**
 * A reviewer's action on a job (C 4 "Review"). The job is claimed in one transaction, so that of two closing reviews one
 * wins; the golden record is written after it, and a process that dies in between leaves the job `approved`, for the
 * sweep.
 * @throws AppError 404; 400 validation_error where the job is not reviewable; 502 where it is parked
 */
export async function reviewJob(
  services: Services,
  enter: EnterTenant,
  jobId: string,
  request: ReviewRequest,
): Promise<TranslationJob> {
  const { tenantId, job, attempt, publishAs } = await enter(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const found = await selectReviewable(tx, tenantId, jobId);
    if (!found) {
      const job = await selectJob(tx, tenantId, jobId);
      if (!job) throw new AppError('not_found', 'job not found');
      throw new AppError('validation_error', `job ${job.id} is not reviewable (status=${job.status})`);
    }
    const change = decideReview(
      found.job,
      {
        action: request.action,
        finalTranslation: request.final_translation ?? undefined,
        notes: request.notes ?? undefined,
        reviewer: reviewerOf(principal, request.reviewer),
      },
      new Date(),
    );
    const job = await updateReviewed(tx, tenantId, jobId, change);
    return { tenantId, job, attempt: found.attempt, publishAs: change.publishAs };
  });
  if (!publishAs) return job;
  // A reviewer who hangs up does not leave a claimed job behind when the process stops.
  return services.underWay.track(publishJob(services, tenantId, { job, attempt, publishAs }));
}

/** B 5: the session says who reviews; what the body says counts only where there is none. */
function reviewerOf(principal: Principal, said: string | null | undefined): string | null {
  if (principal.kind === 'session') return principal.user.email || principal.user.id;
  return said ?? null;
}
