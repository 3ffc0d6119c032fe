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

/** Bytes read at a time. */
const chunkBytes = 1_000_000;

/**
 * Reads and parses the lines of an object, some thousands at a time; none if there is no such object. Skips lines that are not JSON, as a
 * power cut may leave them, and a last line without its newline, which is still being written.
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
/** Milliseconds by which a manifest line's time may differ from its job's: they are taken at different moments by two clocks. */
const lineMargin = 3_600_000;
const pageSize = 500;

type CheckServices = Pick<Services, 'database' | 'log' | 'settings' | 'storage'>;

interface GoldenCheck {
  /** Records that no job refers to. */
  removed: number;
  /** Lost records that were written again. */
  rewritten: number;
}

/**
 * Compares golden records with jobs. Removes records that no job refers to, `STALE_PENDING_SECONDS` after their announcement list ended, when
 * no run can still be about to store its job. After an unclean shutdown of the store's system, first writes again what may have been lost.
 * Idempotent; may be interrupted at any point.
 */
export async function checkGoldenRecords(services: CheckServices): Promise<GoldenCheck> {
  const { storage, log } = services;
  await storage.tidy();
  const doubtful = await storage.doubtfulSince();
  const rewritten = doubtful ? await rewriteSince(services, doubtful) : 0;
  if (doubtful) await storage.settleDoubt();
  const removed = await removeUnreferenced(services);
  if (removed + rewritten > 0) log.info({ removed, rewritten }, 'golden records checked');
  return { removed, rewritten };
}

async function removeUnreferenced(services: CheckServices): Promise<number> {
  const { storage, settings } = services;
  const before = Date.now() - settings.STALE_PENDING_SECONDS * 1000;
  let removed = 0;
  for (const name of await storage.list(announcements)) {
    // The name is the time of its end.
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

/** Removes the announced records that no job refers to. `waits`: whether one has a pending job and must be judged later. */
async function judge(
  { storage, database, log }: CheckServices,
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
 * Decides about a record. A record of an earlier attempt can no longer be published. The record of a failed job was written by a run that
 * could not store its result; the next run writes another. A job that is being published announces its record again.
 */
function verdictOn(
  { job_id, golden_uri: uri }: Announcement,
  job: RecordedJob | undefined,
): 'keep' | 'remove' | 'wait' {
  if (!job) return 'remove';
  if (job.goldenUri === uri) return 'keep';
  // It is running, or its process died and the stale sweep marks it failed.
  if (job.status === 'pending') return 'wait';
  if (uri !== goldenUri(job_id, job.attempt)) return 'remove';
  return ['failed', 'published', 'human_edited'].includes(job.status) ? 'remove' : 'keep';
}

/**
 * Writes again the records and manifest lines that are missing or damaged, for jobs published since then. Goes day by day, since one day's
 * manifest may be large. @returns how many records were written
 */
async function rewriteSince(services: CheckServices, since: Date): Promise<number> {
  const { database, log } = services;
  // A job published from now on has its line, but the manifest may be read before the line is written.
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

/** The same for one tenant and time span. `announced` are the manifest lines of the span. */
async function rewriteOf(
  { storage, database }: CheckServices,
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

/** The manifest lines of a time span, as `tenant uri`. */
async function announcedBetween({ storage }: CheckServices, from: Date, to: Date): Promise<Set<string>> {
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

/** What a job's row says about its golden record. */
interface RecordedJob {
  status: JobStatus;
  /** The latest attempt. */
  attempt: number;
  goldenUri: string | null;
}

/** Selects jobs by `tenant job`. Platform scope. */
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

/** The tenants with jobs published since then. Platform scope. */
async function selectTenantsPublishedSince(tx: Tx, since: Date): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(publishedSince(since));
  return rows.map(({ tenantId }) => tenantId);
}

/** A page of a tenant's published jobs last updated from `from` to before `to`, in the order of their ids, after id `after`. */
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
