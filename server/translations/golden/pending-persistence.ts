import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { sourcesOf } from '../job-states.ts';
import { isJob, jobOfRow, selectJob } from '../jobs.ts';
import { learnIfPossible, learningOf } from '../learning.ts';
import type { TranslationJob } from '../schema.ts';
import { persistGolden, removeGolden } from './record.ts';

/**
 * Ends a publication: from `approved` or `persistence_failed`, wherever the table of states allows it. No row where
 * somebody else ended it first.
 */
async function endPublication(
  tx: Tx,
  tenantId: string,
  jobId: string,
  to: 'published' | 'human_edited' | 'persistence_failed',
  goldenUri: string | null,
): Promise<TranslationJob | undefined> {
  const [row] = await tx
    .update(translationJobs)
    .set({ status: to, goldenUri, updatedAt: sql`now()` })
    .where(and(isJob(tenantId, jobId), inArray(translationJobs.status, sourcesOf(to))))
    .returning();
  return row && jobOfRow(row);
}

/** A job whose golden record is still to be written. */
interface UnpersistedJob {
  job: TranslationJob;
  attempt: number;
  publishAs: 'published' | 'human_edited';
}

/** States in which a job's golden record is still to be written. */
export const unpersisted = ['persistence_failed', 'approved'] as const;

/** Where a replay is in the jobs of one state, the oldest first. */
export interface UnpersistedPlace {
  status: (typeof unpersisted)[number];
  /** The last job that was tried. */
  after: { updatedAt: string; id: string } | null;
}

/**
 * The jobs of a state to persist again: parked ones, and those whose process died while it published them. At most `limit`
 * behind those that were tried already, in the order of the index of states. Those that were parked since `until` wait for the
 * next time.
 */
export async function selectUnpersisted(
  tx: Tx,
  tenantId: string,
  { status, after }: UnpersistedPlace,
  { staleSeconds, limit, until }: { staleSeconds: number; limit: number; until: Date },
): Promise<UnpersistedJob[]> {
  const { updatedAt, jobId } = translationJobs;
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        eq(translationJobs.status, status),
        status === 'approved'
          ? lt(updatedAt, sql`now() - make_interval(secs => ${staleSeconds})`)
          : lt(updatedAt, until),
        after === null
          ? undefined
          : sql`(${updatedAt}, ${jobId}) > (${after.updatedAt}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(updatedAt, jobId)
    .limit(limit);
  return rows.map((row) => ({
    job: jobOfRow(row),
    attempt: row.attempt,
    publishAs: row.publishAs ?? 'published',
  }));
}

/** The moment by the database's clock. */
export async function selectNow(tx: Tx): Promise<Date> {
  const [row] = await tx.execute<{ at: string }>(sql`select to_json(now()) #>> '{}' as at`);
  return new Date(row!.at);
}

/** The tenants that have jobs to persist again; read in platform scope. */
export async function selectTenantsWithUnpersisted(tx: Tx, staleSeconds: number): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(isUnpersisted(staleSeconds));
  return rows.map((row) => row.tenantId);
}

function isUnpersisted(staleSeconds: number) {
  return and(
    inArray(translationJobs.status, ['approved', 'persistence_failed']),
    sql`(${eq(translationJobs.status, 'persistence_failed')} or ${lt(
      translationJobs.updatedAt,
      sql`now() - make_interval(secs => ${staleSeconds})`,
    )})`,
  );
}

/**
 * Publishes an approved or parked job: the golden record first, then the job's state (B 3.1 "fails closed"). Doing it
 * twice writes the same record twice.
 * @throws AppError persistence_failed where the record could not be written: the job is parked
 */
export async function publishJob(
  services: Services,
  tenantId: string,
  { job, attempt, publishAs }: UnpersistedJob,
): Promise<TranslationJob> {
  const uri = await persistGolden(services, tenantId, { ...job, status: publishAs }, attempt);
  // Parked it is already; touching it again would put it first in every list.
  if (uri === null && job.status === 'persistence_failed') throw persistenceFailed();
  const to = uri === null ? 'persistence_failed' : publishAs;
  const learn = uri === null ? undefined : learningOf(services, tenantId, job, uri);
  const ended = await learnIfPossible(services, tenantId, learn, async (tx, learning) => {
    const [published] = await Promise.all([endPublication(tx, tenantId, job.id, to, uri), learning?.(tx)]);
    return published ?? (await selectJob(tx, tenantId, job.id));
  });
  if (!ended) {
    if (uri !== null) await removeGolden(services, tenantId, job.id, uri);
    throw new AppError('not_found', 'the job was deleted while it was published');
  }
  if (ended.status === 'persistence_failed') throw persistenceFailed();
  return ended;
}

/** B 7: the translation is kept and billed, and is published without being asked for again. */
export function persistenceFailed(): AppError {
  return new AppError(
    'persistence_failed',
    'the golden record could not be written; the translation is kept and will be published later, do not send it again',
  );
}

/** The tenants whose golden records the sweep has to write again. Platform scope. */
export function tenantsWithUnpersistedJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  return selectTenantsWithUnpersisted(tx, staleSeconds);
}

interface Replay {
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
