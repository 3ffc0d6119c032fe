import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';

/** Minutes during which a decision may be reopened. */
export const reopenMinutes = 10;

/** A decision that a member asks to reopen. */
interface Decision {
  /** Name of the item: `job <id>`. */
  what: string;
  /** Whether it was made within the last `reopenMinutes`, by the database's clock; null if there is no review decision. */
  isRecent: boolean | null;
  /** The member who decided; null for a caller with an API key. */
  by: string | null;
}

/**
 * Lets the member who decided, and all administrators, reopen a decision for some minutes.
 * @throws AppError 403; 409 conflict without a review decision, or if it is too old
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
