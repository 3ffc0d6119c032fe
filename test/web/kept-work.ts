import type { Seen } from './witness.ts';

/** A job in the database. */
export interface StoredJob {
  id: string;
  source: string;
  text: string;
  isWaiting: boolean;
  /** The number of approvals that the service has recorded. */
  approvals: number;
}

/**
 * The places in which a text can be: the database, the browser's storage, and the field, which exists only while its
 * page exists.
 */
export interface Places {
  /** The jobs by source text. */
  jobs: ReadonlyMap<string, StoredJob>;
  /** The texts that are offered for restoring, the latest first, by job ID. */
  drafts: ReadonlyMap<string, readonly string[]>;
  field: { source: string; text: string } | undefined;
  /** The time at which the page ended; undefined if it still exists. */
  endedAt: number | undefined;
}

/** The texts that were typed into one field since it was shown. */
interface Thread {
  source: string;
  page: number;
  field: number;
  texts: { text: string; at: number }[];
  /** Texts that the reviewer has saved by keyboard since the footer last showed that everything is saved. */
  saving: string[];
  /** The texts that were in `saving` when the footer last showed it. One of them, or a later text, must be stored. */
  saved: string[];
}

/** A text that was typed less than this many milliseconds before its page ended may be lost. */
const mayBeLost = 1000;

/** Records the reviewer's texts, approvals and confirmations. They must hold after each kill. */
export class KeptWork {
  /** Approvals with the text in the field, by source text. */
  private readonly approved = new Map<string, { page: number; text: string }[]>();
  private threads: Thread[] = [];
  private page = 0;
  readonly counts = { keystrokes: 0, approvals: 0, saves: 0, used: 0, discarded: 0, lost: 0 };

  /** A new page begins. */
  begin(): void {
    this.page += 1;
  }

  see({ kind, source, text, field, at }: Seen): void {
    const thread = this.threadOf(source, field, kind === 'input');
    if (kind === 'input') {
      this.counts.keystrokes += 1;
      thread?.texts.push({ text, at });
    }
    if (kind === 'save') {
      this.counts.saves += 1;
      thread?.saving.push(text);
    }
    if (kind === 'saved' && thread) [thread.saved, thread.saving] = [thread.saving, []];
    if (kind === 'approve') {
      this.counts.approvals += 1;
      this.approved.set(source, [...(this.approved.get(source) ?? []), { page: this.page, text }]);
    }
  }

  /** The reviewer gives up a text: it was offered and discarded, or replaced by another one. */
  giveUp(source: string, text: string, as: 'used' | 'discarded'): void {
    this.counts[as] += 1;
    this.threads = this.threads.filter(
      ({ texts, ...one }) => one.source !== source || !has(text, texts.at(-1)?.text ?? ''),
    );
  }

  /**
   * Returns errors: texts that are lost, done twice, or different from what the reviewer saw. The next check begins
   * with the current state.
   */
  check(places: Places): string[] {
    const wrong = [...this.checkApprovals(places)];
    const left: Thread[] = [];
    for (const thread of this.threads) {
      const job = places.jobs.get(thread.source) as StoredJob;
      const lost = this.checkThread(thread, job, places);
      if (typeof lost === 'string') wrong.push(lost);
      else if (lost) left.push(lost);
    }
    this.threads = left;
    return wrong;
  }

  private *checkApprovals({ jobs }: Places): Generator<string> {
    for (const { source, text, isWaiting, approvals } of jobs.values()) {
      const presses = this.approved.get(source) ?? [];
      if (approvals > 1) yield `${source} was approved ${approvals} times`;
      if (isWaiting || approvals === 0) continue;
      if (presses.some((press) => press.text === text)) continue;
      yield `${source} was approved as "${text}", and the field had ${JSON.stringify(presses)}`;
    }
  }

  /** @returns the errors, and the part of the thread that must still be checked; undefined if nothing must */
  private checkThread(thread: Thread, job: StoredJob, places: Places): string | Thread | undefined {
    const { source, texts, saved } = thread;
    // The approved text is checked separately.
    if (!job.isWaiting) return undefined;
    const order = texts.map(({ text }) => text);
    const since = order.indexOf(saved[0] ?? '');
    if (
      saved.length > 0 &&
      ![...saved, ...order.slice(Math.max(since, 0))].some((text) => has(job.text, text))
    )
      return `"${saved[0]}" of ${source} was called saved, and "${job.text}" is stored`;

    const { endedAt } = places;
    const hasEnded = endedAt !== undefined && thread.page === this.page;
    const due = texts.findLastIndex(({ at }) => !hasEnded || at <= endedAt - mayBeLost);
    const field = places.field?.source === source ? places.field.text : '';
    const offered = places.drafts.get(job.id) ?? [];
    const isIn = ({ text }: { text: string }) => [job.text, field, ...offered].some((one) => has(one, text));
    const kept = texts.slice(Math.max(due, 0)).findLast(isIn);
    if (!kept && due >= 0) {
      const { text, at } = texts[due] as { text: string; at: number };
      const age = endedAt ? `${endedAt - at} ms before the end` : 'in a page that lives';
      return `"${text}" of ${source}, typed ${age}, is nowhere: stored "${job.text}", offered ${JSON.stringify(offered)}, field "${field}"`;
    }
    if (!kept) this.counts.lost += 1;
    if (!kept || has(job.text, kept.text)) return hasEnded || !kept ? undefined : thread;
    return hasEnded ? { ...thread, texts: [kept], saving: [], saved: [] } : thread;
  }

  private threadOf(source: string, field: number, mayBegin: boolean): Thread | undefined {
    const known = this.threads.find(
      (one) => one.page === this.page && one.field === field && one.source === source,
    );
    if (known || !mayBegin) return known;
    for (const one of this.threads.filter((one) => one.source === source)) one.saved = [];
    const begun: Thread = { source, field, page: this.page, texts: [], saving: [], saved: [] };
    this.threads.push(begun);
    return begun;
  }
}

/** Whether a text contains all words of another one. In these tests, reviewers type unique words and delete none. */
function has(text: string, other: string): boolean {
  return other.split(/\s+/).every((word) => text.includes(word));
}
