import { and, inArray } from 'drizzle-orm';
import { documentArtifacts } from '#db/schema/documents.ts';
import { approvalRecords } from '#server/translation/documents/approval-record.ts';
import { selectDelivered, unreferencedFileLimit } from '#server/translation/documents/unreferenced-files.ts';
import type { Announcement } from '#server/translation/records/golden-records.ts';
import { textRecords } from '#server/translation/texts/recorded-jobs.ts';
import { type Comparison, inPages, recordLimit } from './comparison.ts';
import { addressOf as fileAddressOf } from './files.ts';
import type { Place } from './places.ts';
import type { Difference, Unfinished } from './report.ts';

/** An object whose name has one of our forms. */
interface Found {
  path: string;
  /** In the form that a row would have. */
  address: string;
  /** The job of a record, or the id of a file. */
  id: string;
}

/** Finds the golden records in a place that no row refers to. */
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
    report.inFlight('record whose row may follow', waiting, Date.now() + limit);
    const unreferenced = page.filter((_, index) => verdicts[index] === 'remove');
    const meaning = { what: 'record without a row', inFlight: 'record whose row may follow' } as const;
    await reportOld(comparison, place, tenantId, unreferenced, { ...meaning, limit });
  }
}

/** `<6 digits>/<job>.json`, of a later attempt `<job>.2.json`; earlier versions had no folders. */
const recordName = /^(?:[0-9a-f]{6}\/)?([0-9a-f]{32})(?:\.\d+)?\.json$/;

/**
 * The result that `checkGoldenRecords` would have for found records (decision 36): an unreferenced one will be
 * removed, and one whose job may still publish it waits.
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
        ({ id, address }): Announcement => ({ tenant_id: tenantId, job_id: id, golden_uri: address }),
      );
      const judged = await database.inPlatform((tx) => kind.judge(tx, announced));
      for (const [index, verdict] of judged.entries())
        if (verdict === 'listed') verdicts[index] = 'listed';
        else if (verdict !== 'remove' && verdicts[index] === 'remove') verdicts[index] = 'wait';
    }
  return verdicts;
}

/** Finds the files of documents in a place that have no row. */
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
      what: 'file without a row',
      inFlight: 'file whose row may follow',
      limit: unreferencedFileLimit,
    });
  }
}

/** `<document>.<file>` */
const platformFileName = /^[0-9a-f]{32}\.([0-9a-f]{32})$/;
/** `<document>/translated-<file>.pdf` */
const accountFileName = /^[0-9a-f]{32}\/(?:source|translated)-([0-9a-f]{32})\.\w+$/;

/** Those of these addresses that are in rows, or belong to jobs that failed after their file was delivered. */
async function selectAddresses(
  { database }: Comparison,
  place: Place,
  page: readonly Found[],
): Promise<Set<string>> {
  const rows = await database.inPlatform((tx) =>
    tx
      .select()
      .from(documentArtifacts)
      .where(
        and(
          inArray(documentArtifacts.tenantId, [...place.tenantIds]),
          inArray(
            documentArtifacts.artifactId,
            page.map(({ id }) => id),
          ),
        ),
      ),
  );
  const known = new Set(rows.map(fileAddressOf));
  const others = page.map(({ address }) => address).filter((address) => !known.has(address));
  for (const address of await selectDelivered({ database }, place.tenantIds, others)) known.add(address);
  return known;
}

/**
 * The objects of a folder whose names have a given form; a tenant may keep other objects in its account. If several
 * tenants share a folder, each object is returned once.
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
 * Reports objects without a row; objects that the running service may be about to refer to, or to remove, are
 * reported separately.
 */
async function reportOld(
  { report }: Comparison,
  { store }: Place,
  tenantId: string,
  objects: readonly Found[],
  { what, inFlight, limit }: { what: Difference; inFlight: Unfinished; limit: number },
): Promise<void> {
  for (const { path, address, id } of objects) {
    const written = await store.lastWritten(path);
    // It was removed since.
    if (!written) continue;
    const until = written.getTime() + limit;
    if (until > Date.now()) report.inFlight(inFlight, 1, until);
    else await report.difference(what, { tenantId, id, path: address });
  }
}
