import { ConnectionError, LinguaLoopError, TimeoutError } from '../../src/index.ts';
import { Failed, UsageError } from './command.ts';

/** Returns a failure as one line for the reader, with what to do if that is known. */
export function describeFailure(error: unknown): string {
  if (error instanceof UsageError || error instanceof Failed) return error.message;
  if (error instanceof ConnectionError) return `the service cannot be reached: ${error.message}`;
  if (error instanceof TimeoutError) return error.message;
  if (error instanceof LinguaLoopError) {
    const { status, hint, limit, actual, requestId } = error;
    const sizes = limit !== null && actual !== null ? ` (${actual} of at most ${limit})` : '';
    const advice = hint ?? adviceOf(status);
    const id = requestId && (status ?? 0) >= 500 ? ` [request ${requestId}]` : '';
    return `${error.message}${sizes}${advice ? `; ${advice}` : ''}${id}`;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return code
    ? `${message}`
    : `unexpected error: ${error instanceof Error ? (error.stack ?? message) : String(error)}`;
}

function adviceOf(status: number | null): string | undefined {
  if (status === 401) return 'run "lingualoop login" again';
  if (status === 403) return 'another role or key is required';
  return undefined;
}
