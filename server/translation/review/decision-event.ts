import type { Tx } from '#db/client.ts';
import type { ClaimedVia } from '#server/identity/access/claimed-via.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';

/** A decision that closes a review. */
export interface Decision {
  tenantId: string;
  kind: 'job' | 'document';
  id: string;
  action: 'review_approved' | 'review_rejected';
  /** Whether the published text differs from the machine translation; only of texts. */
  edited?: boolean;
  /** The member; null for a client with an API key. */
  userId: string | null;
  /** The name that a client with an API key sent, and its key. */
  name: string | null;
  claimedVia: ClaimedVia | null;
}

/** Records a decision in the audit log, in the transaction of the decision. A claimed name is never the actor. */
export function recordDecision(
  tx: Tx,
  origin: Origin,
  { tenantId, kind, id, action, edited, userId, name, claimedVia }: Decision,
): Promise<void> {
  return recordEvent(tx, origin, {
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
}
