import { pruneExpired as prune } from '#server/access/prune-expired.ts';
import { prunePaymentEvents } from '#server/billing/webhook-dedupe.ts';
import type { Services } from '#server/context.ts';
import { pruneQueue } from '#server/job-queue.ts';
import { pruneImports } from '#server/translation-memory/imports/import-jobs.ts';

/**
 * Deletes expired tokens, challenges, links, states and rate windows, old payment events and memory imports, and jobs
 * that will never run.
 */
export async function pruneExpired({ database, log }: Services): Promise<void> {
  const pruned = {
    ...(await prune(database)),
    payment_events: await prunePaymentEvents(database),
    memory_imports: await pruneImports(database),
    jobs: await database.inPlatform(pruneQueue),
  };
  log.info({ pruned }, 'expired rows deleted');
}
