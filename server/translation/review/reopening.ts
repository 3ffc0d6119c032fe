import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';

/** Minutes during which a decision may be reopened. */
export const reopenMinutes = 10;

/** A decision that a member asks to reopen. */
interface Decision {
  /** The item in messages: `job <id>`. */
  what: string;
  /**
   * Whether the decision was made within the last `reopenMinutes`, by the database's clock; null if there is no review
   * decision.
   */
  isRecent: boolean | null;
  /** ID of the member who decided; null if the decision was made with an API key. */
  by: string | null;
}

/**
 * Allows reopening a recent decision to the member who decided and to all administrators.
 * @throws AppError 403; 409 conflict if there is no review decision, or if the decision is too old
 */
export function requireReopenable({ user }: SessionPrincipal, { what, isRecent, by }: Decision): void {
  if (by !== user.id && user.role !== 'global_administrator')
    throw new AppError('forbidden', 'only the reviewer who decided, and administrators, can reopen a review');
  if (isRecent === null) throw new AppError('conflict', `${what} was not decided by a review`);
  if (!isRecent)
    throw new AppError(
      'conflict',
      `${what} was decided more than ${reopenMinutes} minutes ago and can no longer be reopened`,
    );
}
