import type { WithTenant } from '#server/access/guards/tenant.ts';
import { eachItem } from '#server/bulk.ts';
import type { Services } from '#server/context.ts';
import { reviewJob } from '../review.ts';
import type { ReviewManyInput, ReviewResult } from './review-schema.ts';

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
  return eachItem<ReviewManyInput['reviews'][number], ReviewResult>({ services, requestId }, reviews, {
    async work({ job_id, updated_at: seen, ...request }) {
      const { id, status, updated_at } = await reviewJob(services, withTenant, job_id, request, { seen });
      return { outcome: 'done', job_id: id, status, updated_at };
    },
    refuse: ({ job_id }, refusal) => ({ outcome: 'refused', job_id, ...refusal }),
  });
}
