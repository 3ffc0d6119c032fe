import { useSyncExternalStore } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { ReviewManyResult, TranslationJob } from '#sdk/types.ts';
import { actOnJob, actOnJobs, client } from '../../client.ts';
import { dropDraft, listDrafts } from '../../drafts/drafts.ts';
import { criticalFindingsOf } from '../../parts/critical-findings.tsx';
import type { LeftOut } from '../../parts/left-out.tsx';
import { queryClient } from '../../query-client.ts';
import { onSessionChange, sessionState } from '../../session/keeper.ts';
import { type Item, isReviewable, itemOfJob, lastReview, type Seen } from './items.ts';

/*
 * Reviews that are sent in the background: the next item is shown immediately, and if a review fails, its item returns with
 * its text. They live outside of the screen, so that leaving it does not abort them.
 */

export type Action = 'approve' | 'reject';

/** A reviewer's decision about an item. */
export interface Decision {
  item: Seen;
  action: Action;
  /** The text in the field; undefined for the stored one, if the item was not open. */
  text?: string | undefined;
  /** The reason for a rejection. */
  notes?: string | undefined;
  /** Milliseconds spent on it; unknown for several at the same time. */
  workedMs?: number | undefined;
  /** Whether the reviewer has confirmed the critical findings of the text. */
  confirmCritical?: boolean | undefined;
  /** Whether the reviewer approves this item explicitly although it was not opened. */
  confirmUnopened?: boolean | undefined;
}

/**
 * `sending`, then `done`, or not saved: `refused` with the error, or `changed`, because someone else has changed the job.
 */
export type Sent = Decision & {
  state: 'sending' | 'done' | 'refused' | 'changed';
  error?: unknown;
  /** Set if an approval of several items skipped this one. */
  leftOut?: { reason: LeftOut['reason']; findings: LeftOut['findings'] };
};

/** The item's state after a saved draft. */
export type Saved = Pick<Item, 'version' | 'target'>;

/** The longest working time that the service accepts. */
const dayMs = 86_400_000;

/** Maximum number of reviews in a request. */
const mostOfRequest = 100;

let sent: ReadonlyMap<string, Sent> = new Map();
const listeners = new Set<() => void>();

/** All reviews that were sent since the page was loaded, by job. */
export function useSent(): ReadonlyMap<string, Sent> {
  return useSyncExternalStore(subscribe, () => sent);
}

/** The number of reviews that are being sent. */
export function useSending(): number {
  return useSyncExternalStore(subscribe, countSending);
}

export function countSending(): number {
  return [...sent.values()].filter(({ state }) => state === 'sending').length;
}

/** Drops a decision that was undone: its item may be listed again. */
export function forgetSent(id: string): void {
  sent = new Map([...sent].filter(([key]) => key !== id));
  for (const listener of listeners) listener();
}

/** Waits until nothing is being sent, for at most this many milliseconds. */
export function untilSent(most: number): Promise<void> {
  return new Promise((resolve) => {
    const forget = subscribe(() => countSending() === 0 && done());
    const timer = setTimeout(done, countSending() === 0 ? 0 : most);
    function done() {
      clearTimeout(timer);
      forget();
      resolve();
    }
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function enter(...changes: readonly Sent[]): void {
  sent = new Map([...sent, ...changes.map((one) => [one.item.id, one] as const)]);
  for (const listener of listeners) listener();
}

/** Whether a review was not saved. */
export function isBack(one: Sent | undefined): boolean {
  return one?.state === 'refused' || one?.state === 'changed';
}

/** Removes an item that the editor shows again, or that is now handled by others. */
export function takeBack(id: string): void {
  if (!isBack(sent.get(id))) return;
  sent = new Map([...sent].filter(([key]) => key !== id));
  for (const listener of listeners) listener();
}

/**
 * Sends a review. An item that is being sent is not sent again.
 * @param saving a draft that is still being saved: the review waits for it, and applies to its result
 * @returns the result; undefined if the member has signed out in between
 */
export async function send(decision: Decision, saving?: Promise<Saved>): Promise<Sent | undefined> {
  const { id } = decision.item;
  const before = sent.get(id);
  if (before?.state === 'sending') return before;
  const decidedAt = Date.now();
  const sending: Sent = { ...decision, state: 'sending' };
  enter(sending);
  const outcome = await afterDraft(decision, saving);
  if (!isUnderWay(sending)) return undefined;
  enter(outcome);
  if (outcome.state === 'done') await dropDraft({ kind: 'job', id }, decidedAt);
  return outcome;
}

/** Whether it is still being sent: a sign-out ends that. */
function isUnderWay(sending: Sent): boolean {
  return sent.get(sending.item.id) === sending;
}

async function afterDraft(decision: Decision, saving: Promise<Saved> | undefined): Promise<Sent> {
  try {
    return await act({ ...decision, item: { ...decision.item, ...(await saving) } });
  } catch (error) {
    // The draft was not saved, so the review that depends on it is not saved, either.
    return { ...decision, state: isConflict(error) ? 'changed' : 'refused', error };
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof LinguaLoopError && error.status === 409;
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
    queryClient.setQueryData(['jobs', 'job', item.id], job);
    return { ...decision, state: 'done' };
  } catch (error) {
    if (!isConflict(error) || criticalFindingsOf(error)) return { ...decision, state: 'refused', error };
    // The response to the first request may have been lost.
    const present = await readJob(item.id).catch(() => undefined);
    if (!present) return { ...decision, state: 'refused', error };
    if (isOutcome(present, decision)) return { ...decision, state: 'done' };
    // A draft was saved but its response was lost: it has exactly the approved text, so nothing is overwritten.
    const isOwnText = isReviewable(present) && present.final_translation === text;
    if (isOwnText && present.updated_at !== item.version)
      return act({ ...decision, item: itemOfJob(present) });
    return { ...decision, state: 'changed', error };
  }
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

/** Deletes drafts that were sent by a page that ended before the response arrived. */
export async function dropSentDrafts(): Promise<void> {
  for (const { item, text, changedAt } of await listDrafts()) {
    if (item.kind !== 'job' || sent.has(item.id)) continue;
    const job = await readJob(item.id).catch(() => undefined);
    if (job && !isReviewable(job) && job.final_translation === text) await dropDraft(item, changedAt);
  }
}

/** Reloads a job. */
export function readJob(id: string): Promise<TranslationJob> {
  return queryClient.fetchQuery({
    queryKey: ['jobs', 'job', id],
    queryFn: ({ signal }) => client.translations.get(id, { signal }),
    staleTime: 0,
  });
}

/** Whether a job's state is the result of this reviewer's decision. */
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

/**
 * Sends several reviews, a hundred per request. Each has a separate result.
 * @returns the numbers of saved and failed reviews, and the skipped ones; undefined if the member has signed out in between
 */
export async function sendMany(
  decisions: readonly Decision[],
): Promise<{ done: number; back: number; leftOut: Sent[] } | undefined> {
  const decidedAt = Date.now();
  const fresh = decisions
    .filter(({ item }) => sent.get(item.id)?.state !== 'sending')
    .map((one): Sent => ({ ...one, state: 'sending' }));
  enter(...fresh);
  const outcomes: Sent[] = [];
  for (let at = 0; at < fresh.length; at += mostOfRequest) {
    const sending = fresh.slice(at, at + mostOfRequest);
    const some = await actMany(sending);
    if (!sending.every(isUnderWay)) return undefined;
    enter(...some);
    outcomes.push(...some);
  }
  const done = outcomes.filter(({ state }) => state === 'done');
  await Promise.all(done.map(({ item }) => dropDraft({ kind: 'job', id: item.id }, decidedAt)));
  const leftOut = outcomes.filter((one) => one.leftOut);
  return { done: done.length, back: outcomes.length - done.length, leftOut };
}

async function actMany(decisions: readonly Decision[]): Promise<Sent[]> {
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

// The next member on this device must not see the previous member's reviews.
onSessionChange(() => {
  if (sessionState().kind !== 'signed_out' || sent.size === 0) return;
  sent = new Map();
  for (const listener of listeners) listener();
});

// Leaving the page now would abort running requests; the browser asks.
addEventListener('beforeunload', (event) => {
  if (countSending() > 0) event.preventDefault();
});
