import { dropDraft, listDrafts } from '../../drafts/drafts.ts';
import { type Decision, isBack, type Saved, type Sent } from './decision.ts';
import { deliver, deliverMany, readJob } from './deliver-review.ts';
import { isReviewable } from './items.ts';

/** Maximum number of reviews in a request. */
const maxPerRequest = 100;

/**
 * Sends reviews in the background, so that the next item is shown immediately. If a review is rejected, its item
 * returns to the queue with the reviewer's text. The outbox is not part of the review screen, so reviews continue to be
 * sent after the reviewer leaves that screen.
 */
export class Outbox {
  #sent: ReadonlyMap<string, Sent> = new Map();
  readonly #listeners = new Set<() => void>();

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** All reviews, by job ID. Each change creates another map. */
  readonly all = (): ReadonlyMap<string, Sent> => this.#sent;

  /** The number of reviews that are being sent. */
  readonly countSending = (): number =>
    [...this.#sent.values()].filter(({ state }) => state === 'sending').length;

  /** Waits until no review is being sent, but at most this many milliseconds. */
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
   * Sends a review. If a review of the same item is being sent, nothing is sent.
   * @param saving a draft that is still being saved; the review is sent after it, for the version that it creates
   * @returns the outcome; undefined if the outbox was cleared in the meantime
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
   * Sends several reviews, at most 100 in each request. Each review has its own outcome.
   * @returns the number of saved reviews, the number of failed reviews, and the reviews of skipped items; undefined if
   * the outbox was cleared in the meantime
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

  /** Removes a decision that was undone, so that its item may be listed again. */
  forget(id: string): void {
    this.#set(new Map([...this.#sent].filter(([key]) => key !== id)));
  }

  /** Removes a review that was not saved, because the reviewer works on the item again or leaves it. */
  takeBack(id: string): void {
    if (isBack(this.#sent.get(id))) this.forget(id);
  }

  /** Removes all reviews: the next member on this device must not see them. */
  clear(): void {
    if (this.#sent.size > 0) this.#set(new Map());
  }

  /** Deletes drafts whose review was stored, but whose page ended before it received the response. */
  async dropSentDrafts(): Promise<void> {
    for (const { item, text, changedAt } of await listDrafts()) {
      if (item.kind !== 'job' || this.#sent.has(item.id)) continue;
      const job = await readJob(item.id).catch(() => undefined);
      if (job && !isReviewable(job) && job.final_translation === text) await dropDraft(item, changedAt);
    }
  }

  /** Whether this review is still being sent. `clear` removes it, so the result is then false. */
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
