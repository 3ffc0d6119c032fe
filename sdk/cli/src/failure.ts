import { ConnectionError, LinguaLoopError, TimeoutError } from '../../src/index.ts';
import { Failed, UsageError } from './command.ts';

/** Returns a failure as one line for the reader, with what to do if that is known. */
export function describeFailure(error: unknown): string {
  if (error instanceof UsageError || error instanceof Failed) return error.message;
  if (error instanceof ConnectionError) return `the service cannot be reached: ${error.message}`;
  if (error instanceof TimeoutError) return error.message;
  if (error instanceof LinguaLoopError) {
    const { limit, actual, status } = error;
    const sizes = limit !== null && actual !== null ? ` (${actual} of at most ${limit})` : '';
    return `${error.message}${sizes}${status === 401 ? '; run "lingualoop login"' : ''}`;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return code
    ? `${message}`
    : `unexpected error: ${error instanceof Error ? (error.stack ?? message) : String(error)}`;
}
