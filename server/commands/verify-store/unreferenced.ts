import { inArray } from 'drizzle-orm';
import { approvalRecords } from '#server/documents/approval-record.ts';
import { selectDelivered, unreferencedFileLimit } from '#server/documents/unreferenced-files.ts';
import type { AnnouncedRecord } from '#server/records/golden-records.ts';
import { textRecords } from '#server/texts/golden-record.ts';
import { type Comparison, inPages, recordLimit } from './comparison.ts';
import { addressOf as fileAddressOf, selectFiles } from './files.ts';
import type { Place } from './places.ts';
import { removeUnreferenced } from './repair.ts';
import type { Difference, Unfinished } from './report.ts';

/** An object whose name has the format of a record or a file of the service. */
interface Found {
  path: string;
  /** The URL or path of the object in the format that rows have. */
  address: string;
  /** For a record, the id of its job; for a file, the id of the file. */
  id: string;
}

/** Finds the golden records in a place to which no row refers. */
export async function findUnreferencedRecords(
  comparison: Comparison,
  place: Place,
  tenantId: string,
): Promise<void> {
  const { report, settings, stop } = comparison;
  const limit = recordLimit(settings);
  for await (const page of inPages(objectsIn(comparison, place, place.goldenFolder, recordName))) {
    stop.throwIfAborted();
    const verdicts = await judge(comparison, place, page);
    const waiting = verdicts.filter((verdict) => verdict === 'wait').length;
    report.inFlight('record whose database row may not be stored yet', waiting, Date.now() + limit);
    const unreferenced = page.filter((_, index) => verdicts[index] === 'remove');
    const meaning = {
      what: 'record without a database row',
      inFlight: 'record whose database row may not be stored yet',
    } as const;
    await reportOld(comparison, place, tenantId, unreferenced, { ...meaning, limit });
  }
}

/** Matches `<6 digits>/<job>.json` and, for a later attempt, `<job>.2.json`. */
const recordName = /^[0-9a-f]{6}\/([0-9a-f]{32})(?:\.\d+)?\.json$/;

/**
 * Returns how `checkGoldenRecords` would judge the records that were found (decision 10): `remove` if no row refers
 * to the record, `wait` if its job may still publish it, otherwise `listed`.
 */
async function judge(
  { database }: Comparison,
  place: Place,
  page: readonly Found[],
): Promise<('listed' | 'wait' | 'remove')[]> {
  const verdicts = page.map((): 'listed' | 'wait' | 'remove' => 'remove');
  for (const tenantId of place.tenantIds)
    for (const kind of [textRecords, approvalRecords]) {
      const announced = page.map(
        ({ id, address }): AnnouncedRecord => ({ tenant_id: tenantId, job_id: id, golden_uri: address }),
      );
      const judged = await database.inPlatform((tx) => kind.judge(tx, announced));
      for (const [index, verdict] of judged.entries())
        if (verdict === 'listed') verdicts[index] = 'listed';
        else if (verdict !== 'remove' && verdicts[index] === 'remove') verdicts[index] = 'wait';
    }
  return verdicts;
}

/** Finds the files of documents and analyses in a place to which no row refers. */
export async function findUnreferencedFiles(
  comparison: Comparison,
  place: Place,
  tenantId: string,
): Promise<void> {
  const name = place.isAccount ? accountFileName : platformFileName;
  for await (const page of inPages(objectsIn(comparison, place, place.documentsFolder, name))) {
    comparison.stop.throwIfAborted();
    const known = await selectAddresses(comparison, place, page);
    const unreferenced = page.filter(({ address }) => !known.has(address));
    await reportOld(comparison, place, tenantId, unreferenced, {
      what: 'file without a database row',
      inFlight: 'file whose database row may not be stored yet',
      limit: unreferencedFileLimit,
    });
  }
}

/** `<document>.<file>` */
const platformFileName = /^[0-9a-f]{32}\.([0-9a-f]{32})$/;
/** `<document>/translated-<file>.pdf` */
const accountFileName = /^[0-9a-f]{32}\/(?:source|translated)-([0-9a-f]{32})\.\w+$/;

/**
 * Returns those of these URLs or paths that are in rows, or that belong to jobs that failed after their file had been
 * delivered.
 */
async function selectAddresses(
  { database }: Comparison,
  place: Place,
  page: readonly Found[],
): Promise<Set<string>> {
  const rows = await database.inPlatform((tx) =>
    selectFiles(tx, place.tenantIds, (id) =>
      inArray(
        id,
        page.map(({ id }) => id),
      ),
    ),
  );
  const known = new Set(rows.map(fileAddressOf));
  const others = page.map(({ address }) => address).filter((address) => !known.has(address));
  for (const address of await selectDelivered({ database }, place.tenantIds, others)) known.add(address);
  return known;
}

/**
 * Yields the objects in a folder whose names match a pattern; a tenant may keep other objects in its account. If
 * several tenants share a folder, each object is returned only once.
 */
async function* objectsIn(
  { walked }: Comparison,
  place: Place,
  folder: string,
  name: RegExp,
): AsyncGenerator<Found> {
  if (place.isAccount) {
    const address = place.addressOf(folder);
    if (walked.has(address)) return;
    walked.add(address);
  }
  for await (const path of place.store.walk(folder)) {
    const id = name.exec(path.slice(folder.length + 1))?.[1];
    if (id) yield { path, address: place.addressOf(path), id };
  }
}

/**
 * Reports the objects to which no row refers. Recent ones, to which the running service may be about to refer or
 * which it may be about to remove, are reported separately.
 */
async function reportOld(
  comparison: Comparison,
  place: Place,
  tenantId: string,
  objects: readonly Found[],
  { what, inFlight, limit }: { what: Difference; inFlight: Unfinished; limit: number },
): Promise<void> {
  for (const { path, address, id } of objects) {
    const written = await place.store.lastWritten(path);
    // The object has been removed in the meantime.
    if (!written) continue;
    const until = written.getTime() + limit;
    if (until > Date.now()) comparison.report.inFlight(inFlight, 1, until);
    else
      await comparison.report.difference(
        what,
        { tenantId, id, path: address },
        await removeUnreferenced(comparison, place, path),
      );
  }
}
