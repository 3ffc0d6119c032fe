import type { Services } from '#server/context.ts';
import { approvalRecords } from '#server/documents/approval-record.ts';
import type { PlatformStore } from '#server/storage/blob-store.ts';
import {
  type Announcement,
  announcements,
  manifestLine,
  manifestPath,
  type RecordedJobs,
} from '#server/storage/golden-records.ts';
import { selectNow } from './pending-persistence.ts';
import { textRecords } from './text-records.ts';

const kinds: readonly RecordedJobs[] = [textRecords, approvalRecords];

/** Bytes read at a time. */
const chunkBytes = 1_000_000;

/**
 * Reads and parses the lines of an object, some thousands at a time; none if there is no such object. Skips lines that are not JSON, as a
 * power cut may leave them, and a last line without its newline, which is still being written.
 */
async function* readLines<T>(storage: PlatformStore, path: string): AsyncGenerator<T[]> {
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
  let removed = 0;
  for (const kind of kinds) removed += await removeUnreferenced(services, kind);
  if (removed + rewritten > 0) log.info({ removed, rewritten }, 'golden records checked');
  return { removed, rewritten };
}

/** Goes through the lists of one kind that ended long enough ago. */
async function removeUnreferenced(services: CheckServices, kind: RecordedJobs): Promise<number> {
  const { storage, settings } = services;
  const folder = announcements[kind.kind];
  const before = Date.now() - settings.STALE_PENDING_SECONDS * 1000;
  let removed = 0;
  for (const name of await storage.list(folder)) {
    // The name is the time of its end.
    if (Number.parseInt(name, 10) > before) continue;
    const path = `${folder}/${name}`;
    let waits = false;
    for await (const lines of readLines<Announcement>(storage, path)) {
      const judged = await judge(services, kind, lines);
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
  kind: RecordedJobs,
  announced: readonly Announcement[],
): Promise<{ removed: number; waits: boolean }> {
  let removed = 0;
  let waits = false;
  for (let from = 0; from < announced.length; from += pageSize) {
    const page = announced.slice(from, from + pageSize);
    const verdicts = await database.inPlatform((tx) => kind.judge(tx, page));
    for (const [index, { tenant_id, job_id, golden_uri }] of page.entries()) {
      if (verdicts[index] === 'wait') waits = true;
      if (verdicts[index] !== 'remove' || !(await storage.remove(`${tenant_id}/${golden_uri}`))) continue;
      removed += 1;
      log.warn({ tenant_id, job_id }, 'a golden record that no job refers to was removed');
    }
  }
  return { removed, waits };
}

/**
 * Writes again the records and manifest lines that are missing or damaged, for jobs published since then. Goes day by day, since one day's
 * manifest may be large. @returns how many records were written
 */
async function rewriteSince(services: CheckServices, since: Date): Promise<number> {
  const { database, log } = services;
  // A job published from now on has its line, but the manifest may be read before the line is written.
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
    'golden records written again after an unclean end',
  );
  return rewritten;
}

/** The same for the records of one kind, tenant and time span. `announced` are the manifest lines of the span. */
async function rewriteOf(
  { storage, database }: CheckServices,
  kind: RecordedJobs,
  tenantId: string,
  { from, to, announced }: { from: Date; to: Date; announced: ReadonlySet<string> },
): Promise<number> {
  let rewritten = 0;
  for (let after = ''; ; ) {
    const records = await database.inTenant(tenantId, (tx) =>
      kind.recordsBetween(tx, tenantId, { from, to, after, limit: pageSize }),
    );
    for (const record of records) {
      const { uri, jobId, content, recordedAt } = record;
      if (!announced.has(`${tenantId} ${uri}`))
        await storage.appendLine(manifestPath(recordedAt), manifestLine(record));
      const path = `${tenantId}/${uri}`;
      if (isRecordOf(await storage.read(path, 0, 2 * Buffer.byteLength(content)), jobId)) continue;
      await storage.put(path, content);
      rewritten += 1;
    }
    const last = records.at(-1);
    if (!last || records.length < pageSize) return rewritten;
    after = last.jobId;
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
