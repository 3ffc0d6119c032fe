import { LinguaLoopError } from '#sdk/errors.ts';
import type { ReviewManyResult, TranslationJob } from '#sdk/types.ts';
import { actOnJob, actOnJobs, client } from '../../client.ts';
import { criticalFindingsOf } from '../../parts/critical-findings-of.ts';
import { queryClient } from '../../query-client.ts';
import { queryKeys } from '../../query-keys.ts';
import { sessionState } from '../../session/keeper.ts';
import type { Decision, Saved, Sent } from './decision.ts';
import { isReviewable, itemOfJob, lastReview } from './items.ts';

/** Maximum working time that the service accepts, in milliseconds. */
const dayMs = 86_400_000;

/**
 * Sends one review.
 * @param saving a draft that is still being saved; the review is sent after it, for the version that it creates
 */
export async function deliver(decision: Decision, saving: Promise<Saved> | undefined): Promise<Sent> {
  try {
    return await act({ ...decision, item: { ...decision.item, ...(await saving) } });
  } catch (error) {
    // The draft could not be saved, so the review is not sent.
    return { ...decision, state: isConflict(error) ? 'changed' : 'refused', error };
  }
}

async function act(decision: Decision): Promise<Sent> {
  const { item, text } = decision;
  try {
    const { workedMs } = decision;
    const review = {
      ...reviewOf(decision),
      ...(workedMs !== undefined && { worked_ms: Math.min(workedMs, dayMs) }),
    };
    const job = await actOnJob(review, { inBackground: true });
    queryClient.setQueryData(queryKeys.jobs.job(item.id), job);
    return { ...decision, state: 'done' };
  } catch (error) {
    if (!isConflict(error) || criticalFindingsOf(error)) return { ...decision, state: 'refused', error };
    // A conflict may mean that the first attempt was applied, but its response was lost.
    const present = await readJob(item.id).catch(() => undefined);
    if (!present) return { ...decision, state: 'refused', error };
    if (isOutcome(present, decision)) return { ...decision, state: 'done' };
    // An earlier save of the draft may have lost its response. If the stored text equals the text that is approved, the
    // review overwrites nothing.
    const isOwnText = isReviewable(present) && present.final_translation === text;
    if (isOwnText && present.updated_at !== item.version)
      return act({ ...decision, item: itemOfJob(present) });
    return { ...decision, state: 'changed', error };
  }
}

/** Sends several reviews in one request. */
export async function deliverMany(decisions: readonly Decision[]): Promise<Sent[]> {
  const reviews = decisions.map((decision) => ({
    ...reviewOf(decision),
    confirm_unopened: decision.confirmUnopened ?? false,
  }));
  try {
    const { results } = await actOnJobs(reviews);
    return await Promise.all(decisions.map((decision, index) => outcomeOf(decision, results[index])));
  } catch (error) {
    return decisions.map((decision) => ({ ...decision, state: 'refused', error }));
  }
}

type Result = ReviewManyResult['results'][number];

async function outcomeOf(decision: Decision, result: Result | undefined): Promise<Sent> {
  if (!result) return { ...decision, state: 'refused' };
  if (result.outcome === 'done') return { ...decision, state: 'done' };
  if (result.outcome === 'left_out') {
    const { reason, critical_findings: findings } = result;
    return { ...decision, state: 'refused', leftOut: { reason, findings } };
  }
  const error = new LinguaLoopError({
    status: result.http_status,
    detail: result.detail,
    code: result.error_code,
    retryAfter: result.retry_after,
    answeredBy: 'service',
  });
  if (result.http_status !== 409) return { ...decision, state: 'refused', error };
  const present = await readJob(decision.item.id).catch(() => undefined);
  if (!present) return { ...decision, state: 'refused', error };
  return { ...decision, state: isOutcome(present, decision) ? 'done' : 'changed', error };
}

function reviewOf({ item, action, text, notes, confirmCritical }: Decision) {
  return {
    job_id: item.id,
    updated_at: item.version,
    action,
    ...(action === 'approve' && text !== undefined && text !== item.target && { final_translation: text }),
    ...(notes && { notes }),
    ...(confirmCritical && { confirm_critical: true }),
  };
}

/** Whether the job is in the state that this reviewer's decision produces. */
function isOutcome(job: TranslationJob, { action, text }: Decision): boolean {
  const state = sessionState();
  if (state.kind !== 'signed_in') return false;
  const { email, user_id } = state.tokens.user;
  const review = lastReview(job);
  return (
    review?.actor === (email || user_id) &&
    review.action === action &&
    (action === 'reject' || text === undefined || job.final_translation === text)
  );
}

function isConflict(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.status === 409;
}

/** Reads a job from the service, and not from the cache. */
export function readJob(id: string): Promise<TranslationJob> {
  return queryClient.fetchQuery({
    queryKey: queryKeys.jobs.job(id),
    queryFn: ({ signal }) => client.translations.get(id, { signal }),
    staleTime: 0,
  });
}
