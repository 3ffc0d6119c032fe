/**
 * The reason why a task gave no result:
 * - `busy`: too many tasks are queued; it did not start, and a retry may succeed;
 * - `closed`: the sandbox was closed;
 * - `time`, `memory`: it exceeded its limit, and its process was ended;
 * - `not_started`: its process did not start, or ended before it was ready for the task;
 * - `crashed`: its process ended in another way;
 * - `failed`: it threw an error, which is a bug: a rejected file is a result, not an error.
 */
export type SandboxReason = 'busy' | 'closed' | 'not_started' | 'time' | 'memory' | 'crashed' | 'failed';

/** Thrown if a task gave no result. The message is for the log. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  readonly reason: SandboxReason;

  constructor(reason: SandboxReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
