import { AuthenticationError } from './status-errors.ts';

/** Whether the service itself refused what was presented to it; a proxy's 401 says nothing of our tokens. */
export function isServiceRefusal(error: unknown): error is AuthenticationError {
  return error instanceof AuthenticationError && error.answeredBy === 'service';
}
