import { and, eq, inArray, lt, or, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import { selectNow } from '#server/records/check.ts';
import {
  countPublished,
  endReplay,
  persistenceQueue,
  type Replay,
  selectReplay,
} from '#server/storage/parked-job-replays.ts';
import { type PersistingServices, persistenceFailed, persistGolden } from './golden-record.ts';
import { sourcesOf } from './job-states.ts';
import { isJob, jobOfRow, selectJob } from './jobs.ts';
import { learnFrom, retryWithout } from './optional-writes.ts';
import type { TranslationJob } from './schema.ts';

/** A job whose golden record is not written yet. */
interface ParkedJob {
  job: TranslationJob;
  attempt: number;
  publishAs: 'published' | 'human_edited';
}

type PublishingServices = PersistingServices & Pick<Services, 'embedder'>;

/**
 * Publishes a job that is `approved` or `persistence_failed`: first writes the golden record, then sets the job's
 * status, so that no job is published without a record. May be repeated.
 * @throws AppError persistence_failed if the record could not be written; 409 storage_binding_not_verified if the
 *   tenant's own storage cannot be used; 404 if the job was deleted in between
 */
export async function publishJob(
  services: PublishingServices,
  tenantId: string,
  { job, attempt, publishAs }: ParkedJob,
): Promise<TranslationJob> {
  const { database, log } = services;
  const persisted = await persistGolden(services, tenantId, { ...job, status: publishAs }, attempt);
  const refusal = persisted instanceof AppError ? persisted : undefined;
  const golden = persisted instanceof AppError ? undefined : persisted;
  // Do not update the row again: the job would move to the top of every list, although nothing has changed.
  if (refusal && job.status === 'persistence_failed') throw refusal;
  const uri = golden?.uri ?? null;
  const to = golden ? publishAs : 'persistence_failed';
  const learn = golden && learnFrom(services, tenantId, job, golden.uri);
  const { ended, isOurs } = await retryWithout(log, [learn], () =>
    database.inTenant(tenantId, async (tx) => {
      const [published] = await Promise.all([
        endPublication(tx, tenantId, { jobId: job.id, attempt }, to, uri),
        learn?.run(tx),
      ]);
      return { ended: published ?? (await selectJob(tx, tenantId, job.id)), isOurs: published !== undefined };
    }),
  );
  if (!ended) {
    await golden?.remove();
    throw new AppError('not_found', 'the job was deleted while it was published');
  }
  if (isOurs) countEvent('jobs', `text ${to}`);
  if (ended.status === 'persistence_failed') throw refusal ?? persistenceFailed();
  if (isOurs) golden?.list();
  // Another publication was first. If the job refers to another record than this one, this one is removed.
  else if (ended.request.metadata['golden_uri'] !== uri) await golden?.remove();
  return ended;
}

/**
 * Sets the final status of a job that is `approved` or `persistence_failed`. Returns nothing if another publication was
 * first, or if the job was reopened since then, which increments its attempt.
 */
async function endPublication(
  tx: Tx,
  tenantId: string,
  { jobId, attempt }: { jobId: string; attempt: number },
  to: 'published' | 'human_edited' | 'persistence_failed',
  goldenUri: string | null,
): Promise<TranslationJob | undefined> {
  const [row] = await tx
    .update(translationJobs)
    .set({ status: to, goldenUri, updatedAt: sql`now()` })
    .where(
      and(
        isJob(tenantId, jobId),
        eq(translationJobs.attempt, attempt),
        inArray(translationJobs.status, sourcesOf(to)),
      ),
    )
    .returning();
  return row && jobOfRow(row);
}

/** The statuses of jobs whose golden record may still have to be written. */
const parkedStatuses = ['persistence_failed', 'approved'] as const;

/** Queues a task for each tenant with jobs to publish, because the jobs are written in the scope of their tenant. */
export async function queueParkedJobs({
  database,
  settings,
}: Pick<Services, 'database' | 'settings'>): Promise<void> {
  const { status, updatedAt } = translationJobs;
  const isAbandoned = lt(updatedAt, sql`now() - make_interval(secs => ${settings.STALE_PENDING_SECONDS})`);
  await database.inPlatform(async (tx) => {
    const tenants = await tx
      .selectDistinct({ tenantId: translationJobs.tenantId })
      .from(translationJobs)
      .where(and(inArray(status, parkedStatuses), or(eq(status, 'persistence_failed'), isAbandoned)));
    for (const { tenantId } of tenants)
      await addJob(
        tx,
        'publish_unpersisted_jobs',
        { tenantId },
        { key: `publish_unpersisted_jobs:${tenantId}`, queue: persistenceQueue(tenantId) },
      );
  });
}

const pageSize = 50;

/** Number of concurrent publications: a tenant's account may take a tenth of a second for each. */
const atOnce = 4;

/**
 * After this many consecutive failures, the storage counts as unavailable, and the remaining jobs are left for later:
 * each further attempt might last until a timeout.
 */
const maxRefusals = 5;

/**
 * Publishes a tenant's `persistence_failed` jobs, and `approved` jobs whose process died during publication. Each job
 * is tried once; a job that fails does not delay the others.
 * @returns the numbers of published and failed jobs
 */
export async function publishParkedJobs(services: PublishingServices, tenantId: string): Promise<Published> {
  const until = await services.database.inTenant(tenantId, selectNow);
  const total: Published = { published: 0, failed: 0 };
  for (const status of parkedStatuses)
    for await (const { published, failed } of publishThose(services, tenantId, status, until)) {
      total.published += published;
      total.failed += failed;
    }
  services.log.info(
    { tenant_id: tenantId, ...total },
    'tried again to publish jobs whose records could not be stored',
  );
  return total;
}

/** Publishes the jobs that were not published yet when the tenant's storage changed, and counts them for the caller. */
export async function replayParkedJobs(
  services: PublishingServices,
  { tenantId, replayId }: Pick<Replay, 'tenantId' | 'replayId'>,
): Promise<void> {
  const { database } = services;
  const replay = await database.inTenant(tenantId, (tx) => selectReplay(tx, { tenantId, replayId }));
  if (!replay) return;
  let failed = 0;
  for await (const page of publishThose(services, tenantId, 'persistence_failed', replay.createdAt)) {
    failed += page.failed;
    await database.inTenant(tenantId, (tx) => countPublished(tx, replay, page.published));
  }
  await database.inTenant(tenantId, (tx) => endReplay(tx, replay, failed));
}

interface Published {
  published: number;
  failed: number;
}

/** Publishes the jobs of one status that have not changed since the time `until`, page by page. */
async function* publishThose(
  services: PublishingServices,
  tenantId: string,
  status: ParkedPage['status'],
  until: Date,
): AsyncGenerator<Published> {
  const { database, settings } = services;
  let refusals = 0;
  for (let after: ParkedPage['after'] = null; ; ) {
    const page: ParkedPage = { status, after, until, staleSeconds: settings.STALE_PENDING_SECONDS };
    const jobs = await database.inTenant(tenantId, (tx) => selectParked(tx, tenantId, page));
    const result: Published = { published: 0, failed: 0 };
    const publish = async (job: ParkedJob) => {
      try {
        await publishJob(services, tenantId, job);
        result.published += 1;
        refusals = 0;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // A deleted job counts as neither published nor failed.
        if (error.code === 'not_found') return;
        result.failed += 1;
        refusals += 1;
      }
    };
    for (let from = 0; from < jobs.length && refusals < maxRefusals; from += atOnce)
      await Promise.all(jobs.slice(from, from + atOnce).map(publish));
    yield result;
    const last = jobs.at(-1)?.job;
    if (!last || jobs.length < pageSize || refusals >= maxRefusals) return;
    after = { updatedAt: last.updated_at, id: last.id };
  }
}

interface ParkedPage {
  status: (typeof parkedStatuses)[number];
  /** The last job tried. */
  after: { updatedAt: string; id: string } | null;
  /** Jobs that failed after this time are left for the next sweep. */
  until: Date;
  /** Seconds after which an approved job counts as abandoned by its process. */
  staleSeconds: number;
}

async function selectParked(
  tx: Tx,
  tenantId: string,
  { status, after, until, staleSeconds }: ParkedPage,
): Promise<ParkedJob[]> {
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
