import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { readLines } from '#server/platform/stores/json-lines.ts';
import { isInAccount, type LocatingServices, removeAt } from '#server/storage/destination.ts';
import { completeManifests, isAccountFailure } from './complete-manifests.ts';
import {
  type Announcement,
  announcements,
  appendMissingLines,
  type ManifestLine,
  manifestKey,
  type RecordedJobs,
  rewriteRecord,
} from './golden-records.ts';
import { manifestLines, manifestPath } from './manifests.ts';
import { unpackRecords } from './packed-records.ts';

const dayMs = 86_400_000;
/**
 * Maximum difference in milliseconds between the time of a manifest line and the time of its job: the two are read at
 * different moments, from two clocks.
 */
const lineMargin = 3_600_000;
const pageSize = 500;
/**
 * Maximum number of announcements whose lines are searched for together. Each search reads the manifest from the first
 * of them on.
 */
const maxListed = 50_000;
/** Parts of a list that are read, judged and removed together. */
const readAtOnce = 16;
/** Milliseconds after which a list is deleted if its account keeps failing: the account may no longer exist. */
const maxTryMs = 7 * dayMs;

type CheckServices = LocatingServices & Pick<Services, 'log'>;

interface GoldenCheck {
  /** Number of removed records without a job. */
  removed: number;
  /** Number of lost records that were rewritten. */
  rewritten: number;
  /** Number of lines added to manifests, because a process had died before writing them. */
  listed: number;
}

/**
 * Compares golden records with jobs. Removes records without a job, and adds missing lines to the manifest. Checks an
 * announcement list only `STALE_PENDING_SECONDS` after it ended, when no run can still be about to store its job. The
 * first check of a process also writes records again: those that a power failure may have lost, and those of version 1.0.0. Idempotent; may be interrupted
 * at any point.
 */
export async function checkGoldenRecords(
  services: CheckServices,
  kinds: readonly RecordedJobs[],
): Promise<GoldenCheck> {
  const { storage, log } = services;
  await storage.tidy();
  // Processes of 1.0.0 may still write packs into a directory. Elsewhere, packs come only from a backup or a move.
  if (storage.isLocal || !verified.has(storage)) await unpackRecords(services, kinds);
  const doubtful = await doubtfulSince(services);
  const rewritten = doubtful ? await rewriteSince(services, kinds, doubtful) : 0;
  verified.add(storage);
  const check: GoldenCheck = { removed: 0, rewritten, listed: 0 };
  for (const kind of kinds) await checkAnnounced(services, kind, check);
  const { removed, listed } = check;
  if (removed + rewritten + listed > 0) log.info({ removed, rewritten, listed }, 'golden records checked');
  return check;
}

/** The stores whose latest records this process has compared with their rows. */
const verified = new WeakSet<PlatformStore>();
/**
 * Maximum milliseconds for which a system may keep a written file in memory before it is on the disk. This has a wide
 * margin: Linux flushes after 30 s.
 */
const unflushedMs = 15 * 60_000;

/**
 * Returns the time since which written records may be missing, because the system of a local store may have stopped
 * suddenly before this process began: records are not flushed (decision 10). Null if that is not possible.
 */
async function doubtfulSince({ storage, database, settings }: CheckServices): Promise<Date | null> {
  if (!storage.isLocal || verified.has(storage)) return null;
  const [last] = await database.inPlatform((tx) =>
    tx.execute<{ at: string }>(
      sql`select to_json(finished_at) #>> '{}' as at from maintenance_runs where name = 'check_golden_records'`,
    ),
  );
  if (!last) return null;
  return new Date(Date.parse(last.at) - settings.STALE_PENDING_SECONDS * 1000 - unflushedMs);
}

/** Processes the lists of one kind of record that ended long enough ago. */
async function checkAnnounced(
  services: CheckServices,
  kind: RecordedJobs,
  check: GoldenCheck,
): Promise<void> {
  const { storage, settings } = services;
  const folder = announcements[kind.kind];
  let listed: Announcement[] = [];
  let judgedParts: { paths: string[]; isOld: boolean; waits: boolean; unreached: boolean }[] = [];
  const complete = async () => {
    const completed = await completeManifests(services, kind, listed);
    check.listed += completed.added;
    for (const { paths, isOld, waits, unreached } of judgedParts)
      if (!waits && (isOld || !(unreached || completed.unreached)))
        await Promise.all(paths.map((path) => storage.remove(path)));
    listed = [];
    judgedParts = [];
  };
  // A name begins with the time at which the list ends.
  const ageOf = (name: string) => Date.now() - Number.parseInt(name, 10);
  const names = (await storage.list(folder)).filter(
    (name) => ageOf(name) >= settings.STALE_PENDING_SECONDS * 1000,
  );
  names.sort();
  for (let from = 0; from < names.length; from += readAtOnce) {
    const group = names.slice(from, from + readAtOnce);
    const paths = group.map((name) => `${folder}/${name}`);
    const part = {
      paths,
      isOld: group.every((name) => ageOf(name) > maxTryMs),
      waits: false,
      unreached: false,
    };
    const lines = (await Promise.all(paths.map((path) => linesOf(storage, path)))).flat();
    for (let at = 0; at < lines.length; at += pageSize) {
      const judged = await judge(services, kind, lines.slice(at, at + pageSize));
      check.removed += judged.removed;
      part.waits ||= judged.waits;
      part.unreached ||= judged.unreached;
      listed.push(...judged.listed);
    }
    judgedParts.push(part);
    if (listed.length >= maxListed) await complete();
  }
  await complete();
}

async function linesOf(storage: PlatformStore, path: string): Promise<Announcement[]> {
  const lines: Announcement[] = [];
  for await (const some of readLines<Announcement>(storage, path)) lines.push(...some);
  return lines;
}

/**
 * Removes the announced records without a job. Returns `waits`: whether a record has a pending job and must be checked
 * later; `unreached`: whether a tenant's own account failed; `listed`: the records to which their jobs refer.
 * @throws the error of platform storage, so that the list stays
 */
async function judge(
  services: CheckServices,
  kind: RecordedJobs,
  announced: readonly Announcement[],
): Promise<{ removed: number; waits: boolean; unreached: boolean; listed: Announcement[] }> {
  const { database, log } = services;
  const verdicts = await database.inPlatform((tx) => kind.judge(tx, announced));
  let removed = 0;
  let unreached = false;
  for (const [index, { tenant_id, job_id, golden_uri }] of announced.entries()) {
    if (verdicts[index] !== 'remove') continue;
    try {
      if (!(await removeAt(services, tenant_id, golden_uri))) continue;
      removed += 1;
      log.warn({ tenant_id, job_id }, 'a golden record without a job was removed');
    } catch (error) {
      if (!isAccountFailure(golden_uri, error)) throw error;
      unreached = true;
      log.warn(
        { tenant_id, job_id, error: describeForLog(error) },
        "a golden record in a tenant's account was not removed yet",
      );
    }
  }
  return {
    removed,
    waits: verdicts.includes('wait'),
    unreached,
    listed: announced.filter((_, index) => verdicts[index] === 'listed'),
  };
}

/**
 * Rewrites the missing or damaged records and manifest lines of jobs published since a given time. Works day by day,
 * because the manifest of one day may be large.
 * @returns the number of rewritten records
 */
async function rewriteSince(
  services: CheckServices,
  kinds: readonly RecordedJobs[],
  since: Date,
): Promise<number> {
  const { database, log } = services;
  // Take only the jobs published until now: a job published later gets its line from its own run, but the manifest may
  // be read before that.
  const [until, recorded] = await database.inPlatform(async (tx) => {
    const until = await selectNow(tx);
    const recorded: { kind: RecordedJobs; tenantId: string }[] = [];
    for (const kind of kinds)
      for (const tenantId of await kind.tenantsSince(tx, since)) recorded.push({ kind, tenantId });
    return [until, recorded] as const;
  });
  let rewritten = 0;
  for (let from = since; recorded.length > 0 && from < until; ) {
    const to = new Date(Math.min(from.getTime() + dayMs, until.getTime()));
    const announced = await announcedBetween(services, from, to);
    for (const { kind, tenantId } of recorded)
      rewritten += await rewriteOf(services, kind, tenantId, { from, to, announced });
    from = to;
  }
  log.warn(
    { since: since.toISOString(), records: rewritten },
    'golden records from before the start were compared with their jobs',
  );
  return rewritten;
}

/**
 * Rewrites the missing or damaged records and manifest lines of one kind, tenant and time span. `announced` contains
 * the keys of the manifest lines of the span.
 */
async function rewriteOf(
  services: CheckServices,
  kind: RecordedJobs,
  tenantId: string,
  { from, to, announced }: { from: Date; to: Date; announced: ReadonlySet<string> },
): Promise<number> {
  const { storage, database } = services;
  let rewritten = 0;
  for (let after = ''; ; ) {
    const records = await database.inTenant(tenantId, (tx) =>
      kind.recordsBetween(tx, tenantId, { from, to, after, limit: pageSize }),
    );
    // The power cut of this system did not affect a record in a tenant's account.
    const own = records.filter(({ uri }) => !isInAccount(uri));
    const unlisted = own.filter(
      ({ uri }) => !announced.has(manifestKey({ tenant_id: tenantId, golden_uri: uri })),
    );
    for (const [path, group] of Map.groupBy(unlisted, ({ recordedAt }) => manifestPath(recordedAt)))
      await appendMissingLines({ store: storage, path }, group);
    for (const record of own) {
      const { uri, jobId, content } = record;
      const path = `${tenantId}/${uri}`;
      if (isRecordOf(await storage.read(path, 0, 2 * Buffer.byteLength(content)), jobId)) continue;
      if (await rewriteRecord(services, kind, record)) rewritten += 1;
    }
    const last = records.at(-1);
    if (!last || records.length < pageSize) return rewritten;
    after = last.jobId;
  }
}

/** Returns the keys of the manifest lines of a time span. */
async function announcedBetween({ storage }: CheckServices, from: Date, to: Date): Promise<Set<string>> {
  const first = from.getTime() - lineMargin;
  const last = to.getTime() + lineMargin;
  const announced = new Set<string>();
  for (let day = first - (first % dayMs); day <= last; day += dayMs)
    for await (const lines of manifestLines<ManifestLine>({
      store: storage,
      path: manifestPath(new Date(day)),
    }))
      for (const { tenant_id, golden_uri, recorded_at } of lines) {
        const recordedAt = Date.parse(recorded_at);
        if (recordedAt > first && recordedAt < last) announced.add(manifestKey({ tenant_id, golden_uri }));
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

/** Returns the current time of the database's clock. */
export async function selectNow(tx: Tx): Promise<Date> {
  const [row] = await tx.execute<{ at: string }>(sql`select to_json(now()) #>> '{}' as at`);
  return new Date(row!.at);
}
