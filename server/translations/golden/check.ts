import type { Services } from '#server/context.ts';
import { approvalRecords } from '#server/documents/approval-record.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import {
  type Destination,
  destinationOf,
  isInAccount,
  type LocatingServices,
} from '#server/storage/destination.ts';
import {
  type Announcement,
  announcements,
  manifestLine,
  manifestOf,
  type RecordedJobs,
  removeGolden,
} from '#server/storage/golden-records.ts';
import { linesBetween, readLines } from '#server/storage/json-lines.ts';
import { StoreError } from '#server/storage/store-error.ts';
import { selectNow } from './pending-persistence.ts';
import { textRecords } from './text-records.ts';

const kinds: readonly RecordedJobs[] = [textRecords, approvalRecords];

const dayMs = 86_400_000;
/** Milliseconds by which a manifest line's time may differ from its job's: they are taken at different moments by two clocks. */
const lineMargin = 3_600_000;
const pageSize = 500;

type CheckServices = LocatingServices & Pick<Services, 'log'>;

interface GoldenCheck {
  /** Records that no job refers to. */
  removed: number;
  /** Lost records that were written again. */
  rewritten: number;
  /** Lines that were added to a manifest, because the process died before it could. */
  listed: number;
}

/**
 * Compares golden records with jobs. Removes records that no job refers to, and adds lines that the manifest lacks,
 * `STALE_PENDING_SECONDS` after their announcement list ended, when no run can still be about to store its job. After an unclean shutdown of the store's system, first writes again what may have been lost.
 * Idempotent; may be interrupted at any point.
 */
export async function checkGoldenRecords(services: CheckServices): Promise<GoldenCheck> {
  const { storage, log } = services;
  await storage.tidy();
  const doubtful = await storage.doubtfulSince();
  const rewritten = doubtful ? await rewriteSince(services, doubtful) : 0;
  if (doubtful) await storage.settleDoubt();
  const check: GoldenCheck = { removed: 0, rewritten, listed: 0 };
  for (const kind of kinds) await checkAnnounced(services, kind, check);
  const { removed, listed } = check;
  if (removed + rewritten + listed > 0) log.info({ removed, rewritten, listed }, 'golden records checked');
  return check;
}

/** Goes through the lists of one kind that ended long enough ago. */
async function checkAnnounced(
  services: CheckServices,
  kind: RecordedJobs,
  check: GoldenCheck,
): Promise<void> {
  const { storage, settings } = services;
  const folder = announcements[kind.kind];
  const before = Date.now() - settings.STALE_PENDING_SECONDS * 1000;
  for (const name of await storage.list(folder)) {
    // The name is the time of its end.
    if (Number.parseInt(name, 10) > before) continue;
    const path = `${folder}/${name}`;
    let waits = false;
    for await (const lines of readLines<Announcement>(storage, path))
      for (let from = 0; from < lines.length; from += pageSize) {
        const judged = await judge(services, kind, lines.slice(from, from + pageSize));
        check.removed += judged.removed;
        check.listed += await addMissingLines(services, kind, judged.listed);
        waits ||= judged.waits;
      }
    if (!waits) await storage.remove(path);
  }
}

/**
 * Removes the announced records that no job refers to. `waits`: whether one has a pending job and must be judged later. `listed`: those that
 * their jobs refer to.
 */
async function judge(
  services: CheckServices,
  kind: RecordedJobs,
  announced: readonly Announcement[],
): Promise<{ removed: number; waits: boolean; listed: Announcement[] }> {
  const { database, log } = services;
  const verdicts = await database.inPlatform((tx) => kind.judge(tx, announced));
  let removed = 0;
  for (const [index, { tenant_id, job_id, golden_uri }] of announced.entries()) {
    if (verdicts[index] !== 'remove' || !(await removeGolden(services, tenant_id, job_id, golden_uri)))
      continue;
    removed += 1;
    log.warn({ tenant_id, job_id }, 'a golden record that no job refers to was removed');
  }
  return {
    removed,
    waits: verdicts.includes('wait'),
    listed: announced.filter((_, index) => verdicts[index] === 'listed'),
  };
}

/** Adds the lines that are not in the manifests although their jobs refer to the records. @returns how many */
async function addMissingLines(
  services: CheckServices,
  kind: RecordedJobs,
  listed: readonly Announcement[],
): Promise<number> {
  const { database, log } = services;
  // Lists of earlier versions have no times; the line was written before the row then.
  const dated = listed.filter(({ recorded_at }) => recorded_at !== undefined);
  let added = 0;
  for (const group of groupByManifest(dated)) {
    const [{ tenant_id: tenantId, golden_uri: uri, recorded_at: at }] = group as [
      Announcement,
      ...Announcement[],
    ];
    try {
      const destination: Destination = isInAccount(uri)
        ? await destinationOf(services, tenantId)
        : { provider: 'platform' };
      // The tenant has left its account, and its manifest with it.
      if (isInAccount(uri) && destination.provider === 'platform') continue;
      const { store, path } = manifestOf(services, destination, new Date(at as string));
      const times = group.map(({ recorded_at }) => Date.parse(recorded_at as string));
      const span = { from: Math.min(...times), to: Math.max(...times), margin: lineMargin };
      const there = new Set<string>();
      for await (const line of linesBetween<ManifestLine>(store, path, span))
        there.add(`${line.tenant_id} ${line.golden_uri}`);
      for (const { tenant_id, job_id, golden_uri, recorded_at } of group) {
        if (there.has(`${tenant_id} ${golden_uri}`)) continue;
        const record = await database.inTenant(tenant_id, (tx) => kind.recordOf(tx, tenant_id, job_id));
        if (record?.uri !== golden_uri) continue;
        await store.appendLine(
          path,
          manifestLine({ ...record, recordedAt: new Date(recorded_at as string) }),
        );
        added += 1;
      }
    } catch (error) {
      // An account that cannot be reached must not keep the others waiting.
      if (!isInAccount(uri) || !(error instanceof AppError || error instanceof StoreError)) throw error;
      log.warn(
        { tenant_id: tenantId, error: describeForLog(error) },
        "a tenant's manifest was not completed",
      );
    }
  }
  return added;
}

/** Announcements whose lines belong to one manifest: that of a day, in the platform's storage or in a tenant's account. */
function groupByManifest(announced: readonly Announcement[]): Announcement[][] {
  const groups = Map.groupBy(announced, ({ tenant_id, golden_uri, recorded_at }) => {
    const day = recorded_at?.slice(0, 10);
    return isInAccount(golden_uri) ? `${day} ${tenant_id}` : day;
  });
  return [...groups.values()];
}

/** A line of a manifest, as far as it is read. */
type ManifestLine = Pick<Announcement, 'tenant_id' | 'golden_uri'> & { recorded_at: string };

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
      // Another system's power cut.
      if (isInAccount(uri)) continue;
      if (!announced.has(`${tenantId} ${uri}`)) {
        const { path } = manifestOf({ storage }, { provider: 'platform' }, recordedAt);
        await storage.appendLine(path, manifestLine(record));
      }
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
    for await (const lines of readLines<ManifestLine>(
      storage,
      manifestOf({ storage }, { provider: 'platform' }, new Date(day)).path,
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
