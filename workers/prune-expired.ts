import { pruneExpired as prune } from '#server/access/service.ts';
import { prunePaymentEvents } from '#server/billing/service.ts';
import type { Services } from '#server/context.ts';

/** Deletes expired tokens, challenges, links, states and rate windows, and payment events that nobody delivers any more. */
export async function pruneExpired({ database, log }: Services): Promise<void> {
  const pruned = { ...(await prune(database)), payment_events: await prunePaymentEvents(database) };
  log.info({ pruned }, 'expired rows deleted');
}
