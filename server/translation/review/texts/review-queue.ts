import type { Tx } from '#db/client.ts';
import { cursorOf, findJobs } from '#server/translation/texts/find-jobs.ts';
import { reviewableStatuses } from '#server/translation/texts/job-states.ts';
import { selectJob } from '#server/translation/texts/jobs.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';
import { type Claimant, claimIfFree, claimItem, itemsOfOthers, releaseItem } from '../claims.ts';
import { requireItem, requireSegment } from '../item.ts';
import { recordOpening } from '../openings.ts';
import type { ClaimInput, ClaimState } from '../schema.ts';
import type { NextReview, NextReviewInput } from './review-schema.ts';

/** Maximum number of jobs that are tried one after another, if other members claim them at the same time. */
const maxAttempts = 20;

/**
 * Returns the job that has awaited review longest, starting after the job of the cursor, without jobs that others have
 * claimed. A job's place in the queue is its `updated_at`. This changes only when a draft is saved; then the job moves
 * to the end.
 * @throws AppError 422 for an invalid cursor or an unsupported language
 */
export async function nextReview(
  tx: Tx,
  claimant: Claimant,
  { after, claim, ...filter }: NextReviewInput,
): Promise<Omit<NextReview, 'job'> & { job: TranslationJob | null }> {
  const { tenantId } = claimant;
  const skip = await itemsOfOthers(tx, claimant, 'job');
  let cursor = after;
  for (let tries = 0; tries < maxAttempts; tries++) {
    const { jobs, last, more } = await findJobs(tx, {
      tenantId,
      filter: { ...filter, statuses: [...reviewableStatuses] },
      order: 'oldest',
      limit: 1,
      cursor,
      skip,
    });
    const [found] = jobs;
    if (!found || !last) return { job: null, cursor: more && last ? cursorOf(last) : null, claim: null };
    cursor = cursorOf(last);
    const claimed = claim ? await claimIfFree(tx, claimant, { kind: 'job', id: found.id }) : null;
    if (claimed === undefined) continue;
    const job = await selectJob(tx, tenantId, found.id);
    // The job may have been closed since the search.
    if (job && reviewableStatuses.includes(job.status)) return { job, cursor, claim: claimed };
  }
  return { job: null, cursor: cursor ?? null, claim: null };
}

/**
 * Creates, renews or ends the member's claim on a job or document.
 * @throws AppError 404 if the tenant does not have the item; 422 for an unknown segment
 */
export async function claim(
  tx: Tx,
  claimant: Claimant,
  { release, opened, position, ...item }: ClaimInput,
): Promise<ClaimState> {
  await requireItem(tx, claimant.tenantId, item);
  if (position !== undefined) await requireSegment(tx, claimant.tenantId, item, position);
  if (opened) await recordOpening(tx, claimant, item);
  return release ? releaseItem(tx, claimant, item) : claimItem(tx, claimant, item, position);
}
