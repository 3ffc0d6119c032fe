import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { addressIn } from '#server/storage/bindings.ts';
import {
  type Destination,
  isInAccount,
  type Located,
  type LocatingServices,
  locate,
  onPlatform,
  type Placed,
  removeAt,
} from '#server/storage/destination.ts';
import { addManifestLine, type Manifest, manifestLines, manifestPath } from './manifests.ts';

/*
 * Golden records are the full records of published text jobs and the audit records of approved documents. The steps
 * are, in this order: a record is announced, the record is written, the job's row stores its location, and the day's
 * manifest gets a line (decision 10).
 */

/** The folder of a tenant's records in platform storage, relative to the tenant. */
export const goldenFolder = 'golden';

/**
 * The path of a job's golden record, relative to the golden directory of the tenant or of its account. A directory is named by the first digits of the ID, which are a timestamp, and contains the
 * records of 4.7 hours. Each attempt has a separate record, so that a run that was replaced by another cannot overwrite
 * the other run's record.
 */
function goldenPath(jobId: string, attempt: number): string {
  return `${jobId.slice(0, 6)}/${goldenFile(jobId, attempt)}`;
}

function goldenFile(jobId: string, attempt: number): string {
  return attempt === 1 ? `${jobId}.json` : `${jobId}.${attempt}.json`;
}

/** Returns the name of the record with this URI: its job and attempt. It stays the same if the record is written again. */
export function recordName(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}

/** Whether a record belongs to an attempt. */
export function isOfAttempt(uri: string, jobId: string, attempt: number): boolean {
  return recordName(uri) === goldenFile(jobId, attempt);
}

export function manifestKey({ tenant_id, golden_uri }: { tenant_id: string; golden_uri: string }): string {
  return `${tenant_id} ${recordName(golden_uri)}`;
}

/**
 * Returns the manifest that gets a record's line. In a tenant's account, its path is derived from the record's
 * location, because the binding may have a different prefix by now.
 */
export function manifestOf(
  { storage }: Pick<Services, 'storage'>,
  { store, path }: Located,
  recordedAt: Date,
): Manifest {
  return { store, path: manifestPath(recordedAt, store === storage ? undefined : goldenPrefixOf(path)) };
}

/** Returns the golden directory of a record in an account: the record's path or URL without `<6 hex>/<job>.json`. */
export function goldenPrefixOf(path: string): string {
  return path.replace(/[^/]+\/[^/]+$/, '');
}

export type GoldenKind = 'text' | 'document_approval';

/** The directories of the announcement lists. Each kind of record has a separate one. */
export const announcements: Record<GoldenKind, string> = {
  text: 'golden/announced',
  document_approval: 'golden/announced-documents',
};

/**
 * Returns the path of the list in which a record is announced before it is written. All tenants share the list. A new
 * list begins every `seconds` seconds; its name is the time at which it ends, in milliseconds since the epoch.
 * `checkGoldenRecords` deletes the list after comparing its records with their jobs.
 */
function announcementPath(kind: GoldenKind, at: Date, seconds: number): string {
  const span = seconds * 1000;
  return `${announcements[kind]}/${(Math.floor(at.getTime() / span) + 1) * span}`;
}

/** A record whose job may not refer to it. */
export interface AnnouncedRecord {
  tenant_id: string;
  job_id: string;
  golden_uri: string;
}

/** A line of an announcement list. */
export interface Announcement extends AnnouncedRecord {
  /** Creation time of the record. */
  recorded_at: string;
}

/** Returns the announced jobs as rows for a join: `wanted(tenant_id, job_id)`. */
export function announcedJobs(announced: readonly AnnouncedRecord[]) {
  const pairs = announced.map(({ tenant_id, job_id }) => ({ tenant_id, job_id }));
  return sql`jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as wanted(tenant_id text, job_id text)`;
}

/** The fields of a manifest line that tell its record. */
export type ManifestLine = Pick<Announcement, 'tenant_id' | 'golden_uri' | 'recorded_at'>;

/** A record that may not have been written yet, with the data of its line in the manifest. */
export interface NewGoldenRecord {
  kind: GoldenKind;
  tenantId: string;
  jobId: string;
  attempt: number;
  recordedAt: Date;
  /** The content of the record, as JSON. */
  content: string;
  /** Further fields of the manifest line; none contains text of the customer. */
  summary: { status: string; source_lang: string; target_lang: string };
}

export interface GoldenRecord extends NewGoldenRecord {
  uri: string;
}

export function manifestLine({ kind, tenantId, jobId, uri, recordedAt, summary }: GoldenRecord): string {
  return JSON.stringify({
    kind,
    tenant_id: tenantId,
    job_id: jobId,
    golden_uri: uri,
    ...summary,
    recorded_at: recordedAt.toISOString(),
  });
}

/**
 * Announces a record and writes it. The caller must then store its location in the row, and call `listGolden`. A crash
 * can leave a record without a row, or a record without a manifest line. `checkGoldenRecords` finds both by the
 * announcement: it removes the former, and adds the line of the latter.
 * @returns the place of the record; null, after logging the error, if a store could not be written
 */
export async function writeGolden(
  services: Pick<Services, 'storage' | 'settings' | 'log'>,
  record: NewGoldenRecord,
  destination: Destination,
): Promise<Placed | null> {
  try {
    return destination.provider === 'platform'
      ? await writeOnPlatform(services, record)
      : await writeInAccount(services, record, destination);
  } catch (error) {
    services.log.error(
      { job_id: record.jobId, error: describeForLog(error) },
      'the golden record was not written',
    );
    return null;
  }
}

/** Announces a record and writes it to platform storage. @throws the error of the store */
async function writeOnPlatform(
  services: Pick<Services, 'storage' | 'settings'>,
  record: NewGoldenRecord,
): Promise<Placed> {
  const { tenantId, jobId, attempt, content } = record;
  const address = `${goldenFolder}/${goldenPath(jobId, attempt)}`;
  const placed = { ...onPlatform(services, tenantId, address), address };
  await announce(services, record, address);
  await placed.store.put(placed.path, content);
  return placed;
}

async function writeInAccount(
  services: Pick<Services, 'storage' | 'settings'>,
  record: NewGoldenRecord,
  { binding, store }: Destination & { provider: 'datalake' },
): Promise<Placed> {
  const path = binding.goldenPrefix + goldenPath(record.jobId, record.attempt);
  const address = addressIn(binding, path);
  await announce(services, record, address);
  await store.put(path, record.content);
  return { store, path, address };
}

/** Adds a record to the announcement list of its kind. */
function announce(
  { settings, storage }: Pick<Services, 'settings' | 'storage'>,
  { kind, tenantId, jobId, recordedAt }: NewGoldenRecord,
  uri: string,
): Promise<void> {
  const announced: Announcement = {
    tenant_id: tenantId,
    job_id: jobId,
    golden_uri: uri,
    recorded_at: recordedAt.toISOString(),
  };
  // Use the current time, not the time of the record: a rewritten record may be old.
  const path = announcementPath(kind, new Date(), settings.SWEEP_INTERVAL_SECONDS);
  return storage.addLine(path, JSON.stringify(announced));
}

/**
 * Adds a record's line to the manifest, after the job's row refers to the record. Runs in the background: if it fails
 * or is interrupted, `checkGoldenRecords` adds the line. A process that stood still since it wrote the record may come
 * after that check, so it looks first.
 */
export function listGolden(
  {
    storage,
    settings,
    log,
    backgroundWork,
  }: Pick<Services, 'backgroundWork' | 'log' | 'settings' | 'storage'>,
  record: GoldenRecord,
  place: Located,
): void {
  const manifest = manifestOf({ storage }, place, record.recordedAt);
  // The check comes `STALE_PENDING_SECONDS` after the announcement at the earliest. Half of that is enough, and leaves
  // room for clocks that differ.
  const isLate = Date.now() - record.recordedAt.getTime() >= settings.STALE_PENDING_SECONDS * 500;
  const append = isLate
    ? appendMissingLines(manifest, [record])
    : addManifestLine(manifest, record.recordedAt, manifestLine(record));
  const appending = append.catch((error: unknown) => {
    log.warn(
      { job_id: record.jobId, error: describeForLog(error) },
      'the line of the manifest was not written yet',
    );
  });
  void backgroundWork.track(appending);
}

/** Maximum difference in milliseconds between the clocks of the processes and the database that give lines their times. */
const clockMargin = 3_600_000;

/**
 * Appends the lines of a page of records, as far as a manifest does not have them. It looks directly before, because another process may
 * have added them in the meantime.
 * @returns the number of appended lines
 */
export async function appendMissingLines(
  manifest: Manifest,
  records: readonly GoldenRecord[],
): Promise<number> {
  const missing = new Map(
    records.map((record) => [manifestKey({ tenant_id: record.tenantId, golden_uri: record.uri }), record]),
  );
  if (missing.size === 0) return 0;
  const times = records.map(({ recordedAt }) => recordedAt.getTime());
  const span = {
    from: Math.min(...times) - clockMargin,
    to: Math.max(...times) + clockMargin,
    margin: clockMargin,
  };
  for await (const lines of manifestLines<ManifestLine>(manifest, span))
    for (const line of lines) missing.delete(manifestKey(line));
  await Promise.all(
    [...missing.values()].map((record) => addManifestLine(manifest, record.recordedAt, manifestLine(record))),
  );
  return missing.size;
}

/** Removes a golden record. Best effort: an error of the store is logged. @returns whether the record existed */
export async function removeGolden(
  services: LocatingServices & Pick<Services, 'log'>,
  tenantId: string,
  jobId: string,
  uri: string,
): Promise<boolean> {
  try {
    return await removeAt(services, tenantId, uri);
  } catch (error) {
    services.log.warn({ job_id: jobId, error: describeForLog(error) }, 'the golden record was not removed');
    return false;
  }
}

/**
 * Selects a page of records that may have to be rewritten: those recorded from `from` (inclusive) to before `to`, in
 * the order of their IDs, after the ID `after`.
 */
interface RecordedSpan {
  from: Date;
  to: Date;
  after: string;
  limit: number;
}

/**
 * The decision about an announced record. `listed`: the job's row refers to the record, so the manifest must have its
 * line. `keep`: the record stays. `wait`: the job may still need the record, so the announcement stays. `remove`: the
 * record is removed.
 */
export type Verdict = 'listed' | 'keep' | 'remove' | 'wait';

/** The functions by which `checkGoldenRecords` compares one kind of golden records with their rows. */
export interface RecordedJobs {
  kind: GoldenKind;
  /** Returns the decisions about announced records, in the order of the records. Platform scope. */
  judge(tx: Tx, announced: readonly AnnouncedRecord[]): Promise<Verdict[]>;
  /** Returns the tenants with records since a given time. Platform scope. */
  tenantsSince(tx: Tx, since: Date): Promise<string[]>;
  /** Returns the records with the content that the store must have. */
  recordsBetween(tx: Tx, tenantId: string, span: RecordedSpan): Promise<GoldenRecord[]>;
  /** Returns the record of one job; undefined if its row refers to none. */
  recordOf(tx: Tx, tenantId: string, jobId: string): Promise<GoldenRecord | undefined>;
  /**
   * Makes the row of a record that was written again refer to its new location.
   * @returns false if the row no longer refers to the former location
   */
  relocate(tx: Tx, tenantId: string, jobId: string, move: { from: string; to: string }): Promise<boolean>;
}

/**
 * Writes a record again. In an account, it replaces the former one. In platform storage, the row then refers to the new
 * record, and the former one is removed. If a process dies before that, the row still refers to the former record, and
 * `checkGoldenRecords` removes the new one.
 * @returns false if the row has changed in the meantime, or if the account was disconnected
 * @throws the error of the store; AppError 409 storage_binding_not_verified
 */
export async function rewriteRecord(
  services: LocatingServices,
  kind: RecordedJobs,
  record: GoldenRecord,
): Promise<boolean> {
  const { tenantId, jobId, uri: from } = record;
  if (isInAccount(from)) {
    const place = await locate(services, tenantId, from);
    await place?.store.put(place.path, record.content);
    return place !== null;
  }
  const { address: to } = await writeOnPlatform(services, record);
  if (to === from) return true;
  const moved = await services.database.inTenant(tenantId, async (tx) => {
    if (!(await kind.relocate(tx, tenantId, jobId, { from, to }))) return false;
    await removeFormerLater(tx, tenantId, jobId, from);
    return true;
  });
  // Otherwise another process has written the record to the same path. If no row refers to it, the check of announced
  // records removes it.
  if (moved) await services.storage.remove(`${tenantId}/${from}`);
  return moved;
}

/** Queues a task that removes the former record of a job, in case the process dies before it does so. */
function removeFormerLater(tx: Tx, tenantId: string, jobId: string, goldenUri: string): Promise<void> {
  const key = `remove_golden_records:${jobId}:${goldenUri}`;
  return addJob(tx, 'remove_golden_records', { tenantId, jobId, goldenUri }, { key, afterSeconds: 60 });
}
