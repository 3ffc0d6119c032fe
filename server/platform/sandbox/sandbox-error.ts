/**
 * The reason why a task gave no result:
 * - `busy`: too many tasks are queued. The task did not start, and a retry may succeed.
 * - `closed`: the sandbox was closed.
 * - `time`, `memory`: the task exceeded a limit, and its process was ended.
 * - `not_started`: the process of the task did not start, or ended before it was ready.
 * - `crashed`: the process of the task ended in another way.
 * - `failed`: the task threw an error. This is a bug, because the rejection of a file is a result and not an error.
 */
type SandboxReason = 'busy' | 'closed' | 'not_started' | 'time' | 'memory' | 'crashed' | 'failed';

/** Thrown if a task gave no result. The message is for the log. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  readonly reason: SandboxReason;

  constructor(reason: SandboxReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
