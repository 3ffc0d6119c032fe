import { AppError } from '#server/errors.ts';
import { SandboxError } from './sandbox/sandbox-error.ts';

/** Seconds after which the caller may retry. */
const retryAfter = 5;

/**
 * Converts an error that means that no sandbox process was available, which is unrelated to the file. Returns other
 * errors unchanged.
 */
export function sandboxRefusal(error: unknown): unknown {
  if (!(error instanceof SandboxError)) return error;
  switch (error.reason) {
    case 'busy':
      return new AppError('rate_limit', error.message, { cause: error });
    case 'closed':
      return new AppError('transient_error', 'too many files are being processed; try again later', {
        dependency: 'sandbox',
        cause: error,
        retryAfter,
      });
    case 'not_started':
      return new AppError('transient_error', 'no process can be started for the file now; try again later', {
        dependency: 'sandbox',
        cause: error,
        retryAfter,
      });
    default:
      return error;
  }
}
