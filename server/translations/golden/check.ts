import { and, eq, gt, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import type { ObjectStore } from '#server/storage/object-store.ts';
import { jobOfRow } from '../jobs.ts';
import type { JobStatus } from '../schema.ts';
import { selectNow } from './pending-persistence.ts';
import {
  type Announcement,
  announcements,
  goldenRecord,
  goldenUri,
  manifestLine,
  manifestPath,
} from './record.ts';

/** Bytes that are read of an object at a time. */
const chunkBytes = 1_000_000;

/**
 * The whole lines of an object, parsed, in pieces of some thousand; none where there is no such object. Left out are those that are no JSON,
 * which is what a power cut leaves, and a last one without its end, which is still being written.
 */
async function* readLines<T>(storage: ObjectStore, path: string): AsyncGenerator<T[]> {
  for (let at = 0; ; ) {
    const bytes = Buffer.from((await storage.read(path, at, chunkBytes)) ?? []);
    const end = bytes.lastIndexOf(10) + 1;
    if (end === 0) return;
    yield bytes
      .toString('utf8', 0, end)
      .split('\n')
      .flatMap((line) => parse<T>(line));
    at += end;
  }
}

function parse<T>(line: string): T[] {
  try {
    const value = JSON.parse(line) as T | null;
    return value === null ? [] : [value];
  } catch {
    return [];
  }
}

const dayMs = 86_400_000;
/** Milliseconds by which a manifest's line may differ from its job: between the two lies the end of a run, by two clocks. */
const lineMargin = 3_600_000;
const pageSize = 500;

interface GoldenCheck {
  /** Records that no job referred to. */
  removed: number;
  /** Records that were lost, and are there again. */
  rewritten: number;
}

/**
 * Compares golden records with the jobs: removes each that no job refers to, `STALE_PENDING_SECONDS` after the list that announced it was
 * full, when no run can still be about to store its job. After an unclean end of the system under the store it first puts again what
 * may have been lost. It may be broken off and done again at any point.
 */
export async function checkGoldenRecords(services: Services): Promise<GoldenCheck> {
  const { storage } = services;
  await storage.tidy();
  const doubtful = await storage.doubtfulSince();
  const rewritten = doubtful ? await rewriteSince(services, doubtful) : 0;
  if (doubtful) await storage.settleDoubt();
  return { removed: await removeUnreferred(services), rewritten };
}

async function removeUnreferred(services: Services): Promise<number> {
  const { storage, settings } = services;
  const before = Date.now() - settings.STALE_PENDING_SECONDS * 1000;
  let removed = 0;
  for (const name of await storage.list(announcements)) {
    // Called after its end.
    if (Number.parseInt(name, 10) > before) continue;
    const path = `${announcements}/${name}`;
    let waits = false;
    for await (const lines of readLines<Announcement>(storage, path)) {
      const judged = await judge(services, lines);
      removed += judged.removed;
      waits ||= judged.waits;
    }
    if (!waits) await storage.remove(path);
  }
  return removed;
}

/** Removes what no job refers to; answers how many, and whether there is one that cannot be told yet. */
async function judge(
  { storage, database, log }: Services,
  announced: readonly Announcement[],
): Promise<{ removed: number; waits: boolean }> {
  let removed = 0;
  let waits = false;
  for (let from = 0; from < announced.length; from += pageSize) {
    const page = announced.slice(from, from + pageSize);
    const jobs = await database.inPlatform((tx) => selectRecorded(tx, page));
    for (const announcement of page) {
      const { tenant_id, job_id, golden_uri } = announcement;
      const verdict = verdictOn(announcement, jobs.get(`${tenant_id} ${job_id}`));
      if (verdict === 'wait') waits = true;
      if (verdict !== 'remove' || !(await storage.remove(`${tenant_id}/${golden_uri}`))) continue;
      removed += 1;
      log.warn({ tenant_id, job_id }, 'a golden record that no job refers to was removed');
    }
  }
  return { removed, waits };
}

/**
 * What is to become of a record. A job that is being published announces its record again, and its turn comes later. That of a job
 * that has failed was written by a run that could not store it; the next run writes another. Whoever ran under an earlier
 * attempt of the job can no longer publish.
 */
function verdictOn(
  { job_id, golden_uri: uri }: Announcement,
  job: RecordedJob | undefined,
): 'keep' | 'remove' | 'wait' {
  if (!job) return 'remove';
  if (job.goldenUri === uri) return 'keep';
  // Its run is under way, or its process has died: the sweep marks it failed.
  if (job.status === 'pending') return 'wait';
  if (uri !== goldenUri(job_id, job.attempt)) return 'remove';
  return ['failed', 'published', 'human_edited'].includes(job.status) ? 'remove' : 'keep';
}

/**
 * Puts again each record, and each line of a manifest, that is not as it should be, of the jobs published since then: a day after the other,
 * since the manifest of one may be large.
 */
async function rewriteSince(services: Services, since: Date): Promise<number> {
  const { database, log } = services;
  // What is published later has its line, but the manifest may have been read before that.
  const [until, tenantIds] = await database.inPlatform(async (tx) => [
    await selectNow(tx),
    await selectTenantsPublishedSince(tx, since),
  ]);
  let rewritten = 0;
  for (let from = since; tenantIds.length > 0 && from < until; ) {
    const to = new Date(Math.min(from.getTime() + dayMs, until.getTime()));
    const announced = await announcedBetween(services, from, to);
    for (const tenantId of tenantIds)
      rewritten += await rewriteOf(services, tenantId, { from, to, announced });
    from = to;
  }
  log.warn(
    { since: since.toISOString(), records: rewritten },
    'golden records written again after an unclean end',
  );
  return rewritten;
}

/** The same for a tenant's jobs of a span whose lines in the manifests are known; answers how many records were written. */
async function rewriteOf(
  { storage, database }: Services,
  tenantId: string,
  { from, to, announced }: { from: Date; to: Date; announced: ReadonlySet<string> },
): Promise<number> {
  let rewritten = 0;
  for (let after = ''; ; ) {
    const jobs = await database.inTenant(tenantId, (tx) =>
      selectPublishedBetween(tx, tenantId, { from, to, after, limit: pageSize }),
    );
    for (const { job, goldenUri: uri } of jobs) {
      const recordedAt = new Date(job.updated_at);
      if (!announced.has(`${tenantId} ${uri}`))
        await storage.appendLine(manifestPath(recordedAt), manifestLine(tenantId, uri, job, recordedAt));
      const path = `${tenantId}/${uri}`;
      const record = goldenRecord(tenantId, job, recordedAt);
      if (isRecordOf(await storage.read(path, 0, 2 * Buffer.byteLength(record)), job.id)) continue;
      await storage.put(path, record);
      rewritten += 1;
    }
    const last = jobs.at(-1);
    if (!last || jobs.length < pageSize) return rewritten;
    after = last.job.id;
  }
}

/** The records of a span that the manifests tell of, as `tenant uri`. */
async function announcedBetween({ storage }: Services, from: Date, to: Date): Promise<Set<string>> {
  const first = from.getTime() - lineMargin;
  const last = to.getTime() + lineMargin;
  const announced = new Set<string>();
  for (let day = first - (first % dayMs); day <= last; day += dayMs)
    for await (const lines of readLines<Announcement & { recorded_at: string }>(
      storage,
      manifestPath(new Date(day)),
    ))
      for (const { tenant_id, golden_uri, recorded_at } of lines) {
        const recordedAt = Date.parse(recorded_at);
        if (recordedAt > first && recordedAt < last) announced.add(`${tenant_id} ${golden_uri}`);
      }
  return announced;
}

function isRecordOf(bytes: Uint8Array | null, jobId: string): boolean {
  try {
    return bytes !== null && JSON.parse(Buffer.from(bytes).toString()).job_id === jobId;
  } catch {
    return false;
  }
}

/** How a job stands with its golden record. */
interface RecordedJob {
  status: JobStatus;
  /** The job's last. */
  attempt: number;
  goldenUri: string | null;
}

/** How some jobs stand, by `tenant job`; read in platform scope. */
async function selectRecorded(
  tx: Tx,
  wanted: readonly { tenant_id: string; job_id: string }[],
): Promise<Map<string, RecordedJob>> {
  const pairs = wanted.map(({ tenant_id, job_id }) => ({ tenant_id, job_id }));
  const rows = await tx
    .select({
      tenantId: translationJobs.tenantId,
      jobId: translationJobs.jobId,
      status: translationJobs.status,
      attempt: translationJobs.attempt,
      goldenUri: translationJobs.goldenUri,
    })
    .from(translationJobs)
    .innerJoin(
      sql`jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as wanted(tenant_id text, job_id text)`,
      sql`wanted.tenant_id = ${translationJobs.tenantId} and wanted.job_id = ${translationJobs.jobId}`,
    );
  return new Map(
    rows.map(({ tenantId, jobId, status, attempt, goldenUri }) => [
      `${tenantId} ${jobId}`,
      { status: status as JobStatus, attempt, goldenUri },
    ]),
  );
}

/** The tenants that have published jobs changed since then; read in platform scope. */
async function selectTenantsPublishedSince(tx: Tx, since: Date): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(publishedSince(since));
  return rows.map(({ tenantId }) => tenantId);
}

/** A tenant's published jobs that were last changed in the span that begins at `from` and ends before `to`, in the order of their ids, after `after`. */
async function selectPublishedBetween(
  tx: Tx,
  tenantId: string,
  { from, to, after, limit }: { from: Date; to: Date; after: string; limit: number },
) {
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        publishedSince(from),
        lt(translationJobs.updatedAt, to),
        gt(translationJobs.jobId, after),
      ),
    )
    .orderBy(translationJobs.jobId)
    .limit(limit);
  return rows.map((row) => ({ job: jobOfRow(row), goldenUri: row.goldenUri as string }));
}

function publishedSince(since: Date) {
  return and(
    inArray(translationJobs.status, ['published', 'human_edited']),
    isNotNull(translationJobs.goldenUri),
    gte(translationJobs.updatedAt, since),
  );
}
