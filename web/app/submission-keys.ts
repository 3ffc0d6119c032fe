import { useRef } from 'react';
import { IdempotencyMismatchError } from '#sdk/outcome-errors.ts';
import { newIdempotencyKey } from '#sdk/random-key.ts';

/**
 * The idempotency keys of a screen. The same content has the same key until its submission is completed. If it is sent
 * again after a failure or a lost response, the service returns the first submission; the content is not translated or
 * billed twice. The keys are lost when the screen is left.
 */
export function useSubmissionKeys() {
  const keys = useRef(new Map<string, string>());
  return {
    /** @param content the submission, as a JSON value */
    keyOf(content: unknown): string {
      const name = JSON.stringify(content);
      const key = keys.current.get(name) ?? newIdempotencyKey();
      keys.current.set(name, key);
      return key;
    },
    /**
     * Waits for a submission. After a success, the same content gets a new key.
     * @param content the submission, as a JSON value
     * @returns the result of the submission
     * @throws the error of the submission
     */
    async settle<T>(content: unknown, sending: Promise<T>): Promise<T> {
      const name = JSON.stringify(content);
      try {
        const result = await sending;
        keys.current.delete(name);
        return result;
      } catch (error) {
        // The service knows the key from other content, such as an earlier version of a file. The next submission needs
        // a new key.
        if (error instanceof IdempotencyMismatchError) keys.current.delete(name);
        throw error;
      }
    },
  };
}
