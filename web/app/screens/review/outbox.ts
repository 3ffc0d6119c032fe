import { dropDraft, listDrafts } from '../../drafts/drafts.ts';
import { type Decision, isBack, type Saved, type Sent } from './decision.ts';
import { deliver, deliverMany, readJob } from './deliver-review.ts';
import { isReviewable } from './items.ts';

/** Maximum number of reviews in a request. */
const maxPerRequest = 100;

/**
 * Sends reviews in the background: the next item is shown immediately, and a rejected review brings its item back with its text. It lives
 * outside of the review screen, so leaving the screen does not end what is being sent.
 */
export class Outbox {
  #sent: ReadonlyMap<string, Sent> = new Map();
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** All reviews, by job; another map after each change. */
  readonly all = (): ReadonlyMap<string, Sent> => this.#sent;

  /** The number of reviews that are being sent. */
  readonly countSending = (): number =>
    [...this.#sent.values()].filter(({ state }) => state === 'sending').length;

  /** Waits until nothing is being sent, for at most this many milliseconds. */
  untilSent(longest: number): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.subscribe(() => this.countSending() === 0 && done());
      const timer = setTimeout(done, this.countSending() === 0 ? 0 : longest);
      function done() {
        clearTimeout(timer);
        forget();
        resolve();
      }
    });
  }

  /**
   * Sends a review. An item that is being sent is not sent again.
   * @param saving a draft that is still being saved: the review waits for it, and applies to its result
   * @returns the outcome; undefined if the outbox was cleared since then
   */
  async send(decision: Decision, saving?: Promise<Saved>): Promise<Sent | undefined> {
    const { id } = decision.item;
    const before = this.#sent.get(id);
    if (before?.state === 'sending') return before;
    const decidedAt = Date.now();
    const sending: Sent = { ...decision, state: 'sending' };
    this.#enter(sending);
    const outcome = await deliver(decision, saving);
    if (!this.#isUnderWay(sending)) return undefined;
    this.#enter(outcome);
    if (outcome.state === 'done') await dropDraft({ kind: 'job', id }, decidedAt);
    return outcome;
  }

  /**
   * Sends several reviews, a hundred per request. Each has a separate outcome.
   * @returns the numbers of saved and failed reviews, and the skipped ones; undefined if the outbox was cleared since then
   */
  async sendMany(
    decisions: readonly Decision[],
  ): Promise<{ done: number; back: number; leftOut: Sent[] } | undefined> {
    const decidedAt = Date.now();
    const fresh = decisions
      .filter(({ item }) => this.#sent.get(item.id)?.state !== 'sending')
      .map((one): Sent => ({ ...one, state: 'sending' }));
    this.#enter(...fresh);
    const outcomes: Sent[] = [];
    for (let at = 0; at < fresh.length; at += maxPerRequest) {
      const sending = fresh.slice(at, at + maxPerRequest);
      const some = await deliverMany(sending);
      if (!sending.every((one) => this.#isUnderWay(one))) return undefined;
      this.#enter(...some);
      outcomes.push(...some);
    }
    const done = outcomes.filter(({ state }) => state === 'done');
    await Promise.all(done.map(({ item }) => dropDraft({ kind: 'job', id: item.id }, decidedAt)));
    const leftOut = outcomes.filter((one) => one.leftOut);
    return { done: done.length, back: outcomes.length - done.length, leftOut };
  }

  /** Drops a decision that was undone: its item may be listed again. */
  forget(id: string): void {
    this.#set(new Map([...this.#sent].filter(([key]) => key !== id)));
  }

  /** Forgets a review that was not saved: the reviewer works at its item again, or it is no longer theirs. */
  takeBack(id: string): void {
    if (isBack(this.#sent.get(id))) this.forget(id);
  }

  /** Forgets everything: the next member on this device must not see it. */
  clear(): void {
    if (this.#sent.size > 0) this.#set(new Map());
  }

  /** Deletes the drafts of reviews that were sent by a page that ended before it had the response. */
  async dropSentDrafts(): Promise<void> {
    for (const { item, text, changedAt } of await listDrafts()) {
      if (item.kind !== 'job' || this.#sent.has(item.id)) continue;
      const job = await readJob(item.id).catch(() => undefined);
      if (job && !isReviewable(job) && job.final_translation === text) await dropDraft(item, changedAt);
    }
  }

  /** Whether this review is still being sent: `clear` ends that. */
  #isUnderWay(sending: Sent): boolean {
    return this.#sent.get(sending.item.id) === sending;
  }

  #enter(...changes: readonly Sent[]): void {
    this.#set(new Map([...this.#sent, ...changes.map((one) => [one.item.id, one] as const)]));
  }

  #set(next: ReadonlyMap<string, Sent>): void {
    this.#sent = next;
    for (const listener of this.#listeners) listener();
  }
}
