import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';

/** Minutes after a decision in which it may be reopened. */
export const reopenMinutes = 10;

/** A decision that somebody wants to reopen. */
interface Decision {
  /** The item in words: `job <id>`. */
  what: string;
  /** Whether it was made within the last `reopenMinutes`, by the database's clock; null if no review has decided. */
  isRecent: boolean | null;
  /** The member who decided; null for a caller with an API key. */
  by: string | null;
}

/**
 * Lets the member who decided, and every administrator, reopen a decision for some minutes.
 * @throws AppError 403; 409 conflict if no review has decided, or too long ago
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
