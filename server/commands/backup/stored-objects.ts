import { createHash } from 'node:crypto';
import type { Snapshot } from '#db/copy/snapshot.ts';
import { advance } from '#db/progress.ts';
import type { BlobStore, PlatformStore } from '#server/platform/stores/blob-store.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { type ListedObject, maxWholeBytes, partBytes, piecesPart } from './format.ts';
import { type ListCursor, ListWriter } from './object-list.ts';

/**
 * The folder with the manifests of all tenants' records, a folder for each day. Announcements of pending writes are not in
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
 * Milliseconds that must have passed since the last write of a local object, so that its version is listed. A file
 * system has a coarse clock, and a file server another one: after a recent write, the next one may get the same time.
 */
const settledAfter = 600_000;

/**
 * SQL for the paths of the objects in platform storage to which the rows of each table refer. URLs in tenants'
 * accounts begin with https and are excluded.
 */
const references: Readonly<Record<string, string>> = {
  translation_jobs: `select tenant_id || '/' || golden_uri as path
    from translation_jobs where golden_uri not like 'https://%'`,
  document_jobs: `select tenant_id || '/' || golden_uri as path
    from document_jobs where golden_uri not like 'https://%'`,
  document_artifacts: `select tenant_id || '/' || coalesce(address, 'documents/' || document_id || '.' || artifact_id) as path
    from document_artifacts where coalesce(address, '') not like 'https://%'`,
  analysis_files: `select tenant_id || '/documents/' || analysis_id || '.' || file_id as path
    from analysis_files where is_stored and address is null`,
};

export interface Added {
  /** The number of objects in the list. */
  objects: number;
  /** The number of objects in this file, and their size: for an incremental backup, those that have changed. */
  included: number;
  includedBytes: number;
  missing: string[];
  missingCount: number;
}

/**
 * Adds the objects to which the snapshot's rows refer, and the manifests of the records, sorted by path. Then begins
 * the last section of the file with the list of these objects. A missing object was removed after the snapshot, or
 * lost before. Missing objects are counted.
 * @param former with it, only objects are added whose content differs from their content in the former backups
 * @param position the position of this backup in its chain
 */
export async function addObjects(
  archive: ArchiveWriter,
  snapshot: Snapshot,
  storage: PlatformStore,
  stop: AbortSignal,
  { former, position }: { former: ListCursor | undefined; position: number },
): Promise<Added> {
  const added: Added = { objects: 0, included: 0, includedBytes: 0, missing: [], missingCount: 0 };
  await using spool = await archive.openSpool();
  const list = new ListWriter(spool);
  for await (const paths of inGroups(pathsOf(snapshot, storage))) {
    stop.throwIfAborted();
    advance('comparing the stored objects');
    const wanted: { path: string; before: ListedObject | undefined }[] = [];
    for (const path of paths) wanted.push({ path, before: await former?.find(path) });
    const found = await Promise.all(wanted.map(({ path, before }) => examine(storage, path, before)));
    for (const [at, object] of found.entries()) {
      const path = paths[at] ?? '';
      const listed = object && (await addChanged(archive, storage, path, object, position));
      if (listed) {
        await list.add(listed);
        added.objects += 1;
        if (listed.backup === position) {
          added.included += 1;
          added.includedBytes += listed.bytes;
        }
      } else {
        added.missingCount += 1;
        if (added.missing.length < named) added.missing.push(path);
      }
    }
  }
  stop.throwIfAborted();
  await archive.beginTail();
  await list.addTo(archive);
  return added;
}

/** Yields the paths of all objects of the backup in ascending order, each once. */
async function* pathsOf(snapshot: Snapshot, storage: PlatformStore): AsyncGenerator<string> {
  // They are listed as late as possible, because the lines of jobs in the snapshot may not be written yet.
  let areListed = false;
  for await (const page of snapshot.pages<{ path: string }>(allReferences(snapshot), pageSize))
    for (const { path } of page) {
      if (path > manifests && !areListed) {
        areListed = true;
        yield* pathsOfManifests(storage);
      }
      yield path;
    }
  if (!areListed) yield* pathsOfManifests(storage);
}

/** Yields the paths of the parts of all manifests in ascending order. Only those of one day are in memory. */
async function* pathsOfManifests(storage: PlatformStore): AsyncGenerator<string> {
  const days = await storage.listFolders(manifests);
  const whole = (await storage.list(manifests)).map((name) => name.replace(/\.jsonl$/, ''));
  for (const day of [...new Set([...days, ...whole])].sort()) {
    if (whole.includes(day)) yield `${manifests}/${day}.jsonl`;
    for (const name of (await storage.list(`${manifests}/${day}`)).sort())
      yield `${manifests}/${day}/${name}`;
  }
}

/** PostgreSQL sorts on its disk if there are many rows. The database may be from a version without some tables. */
function allReferences({ tables }: Snapshot): string {
  const queries = Object.entries(references)
    .filter(([table]) => tables.some(({ name }) => name === table))
    .map(([, query]) => query);
  const all = queries.length > 0 ? queries.join(' union ') : `select '' as path where false`;
  return `select path from (${all}) as referenced order by path collate "C"`;
}

async function* inGroups(paths: AsyncIterable<string>): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const path of paths)
    if (group.push(path) >= concurrentReads) {
      yield group;
      group = [];
    }
  if (group.length > 0) yield group;
}

/** An object that is in the list, and its content if it has changed. */
type Examined =
  | { state: 'unchanged'; listed: ListedObject }
  | { state: 'changed'; content: Buffer; version: string | undefined }
  | { state: 'changed and large'; version: string | undefined };

/**
 * Compares an object with the former backup: by the version of the store if that is certain, otherwise by its
 * content.
 * @returns undefined if the object does not exist
 */
async function examine(
  storage: BlobStore,
  path: string,
  before: ListedObject | undefined,
): Promise<Examined | undefined> {
  const raw = await storage.version(path);
  if (raw === null) return undefined;
  const seen = await certain(storage, path, raw);
  if (seen !== undefined && before?.version === seen) return { state: 'unchanged', listed: before };
  const stream = (await storage.stream(path, raw)) ?? (await storage.stream(path));
  const read = stream && (await readSmall(stream));
  if (!read) return undefined;
  const { bytes, sha256, content } = read;
  // If the object was changed or replaced while it was read, the version is not that of the content.
  const version = seen !== undefined && (await storage.version(path)) === raw ? seen : undefined;
  if (before?.bytes === bytes && before.sha256 === sha256) {
    const { version: _, ...listed } = before;
    return { state: 'unchanged', listed: { ...listed, ...(version !== undefined && { version }) } };
  }
  if (!content) return { state: 'changed and large', version };
  return { state: 'changed', content, version };
}

/**
 * Returns a digest of an object's version. Undefined if the object was written so recently that the next write might
 * not change its version.
 */
async function certain(storage: BlobStore, path: string, version: string): Promise<string | undefined> {
  if (storage.isLocal) {
    const written = await storage.lastWritten(path);
    if (!written || written.getTime() > Date.now() - settledAfter) return undefined;
  }
  return createHash('sha256').update(version).digest('base64url').slice(0, 16);
}

interface Content {
  bytes: number;
  sha256: string;
  /** Undefined if the object is large. */
  content: Buffer | undefined;
}

/** Reads an object to its end. */
async function readSmall(stream: AsyncIterable<Uint8Array>): Promise<Content> {
  const hash = createHash('sha256');
  let kept: Uint8Array[] | undefined = [];
  let bytes = 0;
  for await (const piece of stream) {
    hash.update(piece);
    bytes += piece.length;
    advance('reading the stored objects', piece.length);
    if (bytes > maxWholeBytes) kept = undefined;
    kept?.push(piece);
  }
  return { bytes, sha256: hash.digest('hex'), content: kept && Buffer.concat(kept, bytes) };
}

/**
 * Adds the object if it has changed.
 * @returns its line in the list; undefined if the object has been removed in the meantime
 */
async function addChanged(
  archive: ArchiveWriter,
  storage: BlobStore,
  path: string,
  object: Examined,
  position: number,
): Promise<ListedObject | undefined> {
  if (object.state === 'unchanged') return object.listed;
  const hash = createHash('sha256');
  let bytes = 0;
  if (object.state === 'changed') {
    hash.update(object.content);
    bytes = object.content.length;
    await archive.add(`objects/${path}`, object.content);
  } else {
    // Read it again, piece by piece: this content is what the list describes.
    const stream = await storage.stream(path);
    if (!stream) return undefined;
    let parts = 0;
    for await (const piece of inPieces(stream)) {
      parts += 1;
      hash.update(piece);
      bytes += piece.length;
      await archive.add(piecesPart(path, parts), piece);
    }
    if (parts === 0) await archive.add(`objects/${path}`, '');
  }
  const listed = { path, bytes, sha256: hash.digest('hex'), backup: position };
  return object.version === undefined ? listed : { ...listed, version: object.version };
}

async function* inPieces(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    kept.push(piece);
    size += piece.length;
    if (size < partBytes) continue;
    yield Buffer.concat(kept, size);
    kept = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(kept, size);
}
