import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import {
  type Destination,
  type Located,
  type LocatingServices,
  type Placed,
  placeAt,
  removeAt,
} from '#server/storage/destination.ts';

/*
 * Golden records: the full record of a published text job, and the audit record of an approved document. A record is
 * announced, then written; then its row stores the location; then the day's manifest gets a line (decisions 10 and 36).
 */

/**
 * The path of a job's golden record in platform storage, relative to its tenant. Each attempt has a separate record, so that
 * a replaced run cannot overwrite the record of its successor. Directories are named by the first digits of the ID, which
 * are a timestamp, and contain the records of 4.7 hours (decision 36).
 */
export function goldenUri(jobId: string, attempt: number): string {
  return `golden/${goldenPath(jobId, attempt)}`;
}

function goldenPath(jobId: string, attempt: number): string {
  return `${jobId.slice(0, 6)}/${goldenFile(jobId, attempt)}`;
}

/** The destination of a job's golden record. */
export function goldenPlace(
  services: Pick<Services, 'storage'>,
  tenantId: string,
  destination: Destination,
  jobId: string,
  attempt: number,
): Placed {
  return placeAt(services, tenantId, destination, {
    platform: goldenUri(jobId, attempt),
    account: ({ goldenPrefix }) => goldenPrefix + goldenPath(jobId, attempt),
  });
}

/** The URI in earlier versions, which kept all records of a tenant in one directory. */
export function formerGoldenUri(jobId: string, attempt: number): string {
  return `golden/${goldenFile(jobId, attempt)}`;
}

function goldenFile(jobId: string, attempt: number): string {
  return attempt === 1 ? `${jobId}.json` : `${jobId}.${attempt}.json`;
}

/**
 * The daily manifest, one line per record. All tenants share that of platform storage, so that jobs published at the same
 * time share a write.
 */
export function manifestPath(recordedAt: Date, prefix = 'golden/'): string {
  return `${prefix}manifest/${recordedAt.toISOString().slice(0, 10)}.jsonl`;
}

/**
 * The manifest with a record's line. In an account it is derived from the record, because the binding may have another
 * prefix by now.
 */
export function manifestOf(
  { storage }: Pick<Services, 'storage'>,
  { store, path }: Located,
  recordedAt: Date,
): Located {
  return { store, path: manifestPath(recordedAt, store === storage ? undefined : goldenPrefixOf(path)) };
}

/** The golden directory of a record in an account: its path or URL without `<6 hex>/<job>.json`. */
export function goldenPrefixOf(path: string): string {
  return path.replace(/[^/]+\/[^/]+$/, '');
}

export type GoldenKind = 'text' | 'document_approval';

/**
 * The directories of the announcement lists. Each kind has a separate one: a process of an earlier version knows only text
 * jobs, and would remove the records of documents.
 */
export const announcements: Record<GoldenKind, string> = {
  text: 'golden/announced',
  document_approval: 'golden/announced-documents',
};

/**
 * The list in which a record is announced before it is written. All tenants share it. A new list begins every `seconds`; its
 * name is its end time in milliseconds since the epoch. The check removes the list after comparing its records with their
 * jobs.
 */
function announcementPath(kind: GoldenKind, at: Date, seconds: number): string {
  const span = seconds * 1000;
  return `${announcements[kind]}/${(Math.floor(at.getTime() / span) + 1) * span}.jsonl`;
}

/** A line of an announcement list. */
export interface Announcement {
  tenant_id: string;
  job_id: string;
  golden_uri: string;
  /** Creation time of the record. Missing in lists of earlier versions. */
  recorded_at?: string;
}

/** The announced jobs as rows, to join by: `wanted(tenant_id, job_id)`. */
export function announcedJobs(announced: readonly Announcement[]) {
  const pairs = announced.map(({ tenant_id, job_id }) => ({ tenant_id, job_id }));
  return sql`jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as wanted(tenant_id text, job_id text)`;
}

/** A record, and its line in the manifest. */
export interface GoldenRecord {
  kind: GoldenKind;
  tenantId: string;
  jobId: string;
  uri: string;
  recordedAt: Date;
  /** The record, as JSON. */
  content: string;
  /** Further fields of its manifest line, without text of the customer. */
  summary: { status: string; source_lang: string; target_lang: string };
}

/** A record's line in the manifest. */
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
 * Announces a record and writes it. After that, the caller stores its row and calls `listGolden`. A crash leaves at most a
 * record without a row, which `checkGoldenRecords` finds by its announcement and removes, or a record without its line,
 * which it adds.
 * @returns false, after logging the error, if a store could not be written
 */
export async function writeGolden(
  { storage, settings, log }: Pick<Services, 'storage' | 'settings' | 'log'>,
  record: GoldenRecord,
  place: Located,
): Promise<boolean> {
  const { kind, tenantId, jobId, uri, recordedAt, content } = record;
  const announced: Announcement = {
    tenant_id: tenantId,
    job_id: jobId,
    golden_uri: uri,
    recorded_at: recordedAt.toISOString(),
  };
  try {
    // Not the time of the record, because a rewritten record may be old.
    const path = announcementPath(kind, new Date(), settings.SWEEP_INTERVAL_SECONDS);
    const line = JSON.stringify(announced);
    if (place.store === storage) await storage.put(place.path, content, { path, line });
    else {
      await storage.appendLine(path, line);
      await place.store.put(place.path, content);
    }
    return true;
  } catch (error) {
    log.error({ job_id: jobId, error: describeForLog(error) }, 'golden record not written');
    return false;
  }
}

/**
 * Adds a record's line to the manifest, after its row refers to it. Runs in the background: if it fails or is interrupted,
 * `checkGoldenRecords` adds the line.
 */
export function listGolden(
  { storage, log, backgroundWork }: Pick<Services, 'backgroundWork' | 'log' | 'storage'>,
  record: GoldenRecord,
  place: Located,
): void {
  const { store, path } = manifestOf({ storage }, place, record.recordedAt);
  const appending = store.appendLine(path, manifestLine(record)).catch((error: unknown) => {
    log.warn({ job_id: record.jobId, error: describeForLog(error) }, 'line of the manifest not written yet');
  });
  void backgroundWork.track(appending);
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
    services.log.warn({ job_id: jobId, error: describeForLog(error) }, 'golden record not removed');
    return false;
  }
}

/**
 * A page of records that may have to be rewritten: those from `from` to before `to`, in the order of their IDs, after ID
 * `after`.
 */
export interface RecordedSpan {
  from: Date;
  to: Date;
  after: string;
  limit: number;
}

/**
 * The decision about an announced record. `listed`: its job's row refers to it, so the manifest must have its line. `wait`:
 * the job may still need it, so its announcement stays.
 */
export type Verdict = 'listed' | 'keep' | 'remove' | 'wait';

/** One kind of golden records, as `checkGoldenRecords` compares them with their rows. */
export interface RecordedJobs {
  kind: GoldenKind;
  /** Decides about announced records, in their order. Platform scope. */
  judge(tx: Tx, announced: readonly Announcement[]): Promise<Verdict[]>;
  /** The tenants with records since then. Platform scope. */
  tenantsSince(tx: Tx, since: Date): Promise<string[]>;
  /** Records as they must be in the store. */
  recordsBetween(tx: Tx, tenantId: string, span: RecordedSpan): Promise<GoldenRecord[]>;
  /** The record of one job, if its row refers to one. */
  recordOf(tx: Tx, tenantId: string, jobId: string): Promise<GoldenRecord | undefined>;
}
