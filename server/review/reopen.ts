import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { removeGoldenLater, removeGoldenNow } from '#server/records/golden-deletion.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { claimantOf, type Decision, type WithBearer } from './item.ts';
import { kinds } from './kinds.ts';
import type { ReopenedItem, ReviewItem } from './schema.ts';

/**
 * Withdraws a decision, so that the item awaits review again. The publication is withdrawn in the same transaction: the
 * row no longer refers to a golden record, and segments that the decision added leave the TM. The record itself is
 * removed after the commit, as for a deleted job.
 * @throws AppError 403; 404; 409 conflict for an item that is not decided, or is being published
 */
export async function reopenItem(
  services: LocatingServices & Pick<Services, 'log'>,
  withBearer: WithBearer,
  origin: Origin,
  { kind, id }: ReviewItem,
): Promise<ReopenedItem> {
  const { selectDecision, reopenIn } = kinds[kind];
  const { item, published } = await reopenIn(services, withBearer, id, {
    async check(tx, principal) {
      requireReopenable(principal, await selectDecision(tx, principal.tenant.id, id));
    },
    async work(tx, principal) {
      const tenantId = principal.tenant.id;
      const decision = await selectDecision(tx, tenantId, id);
      requireReopenable(principal, decision);
      const { status, updatedAt } = await decision.withdraw(claimantOf(principal).name);
      await recordEvent(tx, origin, {
        action: 'review_reopened',
        tenantId,
        actor: { kind: 'member', userId: principal.user.id },
        target: id,
        details: { kind, status: decision.status, decided_by: decision.by },
      });
      const { published } = decision;
      await removeGoldenLater(tx, published);
      return { item: { kind, id, status, updated_at: updatedAt.toISOString() }, published };
    },
  });
  await removeGoldenNow(services, published);
  return item;
}

/**
 * Allows reopening a decision to the member who decided and to all administrators, at any time.
 * @throws AppError 403; 409 conflict if no review decided the item
 */
function requireReopenable({ user }: SessionPrincipal, { what, isReview, by }: Decision): void {
  if (by !== user.id && user.role !== 'global_administrator')
    throw new AppError('forbidden', 'only the reviewer who decided, and administrators, can reopen a review');
  if (!isReview) throw new AppError('conflict', `${what} was not decided by a review`);
}
