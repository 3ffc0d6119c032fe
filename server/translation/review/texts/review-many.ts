import type { Services } from '#server/context.ts';
import { eachItem } from '#server/http/bulk.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { leftOutOf } from '../confirmation.ts';
import { openedBy } from '../openings.ts';
import { reviewJob } from './decide.ts';
import type { ReviewManyInput, ReviewResult } from './review-schema.ts';

type Review = ReviewManyInput['reviews'][number];

/**
 * Applies several reviews, each in a separate transaction. If one is rejected, the others are still applied. An
 * approval of a job that the caller has not opened, or that has critical issues, is skipped unless it names this job
 * explicitly.
 * @returns the result of each review, in the order of the reviews
 * @throws AppError 401 if the caller is not authenticated at the beginning. If the session ends later, the remaining
 *   reviews are rejected.
 */
export async function reviewJobs(
  services: Parameters<typeof reviewJob>[0] & Pick<Services, 'log'>,
  withTenant: WithTenant,
  origin: Origin & { requestId: string },
  reviews: ReviewManyInput['reviews'],
): Promise<ReviewResult[]> {
  const ids = reviews.map(({ job_id }) => job_id);
  const opened = await withTenant((tx, principal) => openedBy(tx, principal, 'job', ids));
  return eachItem<Review, ReviewResult>({ services, requestId: origin.requestId }, reviews, {
    async work({ job_id, updated_at: seen, confirm_critical, confirm_unopened, ...request }) {
      try {
        const { id, status, updated_at } = await reviewJob(services, withTenant, origin, job_id, request, {
          seen,
          confirmCritical: confirm_critical ?? false,
          isUnopened: !confirm_unopened && !opened.has(job_id),
        });
        return { outcome: 'done', job_id: id, status, updated_at };
      } catch (error) {
        const leftOut = leftOutOf(error);
        if (!leftOut) throw error;
        const findings = leftOut.critical_findings as QualityIssue[];
        return { outcome: 'left_out', job_id, reason: leftOut.reason, critical_findings: findings };
      }
    },
    refuse: ({ job_id }, refusal) => ({ outcome: 'refused', job_id, ...refusal }),
  });
}
