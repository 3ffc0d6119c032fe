import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { parkedJobReplays } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { ReplaySummary } from './schema.ts';

/*
 * Publishes parked jobs after a change of storage. A worker does this, so that the jobs are published even if the
 * caller disconnects or this process ends. The caller waits a limited time for the summary.
 */

/** Milliseconds that a caller waits for the summary. */
const maxWaitMs = 20_000;
/** Milliseconds between two reads of a replay's state; the pause grows from `first` to `max`. */
const polls = { first: 25, max: 1000 };

/**
 * Queues the publication of the tenant's parked jobs (a replay), in the transaction that changes the tenant's storage.
 */
export async function beginReplay(tx: Tx, tenantId: string): Promise<string> {
  const replayId = newId();
  const [replay] = await tx
    .insert(parkedJobReplays)
    .values({
      tenantId,
      replayId,
      parked: sql`(select count(*)::int from parked_jobs where tenant_id = ${tenantId})`,
      ended: sql`not exists (select from parked_jobs where tenant_id = ${tenantId})`,
    })
    .returning({ parked: parkedJobReplays.parked });
  if (replay && replay.parked > 0)
    await addJob(tx, 'replay_parked_jobs', { tenantId, replayId }, { queue: persistenceQueue(tenantId) });
  return replayId;
}

/**
 * Returns the name of the queue for all tasks that publish parked jobs of a tenant. If two such tasks ran at the same
 * time, they would try the same jobs and count them twice.
 */
export function persistenceQueue(tenantId: string): string {
  return `persist:${tenantId}`;
}

/** Counts the parked jobs of all tenants, at most 10,000. Platform scope. */
export async function countParkedJobs(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ jobs: number }>(sql`
    select count(*)::int as jobs from (select from parked_jobs limit 10000) counted`);
  return row?.jobs ?? 0;
}

/** A replay, with what the worker needs to run it. */
export interface Replay {
  tenantId: string;
  replayId: string;
  /** The replay publishes jobs that were parked before this time. */
  createdAt: Date;
}

/**
 * Selects a replay. Undefined if the tenant was deleted, or if the replay was deleted because no caller waits for it.
 */
export async function selectReplay(
  tx: Tx,
  { tenantId, replayId }: Pick<Replay, 'tenantId' | 'replayId'>,
): Promise<Replay | undefined> {
  const [row] = await tx
    .select({ createdAt: parkedJobReplays.createdAt, ended: parkedJobReplays.ended })
    .from(parkedJobReplays)
    .where(isReplay(tenantId, replayId));
  return row && !row.ended ? { tenantId, replayId, createdAt: row.createdAt } : undefined;
}

/**
 * Adds jobs that a replay has published to its count. If a worker dies, the worker that continues adds to the same
 * count.
 */
export async function countPublished(
  tx: Tx,
  { tenantId, replayId }: Replay,
  published: number,
): Promise<void> {
  await tx
    .update(parkedJobReplays)
    .set({ published: sql`${parkedJobReplays.published} + ${published}` })
    .where(isReplay(tenantId, replayId));
}

/**
 * Ends a replay. If the storage rejected jobs, those not tried yet stay parked.
 * @param failed number of jobs that were tried and are still parked
 */
export async function endReplay(
  tx: Tx,
  { tenantId, replayId, createdAt }: Replay,
  failed: number,
): Promise<void> {
  const parked = sql`(select count(*)::int from parked_jobs
    where tenant_id = ${tenantId} and updated_at < ${createdAt.toISOString()}::timestamptz)`;
  await tx
    .update(parkedJobReplays)
    // The count leaves out jobs that have been deleted since.
    .set({ failed, ended: true, parked: sql`${parkedJobReplays.published} + greatest(${failed}, ${parked})` })
    .where(isReplay(tenantId, replayId));
}

/** Waits until a replay has ended, at most 20 seconds or until this process stops. */
export async function awaitReplay(
  { database, backgroundWork }: Pick<Services, 'backgroundWork' | 'database'>,
  tenantId: string,
  replayId: string,
): Promise<ReplaySummary> {
  const until = Date.now() + maxWaitMs;
  for (let pause = polls.first; ; pause = Math.min(1.5 * pause, polls.max)) {
    const replay = await database.inTenant(tenantId, async (tx) => {
      const [row] = await tx.select().from(parkedJobReplays).where(isReplay(tenantId, replayId));
      return row;
    });
    if (!replay) return { published: 0, failed: 0, remaining: 0 };
    const { parked, published, failed, ended } = replay;
    if (ended || Date.now() > until || backgroundWork.stopping.aborted)
      return { published, failed, remaining: Math.max(0, parked - published - failed) };
    await delay(pause);
  }
}

/** Deletes replays for which no caller waits. Platform scope. */
export async function pruneReplays(tx: Tx): Promise<number> {
  const { count } = await tx
    .delete(parkedJobReplays)
    .where(
      and(eq(parkedJobReplays.ended, true), lt(parkedJobReplays.createdAt, sql`now() - interval '1 day'`)),
    );
  return count;
}

function isReplay(tenantId: string, replayId: string) {
  return and(eq(parkedJobReplays.tenantId, tenantId), eq(parkedJobReplays.replayId, replayId));
}
