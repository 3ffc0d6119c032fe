/**
 * Why a task gave no result:
 * - `busy`: as many wait as may wait; nothing was tried, and it may go better later;
 * - `closed`: the sandbox was closed before or meanwhile;
 * - `time`, `memory`: it took more than it may, and its process was ended;
 * - `not_started`: its process could not be started, or ended before it was ready for a task: nothing was tried;
 * - `crashed`: its process ended otherwise;
 * - `failed`: it threw, which is a fault of its code: what it says of a file it says with its result.
 */
export type SandboxReason = 'busy' | 'closed' | 'not_started' | 'time' | 'memory' | 'crashed' | 'failed';

/** A task that gave no result. The message is for logs. */
export class SandboxError extends Error {
  override name = 'SandboxError';
  readonly reason: SandboxReason;

  constructor(reason: SandboxReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
