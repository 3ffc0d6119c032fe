import { type Colleague, mentionedIn } from './mentions.ts';

/** The subject of comments: a job, or a segment of a document. */
export interface Commented {
  kind: 'job' | 'document';
  id: string;
  position?: number;
}

/** A comment that is being sent. */
export interface SentComment {
  /** The service stores a comment with the same ID only once, so that a repeated request adds no second comment. */
  id: string;
  body: string;
  /** The user IDs of the colleagues whom it mentions. */
  mentions: readonly string[];
}

/**
 * Comments that are not sent yet, by subject: what a reviewer has written stays when another segment is opened, or when
 * the service rejects it.
 */
export class CommentDrafts {
  #texts: ReadonlyMap<string, string> = new Map();
  readonly #sending = new Map<string, SentComment>();
  /** The last comment of each subject that the service may or may not have stored. */
  readonly #failed = new Map<string, SentComment>();
  readonly #listeners = new Set<() => void>();
  /** All colleagues whom the service has listed, by user ID. */
  readonly #colleagues = new Map<string, Colleague>();

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  textOf(subject: string): string {
    return this.#texts.get(subject) ?? '';
  }

  write(subject: string, text: string): void {
    this.#texts = new Map(this.#texts).set(subject, text);
    for (const listener of this.#listeners) listener();
  }

  /** Adds colleagues whom comments can mention. */
  readonly know = (colleagues: readonly Colleague[]): void => {
    for (const colleague of colleagues) this.#colleagues.set(colleague.user_id, colleague);
  };

  /**
   * Takes the text to send it, and leaves the field empty for the next comment.
   * @returns undefined for an empty text, or if a comment on this subject is still being sent
   */
  take(subject: string): SentComment | undefined {
    const body = this.textOf(subject).trim();
    if (body === '' || this.#sending.has(subject)) return undefined;
    const mentions = mentionedIn(body, [...this.#colleagues.values()]);
    const failed = this.#failed.get(subject);
    const isSame = failed?.body === body && failed.mentions.join() === mentions.join();
    const comment = isSame ? failed : { id: crypto.randomUUID(), body, mentions };
    this.#sending.set(subject, comment);
    this.write(subject, '');
    return comment;
  }

  /** Ends sending. Without success, the comment is in the field again, before what was written since. */
  settle(subject: string, isStored: boolean): void {
    const comment = this.#sending.get(subject);
    this.#sending.delete(subject);
    this.#failed.delete(subject);
    if (!comment || isStored) return;
    this.#failed.set(subject, comment);
    const since = this.textOf(subject);
    this.write(subject, since === '' ? comment.body : `${comment.body}\n${since}`);
  }

  /** Deletes everything, because the member has signed out. */
  clear(): void {
    this.#texts = new Map();
    this.#sending.clear();
    this.#failed.clear();
    this.#colleagues.clear();
  }
}
