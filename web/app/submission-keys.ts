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
    /** Sending this content again from now on is new work. */
    done(content: unknown): void {
      keys.current.delete(JSON.stringify(content));
    },
    /** The sending failed. If its key has the job of something else, as of a file that was changed, the next one needs another key. */
    failed(content: unknown, error: unknown): void {
      if (error instanceof IdempotencyMismatchError) keys.current.delete(JSON.stringify(content));
    },
  };
}
