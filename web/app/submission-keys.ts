import { useState } from 'react';
import { IdempotencyMismatchError } from '#sdk/outcome-errors.ts';
import { newIdempotencyKey } from '#sdk/random-key.ts';

/** A store for keys, so that they survive a reload. */
export interface KeyStore {
  read(): Record<string, string>;
  write(keys: Record<string, string>): void;
}

/**
 * The idempotency keys of submissions. The same content has the same key until its submission is completed. If it is
 * sent again after a failure or a lost response, the service returns the first submission; the content is not
 * translated or billed twice.
 */
export class SubmissionKeys {
  private readonly keys: Map<string, string>;
  private readonly store: KeyStore | undefined;

  /** @param store without it, the keys are lost when the page is left */
  constructor(store?: KeyStore) {
    this.store = store;
    this.keys = new Map(Object.entries(store?.read() ?? {}));
  }

  /** @param content the submission, as a JSON value */
  keyOf(content: unknown): string {
    const name = nameOf(content);
    const key = this.keys.get(name) ?? newIdempotencyKey();
    this.keys.set(name, key);
    this.keep();
    return key;
  }

  /**
   * Waits for a submission. After a success, the same content gets a new key.
   * @param content the submission, as a JSON value
   * @returns the result of the submission
   * @throws the error of the submission
   */
  async settle<T>(content: unknown, sending: Promise<T>): Promise<T> {
    try {
      const result = await sending;
      this.forget(content);
      return result;
    } catch (error) {
      // The service knows the key from other content, such as an earlier version of a file. The next submission needs
      // a new key.
      if (error instanceof IdempotencyMismatchError) this.forget(content);
      throw error;
    }
  }

  private forget(content: unknown): void {
    this.keys.delete(nameOf(content));
    this.keep();
  }

  private keep(): void {
    this.store?.write(Object.fromEntries(this.keys));
  }
}

/** The keys of a screen, which are lost when the screen is left. */
export function useSubmissionKeys(): SubmissionKeys {
  const [keys] = useState(() => new SubmissionKeys());
  return keys;
}

/**
 * A short name for a submission. It does not reveal the content, because it may be stored. If two contents have the same
 * name, the service rejects the second one, and its next submission gets a new key.
 */
function nameOf(content: unknown): string {
  const text = JSON.stringify(content);
  let [high, low] = [0x811c9dc5, 0x1000193];
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    low = Math.imul(low ^ unit, 0xc2b2ae35) ^ (high >>> 13);
  }
  return `${(high >>> 0).toString(36)}${(low >>> 0).toString(36)}${text.length.toString(36)}`;
}
