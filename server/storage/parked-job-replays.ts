import { setTimeout as delay } from 'node:timers/promises';
import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { parkedJobReplays } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { ReplaySummary } from './schema.ts';

/*
 * Publishing parked jobs after a change of storage (B 4.6). The jobs are published by a worker, so that it happens even if the caller or this
 * process is gone. The caller waits for it a while, for the summary.
 */

/** Milliseconds that a caller waits for the summary. */
const longestWait = 20_000;
/** Milliseconds between two looks at a replay; each is longer than the one before. */
const looks = { first: 25, longest: 1000 };

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

/** The queue of all tasks that publish parked jobs of a tenant: two at a time would try the same jobs, and count them twice. */
export function persistenceQueue(tenantId: string): string {
  return `persist:${tenantId}`;
}

/** A replay, for the worker that makes it. */
export interface Replay {
  tenantId: string;
  replayId: string;
  /** Jobs that were parked before then are meant. */
  createdAt: Date;
}

/** Undefined if the tenant, or a replay that nobody waits for any more, was deleted. */
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

/** Counts jobs that a replay has published. A worker that goes on after another died adds to its count. */
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
 * Ends a replay. Jobs that it did not try, because the storage refused those before them, stay parked.
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
    // Without the jobs that were deleted meanwhile.
    .set({ failed, ended: true, parked: sql`${parkedJobReplays.published} + greatest(${failed}, ${parked})` })
    .where(isReplay(tenantId, replayId));
}

/** Waits until a replay has ended, at most 20 seconds or until this process stops. */
export async function awaitReplay(
  { database, backgroundWork }: Pick<Services, 'backgroundWork' | 'database'>,
  tenantId: string,
  replayId: string,
): Promise<ReplaySummary> {
  const until = Date.now() + longestWait;
  for (let pause = looks.first; ; pause = Math.min(1.5 * pause, looks.longest)) {
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

/** Deletes replays that nobody waits for any more. Platform scope. */
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
