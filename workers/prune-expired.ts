import { pruneExpired as prune } from '#server/access/service.ts';
import { prunePaymentEvents } from '#server/billing/service.ts';
import type { Services } from '#server/context.ts';
import { pruneQueue } from '#server/jobs.ts';

/** Deletes expired tokens, challenges, links, states and rate windows, payment events that nobody delivers any more, and jobs that will never run. */
export async function pruneExpired({ database, log }: Services): Promise<void> {
  const pruned = {
    ...(await prune(database)),
    payment_events: await prunePaymentEvents(database),
    jobs: await database.inPlatform(pruneQueue),
  };
  log.info({ pruned }, 'expired rows deleted');
}
