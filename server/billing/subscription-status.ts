/** Statuses that end a subscription for good (A 3.1). */
const ended: ReadonlySet<string> = new Set(['canceled', 'incomplete_expired']);
/** Statuses that a tenant may start billable work under (C 2). */
const current: ReadonlySet<string> = new Set(['active', 'trialing']);

/**
 * How a tenant stands: `lapsed` is live at the processor still, and paid for again there; `none` never subscribed. A status
 * that we do not know is lapsed: the processor has something of that name, and it is not current.
 */
export type SubscriptionStanding = 'current' | 'lapsed' | 'ended' | 'none';

export function standingOf(status: string | null): SubscriptionStanding {
  if (status === null) return 'none';
  if (current.has(status)) return 'current';
  return ended.has(status) ? 'ended' : 'lapsed';
}
