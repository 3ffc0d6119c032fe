import type { Tx } from '#db/client.ts';
import { type AuditEvent, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueAdministratorMails } from '#server/identity/mail/outbox.ts';
import type { Settings } from '#server/settings.ts';
import type { AssignmentRule } from './schema.ts';

/**
 * Records that saved rules demand fewer second reviews than the former ones, and sends the administrators a mail. Such a
 * change lets one person publish what two had to approve.
 */
export async function reportRemovedReviews(
  tx: Tx,
  origin: Origin,
  settings: Settings,
  { tenantId, userId }: { tenantId: string; userId: string },
  before: readonly AssignmentRule[],
  after: readonly AssignmentRule[],
): Promise<void> {
  const removed = before.filter((rule) => rule.second !== null && !isKept(rule, before, after)).length;
  const events = removed === 0 ? [] : [{ details: { rules: removed } }];
  await recordRemoved(tx, origin, settings, { tenantId, userId }, events);
}

/** Records the second reviews that one call of an administrator removed, and mails it to the administrators, one mail each. */
export async function recordRemoved(
  tx: Tx,
  origin: Origin,
  settings: Settings,
  { tenantId, userId }: { tenantId: string; userId: string },
  events: readonly { target?: string; details: NonNullable<AuditEvent['details']> }[],
): Promise<void> {
  if (events.length === 0) return;
  const event = { action: 'second_review_removed', tenantId, actor: { kind: 'member', userId } } as const;
  await Promise.all(events.map((one) => recordEvent(tx, origin, { ...event, ...one })));
  await queueAdministratorMails(tx, settings, { tenantId, event: 'second_review' });
}

/**
 * Whether the items of a rule still get a second review: a rule with its conditions demands one, and no new rule without
 * one comes before it, because the first rule that matches applies.
 */
function isKept(
  rule: AssignmentRule,
  before: readonly AssignmentRule[],
  after: readonly AssignmentRule[],
): boolean {
  const conditions = conditionsOf(rule);
  const place = after.findIndex((one) => one.second !== null && conditionsOf(one) === conditions);
  if (place < 0) return false;
  const passing = (rules: readonly AssignmentRule[], end: number) =>
    rules
      .slice(0, end)
      .filter((one) => one.second === null)
      .map(conditionsOf);
  const known = new Set(passing(before, before.indexOf(rule)));
  return passing(after, place).every((one) => known.has(one));
}

function conditionsOf({ assignee: _, second: __, due: ___, ...conditions }: AssignmentRule): string {
  return JSON.stringify(Object.entries(conditions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
