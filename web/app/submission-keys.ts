import { useRef } from 'react';
import { IdempotencyMismatchError } from '#sdk/outcome-errors.ts';
import { newIdempotencyKey } from '#sdk/random-key.ts';

/**
 * The idempotency keys of a screen. The same content keeps its key until it is done, so that sending it again after a failure or a
 * lost answer finds the first sending, and is neither translated nor billed twice. They live as long as the screen.
 */
export function useSubmissionKeys() {
  const keys = useRef(new Map<string, string>());
  return {
    /** @param content what is sent, as JSON values */
    keyOf(content: unknown): string {
      const name = JSON.stringify(content);
      const key = keys.current.get(name) ?? newIdempotencyKey();
      keys.current.set(name, key);
      return key;
    },
    /**
     * Waits for a sending of this content. Once it succeeds, sending the content again is new work.
     * @returns the result of the sending @throws what the sending throws
     */
    async settle<T>(content: unknown, sending: Promise<T>): Promise<T> {
      const name = JSON.stringify(content);
      try {
        const result = await sending;
        keys.current.delete(name);
        return result;
      } catch (error) {
        // The key has the job of other content, such as a file that was changed: the next sending needs another key.
        if (error instanceof IdempotencyMismatchError) keys.current.delete(name);
        throw error;
      }
    },
  };
}
