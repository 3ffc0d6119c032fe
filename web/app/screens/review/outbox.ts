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
 * Reviews that are sent behind the person's back: the next item is shown at once, and a refusal brings its item back with its text.
 * They live outside of the screen, so that leaving it ends none.
 */

export type Action = 'approve' | 'reject';

/** What a person decided about an item. */
export interface Decision {
  item: Seen;
  action: Action;
  /** The text as it is in the field; undefined for the stored one, of an item that was not open. */
  text?: string | undefined;
  /** Why it is rejected. */
  notes?: string | undefined;
  /** Milliseconds that the person worked at it; unknown where several are decided on at once. */
  workedMs?: number | undefined;
  /** Whether the person has confirmed the critical findings of the text. */
  confirmCritical?: boolean | undefined;
  /** Whether the person means this very item although it was not opened. */
  confirmUnopened?: boolean | undefined;
}

/**
 * `sending`, then `done`, or it came back: `refused` with the error, or `changed`, because somebody else has changed the job
 * meanwhile.
 */
export type Sent = Decision & {
  state: 'sending' | 'done' | 'refused' | 'changed';
  error?: unknown;
  /** Of an approval of several items that left this one out. */
  leftOut?: { reason: LeftOut['reason']; findings: LeftOut['findings'] };
};

/** What a saved draft makes of its item. */
export type Saved = Pick<Item, 'version' | 'target'>;

/** The longest working time that the service takes. */
const dayMs = 86_400_000;

/** Reviews that one request carries. */
const mostOfRequest = 100;

let sent: ReadonlyMap<string, Sent> = new Map();
const listeners = new Set<() => void>();

/** All that was sent since the page was loaded, by job. */
export function useSent(): ReadonlyMap<string, Sent> {
  return useSyncExternalStore(subscribe, () => sent);
}

/** How many reviews are being sent. */
export function useSending(): number {
  return useSyncExternalStore(subscribe, countSending);
}

export function countSending(): number {
  return [...sent.values()].filter(({ state }) => state === 'sending').length;
}

/** A decision that was taken back: its item may be listed again. */
export function forgetSent(id: string): void {
  sent = new Map([...sent].filter(([key]) => key !== id));
  for (const listener of listeners) listener();
}

/** Waits until nothing is being sent, for these milliseconds at most. */
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

/** Whether a review came back. */
export function isBack(one: Sent | undefined): boolean {
  return one?.state === 'refused' || one?.state === 'changed';
}

/** An item that came back is in the editor's hands again, or is none of ours any more. */
export function takeBack(id: string): void {
  if (!isBack(sent.get(id))) return;
  sent = new Map([...sent].filter(([key]) => key !== id));
  for (const listener of listeners) listener();
}

/**
 * Sends a review. An item that is being sent is not sent again.
 * @param saving a draft that is still being saved: the review waits for it, and is of what it makes of the item
 * @returns what became of it; undefined if the person has signed out meanwhile
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
    // The draft was not saved, so the review that is of it comes back, too.
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
    // The answer to the first delivery may have been lost on its way.
    const present = await readJob(item.id).catch(() => undefined);
    if (!present) return { ...decision, state: 'refused', error };
    if (isOutcome(present, decision)) return { ...decision, state: 'done' };
    // A draft was saved whose answer was lost: the very text that is approved, so that nothing is overwritten.
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

/** Forgets the drafts that were sent by a page that ended before it had the answer. */
export async function dropSentDrafts(): Promise<void> {
  for (const { item, text, changedAt } of await listDrafts()) {
    if (item.kind !== 'job' || sent.has(item.id)) continue;
    const job = await readJob(item.id).catch(() => undefined);
    if (job && !isReviewable(job) && job.final_translation === text) await dropDraft(item, changedAt);
  }
}

/** Reads a job anew. */
export function readJob(id: string): Promise<TranslationJob> {
  return queryClient.fetchQuery({
    queryKey: ['jobs', 'job', id],
    queryFn: ({ signal }) => client.translations.get(id, { signal }),
    staleTime: 0,
  });
}

/** Whether a job is what a decision of this person made of it. */
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
 * Sends several reviews, a hundred in a request. Each has an outcome of its own.
 * @returns how many were done and how many came back, and those of them that were left out; undefined if the person has signed out meanwhile
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

// What one person sent is nothing that the next one on this device should see.
onSessionChange(() => {
  if (sessionState().kind !== 'signed_out' || sent.size === 0) return;
  sent = new Map();
  for (const listener of listeners) listener();
});

// Leaving the page now would end what is being sent; the browser asks.
addEventListener('beforeunload', (event) => {
  if (countSending() > 0) event.preventDefault();
});
