import { AppError } from '#server/errors.ts';
import { SandboxError } from '#server/sandbox/index.ts';

/** What a caller is told of a sandbox that could not be had; anything else is an internal error. */
export function sandboxRefusal(error: unknown): unknown {
  if (!(error instanceof SandboxError)) return error;
  if (error.reason === 'busy') return new AppError('rate_limit', error.message, { cause: error });
  return error.reason === 'closed'
    ? new AppError('transient_error', 'too many files are being processed; try again later', {
        cause: error,
      })
    : error;
}
