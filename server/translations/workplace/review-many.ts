import type { WithTenant } from '#server/access/guards/tenant.ts';
import type { Services } from '#server/context.ts';
import { describeForLog, errorBody, toAppError } from '#server/errors.ts';
import { reviewJob } from '../review.ts';
import type { ReviewManyInput, ReviewResult } from './review-schema.ts';

/** Reviews that are worked on at once: a published job waits for its golden record, which the store takes its time to write. */
const lanes = 4;

/**
 * Applies several reviews, each in a transaction of its own: a refused one changes nothing for the others.
 * @returns a result for each, in their order
 * @throws AppError 401 if the caller is not authenticated at the beginning. One whose session ends later is refused the reviews that are left
 */
export async function reviewJobs(
  services: Parameters<typeof reviewJob>[0] & Pick<Services, 'log'>,
  withTenant: WithTenant,
  requestId: string,
  reviews: ReviewManyInput['reviews'],
): Promise<ReviewResult[]> {
  await withTenant(async () => {});
  const review = async ({ job_id, updated_at, ...request }: (typeof reviews)[number]) => {
    try {
      const job = await reviewJob(services, withTenant, job_id, request, updated_at);
      return { outcome: 'done' as const, job_id: job.id, status: job.status, updated_at: job.updated_at };
    } catch (error) {
      return refusalOf(services, requestId, job_id, error);
    }
  };
  const results: ReviewResult[] = [];
  const waiting = reviews.entries();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const [index, one] of waiting) results[index] = await review(one);
    }),
  );
  return results;
}

function refusalOf(
  { log }: Pick<Services, 'log'>,
  requestId: string,
  jobId: string,
  thrown: unknown,
): ReviewResult {
  const error = toAppError(thrown);
  if (error.code === 'internal_error')
    log.error({ request_id: requestId, error: describeForLog(error.cause) }, 'unexpected failure');
  return {
    outcome: 'refused',
    job_id: jobId,
    http_status: error.status,
    detail: error.message,
    error_code: errorBody(error, requestId).error_code ?? null,
    retry_after: error.retryAfter ?? null,
  };
}
