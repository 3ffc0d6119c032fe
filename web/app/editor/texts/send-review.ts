import { LinguaLoopError } from '#sdk/errors.ts';
import type { TranslationJob } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { criticalFindingsOf } from '../../parts/critical-findings-of.ts';
import { background } from '../../procedures.ts';
import { sessionState } from '../../session/keeper.ts';
import { translationService } from '../../translation-service.ts';
import { isReviewable, type TextList, type TextSegment } from './text-list.ts';

/** Maximum working time that the service accepts, in milliseconds. */
const dayMs = 86_400_000;

/** Reviews that are sent at the same time, so that a slow service does not delay a fast reviewer. */
export const parallel = 6;

/** A reviewer's action on a text. */
export interface Review {
  action: 'save' | 'approve' | 'reject';
  /** The text to save or to publish. */
  text: string;
  /** The translation that the reviewer saw when the edit began. */
  replaces: string | null;
  notes?: string | undefined;
  confirmCritical?: boolean;
  /** Milliseconds that the reviewer worked on the text. */
  workedMs?: number | undefined;
}

/**
 * Sends a review of a text, and updates the list. If the first attempt was stored but its response was lost, the
 * second attempt finds it, even if the list already has the decision.
 * @throws LinguaLoopError; with the code `conflict` and `present` if someone else has changed or decided the text
 */
export async function sendReview(list: TextList, position: number, review: Review): Promise<TranslationJob> {
  let segment = list.at(position);
  if (segment.is_cut) segment = await readWhole(list, position);
  // The list has a later text than the one that the reviewer saw.
  if (segment.target_text !== review.replaces && segment.target_text !== review.text)
    throw conflictWith(segment.target_text);
  if (segment.confirmed_at === null)
    try {
      return take(list, await act(segment, review));
    } catch (error) {
      if (!isConflict(error) || criticalFindingsOf(error)) throw error;
    }
  const present = take(list, await translationService.get(segment.id));
  if (isOutcome(present, review)) return present;
  if (!isReviewable(present)) throw conflictWith(present.final_translation);
  const seen = [review.replaces, review.text];
  if (!seen.includes(present.final_translation)) throw conflictWith(present.final_translation);
  // The text is the one that the reviewer saw; only its version is later.
  return take(list, await act(list.at(position), review));
}

/**
 * Reopens a text that this member has decided. An earlier attempt whose response was lost may have reopened it.
 * @returns the version of the reopened text
 * @throws LinguaLoopError; with the code `conflict` and `present` if someone else has decided it since
 */
export async function reopenOwn(id: string, action: 'approve' | 'reject'): Promise<string> {
  const job = await translationService.get(id);
  if (isReviewable(job)) return job.updated_at;
  if (!isOwn(job, action)) throw conflictWith(job.final_translation);
  const { updated_at: version } = await client.reviews.reopen({ kind: 'job', id });
  return version;
}

/** Decides again about a text that was reopened. @param version the version of the reopened text */
export async function decideAgain(
  list: TextList,
  { id, version }: { id: string; version: string },
  decision: Pick<Review, 'action' | 'notes'>,
): Promise<void> {
  const position = list.positionOf(id);
  if (position === undefined) return;
  const { is_cut: isCut } = list.at(position);
  const { target_text: text, ...present } = isCut ? await readWhole(list, position) : list.at(position);
  // Someone has changed the text since: this member has not seen it.
  if (present.confirmed_at === null && present.version !== version) throw conflictWith(text);
  await sendReview(list, position, { ...decision, text: text ?? '', replaces: text });
}

function take(list: TextList, job: TranslationJob): TranslationJob {
  list.takeJob(job);
  return job;
}

/** Loads the whole texts of a job whose beginnings are listed. */
export async function readWhole(list: TextList, position: number): Promise<TextSegment> {
  take(list, await translationService.get(list.at(position).id));
  return list.at(position);
}

function act({ id, version, target_text: stored }: TextSegment, review: Review): Promise<TranslationJob> {
  const { action, text, notes, confirmCritical, workedMs } = review;
  return background.translations.act.mutate({
    job_id: id,
    updated_at: version,
    action,
    ...((action === 'save' || (action === 'approve' && text !== stored)) && { final_translation: text }),
    ...(notes && { notes }),
    ...(confirmCritical && { confirm_critical: true }),
    ...(action !== 'save' && workedMs !== undefined && { worked_ms: Math.min(workedMs, dayMs) }),
  });
}

/** Whether the job is in the state that this member's review produces. */
function isOutcome(job: TranslationJob, { action, text }: Review): boolean {
  return isOwn(job, action) && (action === 'reject' || job.final_translation === text);
}

/** Whether the latest review of the job is this action of this member. */
function isOwn(job: TranslationJob, action: Review['action']): boolean {
  const state = sessionState();
  if (state.kind !== 'signed_in') return false;
  const { email, user_id } = state.tokens.user;
  const last = job.agent_run.steps.findLast(({ name }) => name === 'human_review');
  return last?.actor === (email || user_id) && !last.claimed_via && last.output_summary === action;
}

function isConflict(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.status === 409;
}

function conflictWith(present: string | null): LinguaLoopError {
  return new LinguaLoopError({
    status: 409,
    code: 'conflict',
    detail: 'the translation has changed',
    present: [{ target_text: present }],
    answeredBy: 'service',
  });
}
