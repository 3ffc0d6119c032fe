import { AppError } from '#server/errors.ts';
import type { FileWork } from './sandbox/file-work.ts';
import { SandboxError } from './sandbox/sandbox-error.ts';
import type { TaskScope } from './sandbox/task-queue.ts';

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

/**
 * Runs `work` when it is the tenant's turn (`FileWork.turn`).
 * @throws AppError rate_limit if too many are queued; the reason of the scope's signal if that aborts
 */
export function takeTurn<T>(fileWork: FileWork, scope: TaskScope, work: () => Promise<T>): Promise<T> {
  return fileWork.turn(scope, work).catch((error: unknown) => {
    throw sandboxRefusal(error);
  });
}
