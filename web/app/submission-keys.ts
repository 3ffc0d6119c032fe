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
    /**
     * Waits for a submission of this content. Once it succeeds, the same content is a new submission.
     * @returns the result of the submission @throws its error
     */
    async settle<T>(content: unknown, sending: Promise<T>): Promise<T> {
      const name = JSON.stringify(content);
      try {
        const result = await sending;
        keys.current.delete(name);
        return result;
      } catch (error) {
        // The key belongs to other content, such as an earlier version of a file: the next submission needs another key.
        if (error instanceof IdempotencyMismatchError) keys.current.delete(name);
        throw error;
      }
    },
  };
}
