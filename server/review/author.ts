import type { Tx } from '#db/client.ts';
import { recordedSubmitter } from '#server/billing/metering/submitter.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { type ClaimedVia, claimedViaOf } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueDecisionMail } from '#server/identity/mail/outbox.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import type { Settings } from '#server/settings.ts';
import type { ReviewItem } from './schema.ts';

/** The caller who reviews an item. */
export interface Author {
  /** The member; null for an API key. */
  userId: string | null;
  /** Email address or user ID of the member, or the name in the request; null without a name. */
  name: string | null;
  /** The API key, if the caller uses one: the name is then a claim. */
  claimedVia: ClaimedVia | null;
}

/** Returns the author: the session's member. `said` counts only for a caller without a session. */
export async function authorOf(
  tx: Tx,
  principal: Principal,
  said: string | null | undefined,
): Promise<Author> {
  if (principal.kind !== 'session')
    return { userId: null, name: said || null, claimedVia: await claimedViaOf(tx, principal) };
  const { email, id } = principal.user;
  return { userId: id, name: email || id, claimedVia: null };
}

/**
 * Returns the name of the author of a confirmation or an approval.
 * @throws AppError 400 if the reviewer cannot be determined
 */
export function requireName({ name }: Author): string {
  if (name === null)
    throw new AppError('validation_error', 'reviewer could not be determined: sign in or supply a reviewer');
  return name;
}

/**
 * Records a decision that closes a review in the audit log, in the transaction of the decision, and adds it to the mail
 * to the member who submitted the item. A claimed name is never the actor.
 * @param edited whether the published text differs from the machine translation; only of texts
 */
export async function recordDecision(
  tx: Tx,
  settings: Settings,
  origin: Origin,
  { tenantId, userId, name, claimedVia }: Author & { tenantId: string },
  { kind, id }: ReviewItem,
  { action, edited }: { action: 'review_approved' | 'review_rejected'; edited?: boolean },
): Promise<void> {
  await recordEvent(tx, origin, {
    action,
    tenantId,
    actor: userId === null ? { kind: 'api_key' } : { kind: 'member', userId },
    target: id,
    details: {
      kind,
      ...(edited !== undefined && { edited }),
      ...(claimedVia && { key_id: claimedVia.id, key_name: claimedVia.name, claimed_reviewer: name }),
    },
  });
  await queueDecisionMail(tx, settings, {
    ...{ tenantId, kind, id, decidedBy: userId, hasFailed: action === 'review_rejected' },
    submittedBy: isMailOn(settings) ? await recordedSubmitter(tx, tenantId, id) : null,
  });
}
