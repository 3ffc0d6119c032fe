import { useRef } from 'react';
import { IdempotencyMismatchError } from '#sdk/outcome-errors.ts';
import { newIdempotencyKey } from '#sdk/random-key.ts';

/**
 * The idempotency keys of a screen. The same content keeps its key until it is completed, so that a resend after a failure
 * or a lost response returns the first submission, and is neither translated nor billed twice. They live as long as the
 * screen.
 */
export function useSubmissionKeys() {
  const keys = useRef(new Map<string, string>());
  return {
    /** @param content the submission, as JSON values */
    keyOf(content: unknown): string {
      const name = JSON.stringify(content);
      const key = keys.current.get(name) ?? newIdempotencyKey();
      keys.current.set(name, key);
      return key;
    },
    /** From now on, the same content is a new submission. */
    done(content: unknown): void {
      keys.current.delete(JSON.stringify(content));
    },
    /**
     * The submission failed. If its key belongs to a different submission, as for a changed file, the next one needs another
     * key.
     */
    failed(content: unknown, error: unknown): void {
      if (error instanceof IdempotencyMismatchError) keys.current.delete(JSON.stringify(content));
    },
  };
}
