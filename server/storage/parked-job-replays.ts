import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { parkedJobReplays } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { ReplaySummary } from './schema.ts';

/*
 * Publishes parked jobs after a change of storage. A worker publishes them, so that it happens even if the caller
 * disconnects or this process ends. The caller waits for a while, for the summary.
 */

/** Milliseconds that a caller waits for the summary. */
const maxWaitMs = 20_000;
/** Milliseconds between two polls of a replay; each is longer than the previous one. */
const polls = { first: 25, max: 1000 };

/** Adds a replay of the tenant's parked jobs, in the transaction that changes its storage. */
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
 * The queue of all tasks that publish parked jobs of a tenant: two at the same time would try the same jobs, and
 * count them twice.
 */
export function persistenceQueue(tenantId: string): string {
  return `persist:${tenantId}`;
}

/** A replay, for the worker that runs it. */
export interface Replay {
  tenantId: string;
  replayId: string;
  /** The replay covers jobs that were parked before then. */
  createdAt: Date;
}

/** Undefined if the tenant was deleted, or a replay that has no caller any longer. */
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

/** Counts jobs that a replay has published. A worker that continues after another one died adds to its count. */
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
 * Ends a replay. Jobs that it did not try, because the storage rejected earlier ones, stay parked.
 * @param failed jobs that were tried and are still parked
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
    // Without the jobs that have been deleted since.
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

/** Deletes replays that no caller waits for. Platform scope. */
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
