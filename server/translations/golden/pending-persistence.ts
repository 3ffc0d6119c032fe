import { and, eq, inArray, lt, or, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addJob } from '#server/job-queue.ts';
import { removeGolden } from '#server/storage/golden-records.ts';
import { sourcesOf } from '../job-states.ts';
import { isJob, jobOfRow, selectJob } from '../jobs.ts';
import { learnFrom, retryWithout } from '../optional-writes.ts';
import type { TranslationJob } from '../schema.ts';
import { persistGolden } from './record.ts';

/** A job whose golden record is not written yet. */
interface UnpersistedJob {
  job: TranslationJob;
  attempt: number;
  publishAs: 'published' | 'human_edited';
}

type PublishingServices = Pick<Services, 'database' | 'embedder' | 'log' | 'settings' | 'storage'>;

/**
 * Publishes an approved job, or one whose persistence is pending: first the golden record, then the job's status (B 3.1 "fails closed").
 * Idempotent.
 * @throws AppError persistence_failed if the record could not be written; 404 if the job was deleted meanwhile
 */
export async function publishJob(
  services: PublishingServices,
  tenantId: string,
  { job, attempt, publishAs }: UnpersistedJob,
): Promise<TranslationJob> {
  const { database, log } = services;
  const uri = await persistGolden(services, tenantId, { ...job, status: publishAs }, attempt);
  // Another update would put the job first in every list, although nothing has changed.
  if (uri === null && job.status === 'persistence_failed') throw persistenceFailed();
  const to = uri === null ? 'persistence_failed' : publishAs;
  const learn = uri === null ? undefined : learnFrom(services, tenantId, job, uri);
  const ended = await retryWithout(log, [learn], () =>
    database.inTenant(tenantId, async (tx) => {
      const [published] = await Promise.all([endPublication(tx, tenantId, job.id, to, uri), learn?.run(tx)]);
      return published ?? (await selectJob(tx, tenantId, job.id));
    }),
  );
  if (!ended) {
    if (uri !== null) await removeGolden(services, tenantId, job.id, uri);
    throw new AppError('not_found', 'the job was deleted while it was published');
  }
  if (ended.status === 'persistence_failed') throw persistenceFailed();
  return ended;
}

/** The error of a job that is stored and billed, but whose golden record could not be written (B 7). The sweep publishes it later. */
export function persistenceFailed(): AppError {
  return new AppError(
    'persistence_failed',
    'the golden record could not be written; the translation is kept and will be published later, do not send it again',
  );
}

/** Sets the final status from `approved` or `persistence_failed`. Returns nothing if another publication was first. */
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

/** The statuses in which a golden record may still have to be written. */
const unpersisted = ['persistence_failed', 'approved'] as const;

/** Adds a job for each tenant that has jobs to publish: it writes in that tenant's own scope. */
export async function queueUnpersistedJobs({
  database,
  settings,
}: Pick<Services, 'database' | 'settings'>): Promise<void> {
  const { status, updatedAt } = translationJobs;
  const isAbandoned = lt(updatedAt, sql`now() - make_interval(secs => ${settings.STALE_PENDING_SECONDS})`);
  await database.inPlatform(async (tx) => {
    const tenants = await tx
      .selectDistinct({ tenantId: translationJobs.tenantId })
      .from(translationJobs)
      .where(and(inArray(status, unpersisted), or(eq(status, 'persistence_failed'), isAbandoned)));
    for (const { tenantId } of tenants)
      await addJob(
        tx,
        'publish_unpersisted_jobs',
        { tenantId },
        { key: `publish_unpersisted_jobs:${tenantId}` },
      );
  });
}

const pageSize = 50;

/**
 * Publishes a tenant's jobs whose persistence is pending, and approved ones whose process died while it published them (C 7). Each job is
 * tried once; one that fails does not keep the others waiting.
 * @returns how many were published, and how many failed
 */
export async function publishUnpersistedJobs(
  services: PublishingServices,
  tenantId: string,
): Promise<{ published: number; failed: number }> {
  const { database, settings, log } = services;
  const result = { published: 0, failed: 0 };
  const until = await database.inTenant(tenantId, selectNow);
  for (const status of unpersisted)
    for (let after: UnpersistedPage['after'] = null; ; ) {
      const page: UnpersistedPage = { status, after, until, staleSeconds: settings.STALE_PENDING_SECONDS };
      const jobs = await database.inTenant(tenantId, (tx) => selectUnpersisted(tx, tenantId, page));
      for (const unpersistedJob of jobs) {
        try {
          await publishJob(services, tenantId, unpersistedJob);
          result.published += 1;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          result.failed += 1;
        }
      }
      const last = jobs.at(-1)?.job;
      if (!last || jobs.length < pageSize) break;
      after = { updatedAt: last.updated_at, id: last.id };
    }
  log.info({ tenant_id: tenantId, ...result }, 'unpersisted jobs tried again');
  return result;
}

interface UnpersistedPage {
  status: (typeof unpersisted)[number];
  /** The last job that was tried. */
  after: { updatedAt: string; id: string } | null;
  /** A job that failed since then waits for the next sweep. */
  until: Date;
  /** Age after which an approved job counts as abandoned. */
  staleSeconds: number;
}

async function selectUnpersisted(
  tx: Tx,
  tenantId: string,
  { status, after, until, staleSeconds }: UnpersistedPage,
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
    .limit(pageSize);
  return rows.map((row) => ({
    job: jobOfRow(row),
    attempt: row.attempt,
    publishAs: row.publishAs ?? 'published',
  }));
}

/** The current time by the database's clock. */
export async function selectNow(tx: Tx): Promise<Date> {
  const [row] = await tx.execute<{ at: string }>(sql`select to_json(now()) #>> '{}' as at`);
  return new Date(row!.at);
}
