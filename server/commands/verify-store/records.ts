import { and, eq, inArray, sql } from 'drizzle-orm';
import { documentJobs } from '#db/schema/documents.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { leaseSeconds } from '#server/documents/review-lease.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';
import { type Comparison, forEach, pageSize, recordLimit } from './comparison.ts';
import { lookAt, type Places } from './places.ts';
import { type PublishedRow, type PublishedRows, publishedRows } from './published-rows.ts';
import { repairRecord } from './repair.ts';
import type { Difference } from './report.ts';

/** Finds the rows of a tenant whose records are missing or damaged. */
export async function compareRecords(
  comparison: Comparison,
  places: Places,
  tenantId: string,
): Promise<void> {
  for (const kind of publishedRows) await compareKind(comparison, places, tenantId, kind);
  await countUnfinished(comparison, tenantId);
}

async function compareKind(
  comparison: Comparison,
  places: Places,
  tenantId: string,
  kind: PublishedRows,
): Promise<void> {
  const { database, report, stop } = comparison;
  for (let after = ''; ; ) {
    stop.throwIfAborted();
    const rows = await database.inTenant(tenantId, (tx) => kind.byId(tx, tenantId, after, pageSize));
    const found: { row: PublishedRow; what: Difference }[] = [];
    await forEach(rows, async (row) => {
      const what =
        row.uri === null
          ? unrecorded(comparison, kind, row)
          : await faultOf(comparison, places, { tenantId, id: row.id, uri: row.uri });
      if (what) found.push({ row, what });
    });
    const ids = found.map(({ row }) => row.id);
    // Ignore records that were deleted or replaced during the comparison.
    const now = found.length ? await database.inTenant(tenantId, (tx) => kind.byIds(tx, tenantId, ids)) : [];
    const uris = new Map(now.map(({ id, uri }) => [id, uri]));
    for (const { row, what } of found)
      if (uris.get(row.id) === row.uri)
        await report.difference(
          what,
          { tenantId, id: row.id, ...(row.uri && { path: row.uri }) },
          await repairRecord(comparison, tenantId, row.id),
        );
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last.id;
  }
}

/**
 * Returns the difference for a row without a record. If the record may still be written, returns undefined and
 * reports that.
 */
function unrecorded(
  { report, settings }: Comparison,
  { isRecordedLater }: PublishedRows,
  { at }: PublishedRow,
): Difference | undefined {
  // If the process of an approval has died, the approval is completed only after the lease of its document has ended.
  const until = at.getTime() + recordLimit(settings) + leaseSeconds * 1000;
  if (!isRecordedLater || until < Date.now()) return 'record missing';
  report.inFlight('record that is not written yet', 1, until);
  return undefined;
}

/** Returns the difference for the record to which a row refers; undefined if the record is correct. */
function faultOf(
  comparison: Comparison,
  places: Places,
  { tenantId, id, uri }: { tenantId: string; id: string; uri: string },
): Promise<Difference | undefined> {
  return lookAt(comparison, places, { what: 'records', tenantId, address: uri }, async (store, path) => {
    if (comparison.quick) return (await store.read(path, 0, 1)) === null ? 'record missing' : undefined;
    const text = await readWhole(store, path);
    if (text === null) return 'record missing';
    return isRecordOf(text, tenantId, id) ? undefined : 'record damaged';
  });
}

/** Bytes that are read first. Most records are not larger. */
const usualBytes = 64 * 1024;

async function readWhole(store: BlobStore, path: string): Promise<string | null> {
  const start = await store.read(path, 0, usualBytes);
  if (start === null || start.length < usualBytes) return start && Buffer.from(start).toString();
  const pieces: Uint8Array[] = [];
  for await (const piece of (await store.stream(path)) ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function isRecordOf(text: string, tenantId: string, id: string): boolean {
  try {
    const { tenant_id, job_id } = JSON.parse(text);
    return tenant_id === tenantId && job_id === id;
  } catch {
    return false;
  }
}

/** Counts the jobs and documents in progress. Their records and files may be written at any time. */
async function countUnfinished({ database, report, settings }: Comparison, tenantId: string): Promise<void> {
  const count = sql<number>`count(*)::int`;
  const [jobs, documents] = await database.inTenant(tenantId, (tx) =>
    Promise.all([
      tx
        .select({ count })
        .from(translationJobs)
        .where(
          and(
            eq(translationJobs.tenantId, tenantId),
            inArray(translationJobs.status, ['pending', 'approved', 'persistence_failed']),
          ),
        ),
      tx
        .select({ count })
        .from(documentJobs)
        .where(
          and(eq(documentJobs.tenantId, tenantId), inArray(documentJobs.status, ['queued', 'extracted'])),
        ),
    ]),
  );
  const until = Date.now() + recordLimit(settings);
  report.inFlight('job that is not published yet', jobs[0]?.count ?? 0, until);
  report.inFlight('document that is not finished yet', documents[0]?.count ?? 0, until);
}
