import type { Snapshot } from '#db/copy/snapshot.ts';
import type { BlobStore, PlatformStore } from '#server/platform/stores/blob-store.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { linesPart } from './format.ts';
import { inWholeLines } from './whole-lines.ts';

/**
 * The days' manifests of all tenants' records. Not the announcements of pending writes: with them, a restored service
 * would remove records from tenants' accounts that the running service has written since.
 */
const manifests = 'golden/manifest';

/** Objects that are read at the same time: a Data Lake responds to each after some milliseconds. */
const concurrentReads = 8;
/** Rows of one query. */
const pageSize = 1000;
/** The number of missing objects that are listed. */
const named = 100;

/** The path of each object in the platform's storage that a row refers to, by table. Addresses in tenants' accounts begin with https. */
const references: Readonly<Record<string, string>> = {
  translation_jobs: `select tenant_id || '/' || golden_uri as path from translation_jobs where golden_uri not like 'https://%'`,
  document_jobs: `select tenant_id || '/' || golden_uri as path from document_jobs where golden_uri not like 'https://%'`,
  document_artifacts: `select tenant_id || '/' || coalesce(address, 'documents/' || document_id || '.' || artifact_id) as path
    from document_artifacts where coalesce(address, '') not like 'https://%'`,
};

interface Added {
  objects: number;
  missing: string[];
  missingCount: number;
}

/**
 * Adds the objects of the snapshot's rows, and the manifests of the records. Missing objects were removed after the
 * snapshot, or lost before, and are counted.
 */
export async function addObjects(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  storage: PlatformStore,
  stop: AbortSignal,
): Promise<Added> {
  const added: Added = { objects: 0, missing: [], missingCount: 0 };
  for (const [table, query] of Object.entries(references)) {
    // A database from before there were documents.
    if (!snapshot.tables.some(({ name }) => name === table)) continue;
    for await (const page of snapshot.pages<{ path: string }>(query, pageSize))
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

/** A line that is being appended now is skipped. */
async function addLines(archive: ArchiveWriter, storage: BlobStore, path: string): Promise<void> {
  const stream = await storage.stream(path);
  if (!stream) return;
  let parts = 0;
  for await (const lines of inWholeLines(stream)) {
    parts += 1;
    await archive.add(linesPart(path, parts), lines);
  }
}
