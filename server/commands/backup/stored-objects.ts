import type { Snapshot } from '#db/copy/snapshot.ts';
import type { BlobStore, PlatformStore } from '#server/platform/stores/blob-store.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { linesPart } from './format.ts';
import { inWholeLines } from './whole-lines.ts';

/**
 * The folder with the manifests of all tenants' records, one for each day. Announcements of pending writes are not in
 * the backup: with them, a restored service would remove records in tenants' accounts that the original service has
 * written since the backup.
 */
const manifests = 'golden/manifest';

/** Maximum objects that are read at the same time, because a Data Lake needs some milliseconds for each response. */
const concurrentReads = 8;
/** Maximum rows of one query. */
const pageSize = 1000;
/** Maximum missing objects that are listed. */
const named = 100;

/**
 * SQL for the files with the golden records to which the rows of a table refer. A pack has many records; it is copied up
 * to the end of the last of them, because a later one belongs to a job that is not in the snapshot.
 */
const recordsOf = (table: string) => `
  select tenant_id || '/' || (place)[1] as path, max((place)[2]::bigint + (place)[3]::bigint) as bytes
  from (select tenant_id, coalesce(regexp_match(golden_uri, '^(.+\\.jsonl\\.gz)/(\\d+)-(\\d+)/[^/]+$'), array[golden_uri]) as place
    from ${table} where golden_uri not like 'https://%') located
  group by 1`;

/**
 * SQL for the paths of the objects in platform storage to which the rows of each table refer, and for the number of
 * bytes that are copied (null for all). URLs in tenants' accounts begin with https and are excluded.
 */
const references: Readonly<Record<string, string>> = {
  translation_jobs: recordsOf('translation_jobs'),
  document_jobs: recordsOf('document_jobs'),
  document_artifacts: `select tenant_id || '/' || coalesce(address, 'documents/' || document_id || '.' || artifact_id) as path,
      null as bytes
    from document_artifacts where coalesce(address, '') not like 'https://%'`,
};

interface Added {
  objects: number;
  missing: string[];
  missingCount: number;
}

/**
 * Adds the objects to which the snapshot's rows refer, and the manifests of the records. A missing object was removed
 * after the snapshot, or lost before. Missing objects are counted.
 */
export async function addObjects(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  storage: PlatformStore,
  stop: AbortSignal,
): Promise<Added> {
  const added: Added = { objects: 0, missing: [], missingCount: 0 };
  for (const [table, query] of Object.entries(references)) {
    // The database is from a version of the service without documents.
    if (!snapshot.tables.some(({ name }) => name === table)) continue;
    for await (const page of snapshot.pages<{ path: string; bytes: string | null }>(query, pageSize))
      for (let from = 0; from < page.length; from += concurrentReads) {
        stop.throwIfAborted();
        const paths = page.slice(from, from + concurrentReads).map(({ path }) => path);
        const contents = await Promise.all(paths.map((path) => readWhole(storage, path)));
        for (const [at, content] of contents.entries())
          if (content) {
            await archive.add(`objects/${paths[at]}`, content);
            added.objects += 1;
          } else {
            added.missingCount += 1;
            if (added.missing.length < named) added.missing.push(paths[at] ?? '');
          }
      }
  }
  for await (const path of storage.walk(manifests)) {
    stop.throwIfAborted();
    await addLines(archive, storage, path);
    added.objects += 1;
  }
  return added;
}

async function readWhole(storage: BlobStore, path: string): Promise<Buffer | undefined> {
  const stream = await storage.stream(path);
  if (!stream) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Adds a text object. A last line that is just being written is skipped. */
async function addLines(archive: ArchiveWriter, storage: BlobStore, path: string): Promise<void> {
  const stream = await storage.stream(path);
  if (!stream) return;
  let parts = 0;
  for await (const lines of inWholeLines(stream)) {
    parts += 1;
    await archive.add(linesPart(path, parts), lines);
  }
}
