import type { Database, Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publishJob } from './golden/publish.ts';
import { advance } from './job-states.ts';
import {
  selectNow,
  selectTenantsWithUnpersisted,
  selectUnpersisted,
  type UnpersistedPlace,
  unpersisted,
} from './queries/publication.ts';
import { failStaleJobs, selectTenantsWithStaleJobs, stalePage } from './queries/sweep.ts';

/** The tenants whose stale pending jobs the sweep has to mark (B 8 "Stale pending job"). Platform scope. */
export function tenantsWithStaleJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  return selectTenantsWithStaleJobs(tx, staleSeconds);
}

/**
 * Marks one tenant's stale pending jobs failed, a page a transaction, and answers how many. Doing it twice does nothing more.
 */
export async function failStaleJobsOfTenant(
  database: Database,
  tenantId: string,
  staleSeconds: number,
): Promise<number> {
  advance('pending', 'failed');
  let failed = 0;
  for (;;) {
    const count = await database.inTenant(tenantId, (tx) =>
      failStaleJobs(tx, tenantId, staleSeconds, 'job interrupted by service restart'),
    );
    failed += count;
    if (count < stalePage) return failed;
  }
}

/** The tenants whose golden records the sweep has to write again. Platform scope. */
export function tenantsWithUnpersistedJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  return selectTenantsWithUnpersisted(tx, staleSeconds);
}

export interface Replay {
  published: number;
  failed: number;
}

const pageSize = 50;

/**
 * Publishes one tenant's parked jobs, and those whose process died while it published them (C 7). A job that still
 * cannot be persisted stays parked; the others go on.
 */
export async function publishUnpersistedJobs(services: Services, tenantId: string): Promise<Replay> {
  const replay: Replay = { published: 0, failed: 0 };
  const staleSeconds = services.settings.STALE_PENDING_SECONDS;
  const until = await services.database.inTenant(tenantId, selectNow);
  for (const status of unpersisted)
    for (let after: UnpersistedPlace['after'] = null; ; ) {
      const jobs = await services.database.inTenant(tenantId, (tx) =>
        selectUnpersisted(tx, tenantId, { status, after }, { staleSeconds, limit: pageSize, until }),
      );
      for (const waiting of jobs) {
        try {
          await publishJob(services, tenantId, waiting);
          replay.published += 1;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          replay.failed += 1;
        }
      }
      const last = jobs.at(-1)?.job;
      if (!last || jobs.length < pageSize) break;
      after = { updatedAt: last.updated_at, id: last.id };
    }
  return replay;
}
