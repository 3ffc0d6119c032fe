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
 * Golden records (B 8 rule 4): the full record of a published text job, and the audit record of an approved document. Each is
 * announced, then written, then its row says where it is, then the manifest of the day has its line (decisions 10 and 36).
 */

/**
 * The address of a job's golden record in the platform's storage, relative to its tenant. Each attempt has a record of its own, so that a
 * replaced run cannot overwrite the record of its successor. Folders are named by the first digits of the id, a timestamp, and hold the
 * records of 4.7 hours (decision 36).
 */
export function goldenUri(jobId: string, attempt: number): string {
  return `golden/${goldenPath(jobId, attempt)}`;
}

function goldenPath(jobId: string, attempt: number): string {
  return `${jobId.slice(0, 6)}/${goldenFile(jobId, attempt)}`;
}

/** Where a job's golden record goes. */
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

/** The URI in earlier versions, which kept all records of a tenant in one folder. */
export function formerGoldenUri(jobId: string, attempt: number): string {
  return `golden/${goldenFile(jobId, attempt)}`;
}

function goldenFile(jobId: string, attempt: number): string {
  return attempt === 1 ? `${jobId}.json` : `${jobId}.${attempt}.json`;
}

/**
 * The daily manifest (C 7), one line per record. That of the platform's storage is shared by all tenants, so that jobs published at the same
 * moment share a write.
 */
export function manifestPath(recordedAt: Date, prefix = 'golden/'): string {
  return `${prefix}manifest/${recordedAt.toISOString().slice(0, 10)}.jsonl`;
}

/** The manifest that has a record's line. In an account it is found by the record, since the binding may have another prefix by now. */
export function manifestOf(
  { storage }: Pick<Services, 'storage'>,
  { store, path }: Located,
  recordedAt: Date,
): Located {
  return { store, path: manifestPath(recordedAt, store === storage ? undefined : goldenPrefixOf(path)) };
}

/** The golden directory of a record in an account: its path or address up to `<6 hex>/<job>.json`. */
export function goldenPrefixOf(path: string): string {
  return path.replace(/[^/]+\/[^/]+$/, '');
}

export type GoldenKind = 'text' | 'document_approval';

/**
 * The folders of the announcement lists. Each kind has its own: a process of an earlier version knows text jobs only, and would
 * remove the records of documents.
 */
export const announcements: Record<GoldenKind, string> = {
  text: 'golden/announced',
  document_approval: 'golden/announced-documents',
};

/**
 * The list in which a record is announced before it is written. All tenants share it. A new one begins every `seconds`; its name is the time
 * of its end in milliseconds since the epoch. The check removes it after comparing its records with their jobs.
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
  /** When the record was written. Missing in lists of earlier versions. */
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
  /** What the manifest says of it besides its place: no text of the customer. */
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
 * Announces a record and writes it. The caller's row follows, then `listGolden`: a crash leaves at most a record that no row refers to, whose
 * announcement lets `checkGoldenRecords` remove it, or a record without its line, which it then adds.
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
    // Not the time of the record: one that is written again may be old.
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
 * Adds a record's line to the manifest, once its row refers to it. Nobody waits for it: what fails or is interrupted is added by
 * `checkGoldenRecords`.
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

/** Removes a golden record. Best effort: an error of the store is logged. @returns whether there was one */
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

/** A page of records that may have to be written again: those from `from` to before `to`, in the order of their ids, after id `after`. */
export interface RecordedSpan {
  from: Date;
  to: Date;
  after: string;
  limit: number;
}

/**
 * What becomes of an announced record. `listed`: its job's row refers to it, so the manifest must have its line. `wait`: the job may still need
 * it, so its announcement stays.
 */
export type Verdict = 'listed' | 'keep' | 'remove' | 'wait';

/** One kind of golden records, as `checkGoldenRecords` compares them with their rows. */
export interface RecordedJobs {
  kind: GoldenKind;
  /**
   * What becomes of announced records, in their order. Platform scope.
   */
  judge(tx: Tx, announced: readonly Announcement[]): Promise<Verdict[]>;
  /** The tenants with records since then. Platform scope. */
  tenantsSince(tx: Tx, since: Date): Promise<string[]>;
  /** Records as they must be in the store. */
  recordsBetween(tx: Tx, tenantId: string, span: RecordedSpan): Promise<GoldenRecord[]>;
  /** The record of one job, if its row refers to one. */
  recordOf(tx: Tx, tenantId: string, jobId: string): Promise<GoldenRecord | undefined>;
}
