import type { Tx } from '#db/client.ts';
import type { Principal, WithTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { TermCheck } from '#server/terminology/service.ts';
import { publishJob } from './golden/publish.ts';
import { finalTermCheck } from './leverage/override.ts';
import { selectReviewable, updateReviewed } from './queries/publication.ts';
import { selectJob } from './queries/reading.ts';
import { decideReview, publishedText, type Review } from './review-decision.ts';
import type { ReviewRequest, TranslationJob } from './schema.ts';

/**
 * A reviewer's action on a job (C 4 "Review"). The job is claimed in one transaction, so that of two closing reviews one
 * wins; the golden record is written after it, and a process that dies in between leaves the job `approved`, for the
 * sweep.
 * @throws AppError 404; 400 validation_error where the job is not reviewable; 502 where it is parked
 */
export async function reviewJob(
  services: Services,
  withTenant: WithTenant,
  jobId: string,
  request: ReviewRequest,
): Promise<TranslationJob> {
  let checked: Checked | undefined;
  const decide = async (tx: Tx, tenantId: string, reviewer: string | null) => {
    const found = await selectReviewable(tx, tenantId, jobId);
    if (!found) {
      const job = await selectJob(tx, tenantId, jobId);
      if (!job) throw new AppError('not_found', 'job not found');
      throw new AppError('validation_error', `job ${job.id} is not reviewable (status=${job.status})`);
    }
    const review: Review = {
      action: request.action,
      finalTranslation: request.final_translation ?? undefined,
      notes: request.notes ?? undefined,
      reviewer,
    };
    const missing = missingTerms(services, found.job, publishedText(found.job, review), checked);
    if (!Array.isArray(missing)) return { tenantId, reviewer, unchecked: missing };
    const change = decideReview(found.job, review, missing, new Date());
    const job = await updateReviewed(tx, tenantId, jobId, change);
    return { tenantId, reviewer, job, attempt: found.attempt, publishAs: change.publishAs };
  };
  let decided = await withTenant(async (tx, principal) =>
    decide(tx, principal.tenant.id, reviewerOf(principal, request.reviewer)),
  );
  // A long check holds no job and no connection. Drafts saved meanwhile are another text.
  for (let round = 0; 'unchecked' in decided; round++) {
    if (round === 5) throw new AppError('transient_error', 'the job keeps changing; try again');
    const { tenantId, reviewer, unchecked } = decided;
    const { missing_terms } = await services.glossaries.check(tenantId, unchecked);
    checked = { asked: unchecked, missing: missing_terms };
    decided = await services.database.inTenant(tenantId, (tx) => decide(tx, tenantId, reviewer));
  }
  const { tenantId, job, attempt, publishAs } = decided;
  if (!publishAs) return job;
  // A reviewer who hangs up does not leave a claimed job behind when the process stops.
  return services.underWay.track(publishJob(services, tenantId, { job, attempt, publishAs }));
}

/** A check that was made between two transactions. */
interface Checked {
  asked: TermCheck;
  missing: string[];
}

/** The terms that a text misses, by a check that takes no time or was made before; else the check to make. */
function missingTerms(
  { glossaries }: Services,
  job: TranslationJob,
  text: string | null,
  checked: Checked | undefined,
): string[] | TermCheck {
  const asked = text === null ? null : finalTermCheck(job, text);
  if (!asked) return [];
  if (checked?.asked.translation === asked.translation && isSame(checked.asked.expected, asked.expected))
    return checked.missing;
  return glossaries.checkAtOnce(asked)?.missing_terms ?? asked;
}

/** The job may have been run again meanwhile, with other terms. */
function isSame(one: TermCheck['expected'], other: TermCheck['expected']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** B 5: the session says who reviews; what the body says counts only where there is none. */
function reviewerOf(principal: Principal, said: string | null | undefined): string | null {
  if (principal.kind === 'session') return principal.user.email || principal.user.id;
  return said ?? null;
}
