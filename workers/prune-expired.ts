import { pruneExpired as prune } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';

/** Deletes expired tokens, challenges, links, states and rate windows. */
export async function pruneExpired({ database, log }: Services): Promise<void> {
  log.info({ pruned: await prune(database) }, 'expired rows deleted');
}
