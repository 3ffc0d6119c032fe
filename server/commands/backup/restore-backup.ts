import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CannotLoadError, loadDatabase, type Target } from '#db/copy/load.ts';
import { advance, untilStalled } from '#db/progress.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import type { Settings } from '#server/settings.ts';
import { identityPath } from '#server/storage/store-identity.ts';
import { Refusal } from '../refusal.ts';
import { compareFile, DamagedError, type ReadPart, readParts, requireEnd } from './archive-reader.ts';
import { hasKeyOf, isAuthentic } from './authentication.ts';
import type { Chain } from './chain.ts';
import { type Header, type Manifest, nameOfTable, names, tableName } from './format.ts';
import { ObjectReader, type StoredObject } from './object-list.ts';
import type { RestoredStorage } from './restored-storage.ts';

/** A chain of backups whose digests have been compared and are correct. A full backup alone is a chain, too. */
export interface VerifiedBackup {
  /** The files in their order. */
  files: string[];
  /** The last file. */
  file: string;
  /** The header of the last file. */
  header: Header;
  /** The manifest of the last file. */
  manifest: Manifest;
  /** The key in the last file, in the format of the key file in DATA_DIR. Undefined if the file has no key. */
  keyFile: string | undefined;
  /** The number of bytes of all objects that a restore writes. */
  objectBytes: number;
}

/** The empty database and the empty storage into which a backup is restored. */
export interface Destination {
  /** The URL with the role that owns the tables. */
  url: string;
  /** The role with which the service runs, if it is not the owner. */
  service: string | undefined;
  storage: RestoredStorage;
}

/**
 * Reads all files of the chain and compares all digests. Call it before anything is written.
 * @throws Refusal that names the damaged or missing part
 * @throws StalledError after a minute without progress
 */
export function verifyBackup(chain: Chain, stop: AbortSignal): Promise<VerifiedBackup> {
  return untilStalled(readChain(chain, stop), stop, () => {});
}

async function readChain({ headers, last }: Chain, stop: AbortSignal): Promise<VerifiedBackup> {
  const { file, header } = last;
  const verified = { keyFile: undefined as string | undefined, objects: 0, objectBytes: 0 };
  let manifest: Manifest | undefined;
  for (const [at, one] of headers.entries()) {
    await requireEnd(one.file);
    const rows = new RowCheck(one.file, one.header);
    const objects = new ObjectReader(file, at, one.file);
    const drop = async () => {};
    const take = (found: Manifest) => {
      rows.compare(found);
      manifest = found;
    };
    for await (const part of readParts(one.file, take)) {
      stop.throwIfAborted();
      if (part.name === names.key) verified.keyFile = part.content.toString('utf8');
      rows.add(part);
      await objects.add(part, drop);
    }
    await objects.end(drop);
    await compareFile(one.file);
    verified.objects += objects.count;
    verified.objectBytes += objects.bytes;
  }
  if (!manifest) throw new Refusal(`${file} is damaged`);
  if (verified.objects !== manifest.objects)
    throw new DamagedError(
      file,
      'the list of objects',
      `it has ${verified.objects} of ${manifest.objects} objects`,
    );
  const { keyFile, objectBytes } = verified;
  return { files: headers.map((one) => one.file), file, header, manifest, keyFile, objectBytes };
}

/**
 * Rejects a backup that was not authenticated with one of the keys. Someone may have changed it, with its digests.
 * @throws Refusal if the hash in the manifest is from none of the keys
 */
export function refuseForged({ file, manifest }: VerifiedBackup, keys: SecretsKeys): void {
  if (isAuthentic(keys, manifest)) return;
  throw new DamagedError(
    file,
    names.manifest,
    'the backup was not made with this SECRETS_KEY, or someone has changed it',
  );
}

/**
 * Rejects a backup that was not authenticated with the given keys, unless the operator confirms that the key is lost.
 */
export function refuseUnauthentic(
  settings: Settings,
  backup: VerifiedBackup,
  given: SecretsKeys | undefined,
): void {
  const keys = given ?? includedKeys(backup);
  if (keys && hasKeyOf(keys, backup.header)) refuseForged(backup, keys);
  else if (!settings.ALLOW_UNREADABLE_SECRETS)
    throw new DamagedError(backup.file, names.key, 'the key of the backup is not in it');
}

function includedKeys({ keyFile }: VerifiedBackup): SecretsKeys | undefined {
  return keyFile === undefined ? undefined : { current: Buffer.from(keyFile, 'base64'), previous: null };
}

export interface Restored {
  rows: number;
  objects: number;
  /** Tables in the backup that do not belong to the service. They were skipped. */
  skipped: string[];
}

/**
 * Restores rows and objects, in the order of the file. All rows are restored in one transaction. If the transaction
 * is not committed, the written objects are removed.
 * @throws Refusal, InDoubtError
 */
export async function restoreBackup(
  backup: VerifiedBackup,
  { url, storage }: Destination,
  stop: AbortSignal,
): Promise<Restored> {
  const restored: Restored = { rows: 0, objects: 0, skipped: [] };
  let hasBegun = false;
  try {
    await loadDatabase(url, {
      version: backup.header.schema,
      stop,
      async fill(target) {
        await storage.begin();
        hasBegun = true;
        await restoreParts(backup, target, storage, restored, stop);
      },
      async undo() {
        if (hasBegun) await storage.removeAll();
      },
    });
    return restored;
  } catch (error) {
    if (error instanceof CannotLoadError) throw new Refusal(error.message, { cause: error });
    throw error;
  }
}

async function restoreParts(
  backup: VerifiedBackup,
  target: Target,
  storage: RestoredStorage,
  restored: Restored,
  stop: AbortSignal,
): Promise<void> {
  const restore = (object: StoredObject) => restoreObject(object, storage);
  for (const [at, file] of backup.files.slice(0, -1).entries()) {
    const objects = new ObjectReader(backup.file, at, file);
    for await (const part of readParts(file)) {
      stop.throwIfAborted();
      await objects.add(part, restore);
    }
    await objects.end(restore);
    restored.objects += objects.count;
  }
  await restoreLast(backup, target, storage, restored, stop);
}

const identityTable = { schema: 'public', name: 'store_identity', columns: ['singleton', 'store_id'] };

/**
 * The tables that are not restored. The places that readers have got since the backup would name other events in the
 * restored database; without their feeds, these readers get an error. The identity of the storage is a new one.
 */
const notRestored: ReadonlySet<string> = new Set(['public.event_feeds', tableName(identityTable)]);

/**
 * Gives the restored database and its storage a new ID: a restored deployment is a new one, and must never use the
 * storage of the other one. Backups of versions without this table get theirs at the first start.
 */
async function identify(target: Target, storage: RestoredStorage): Promise<void> {
  if (!target.has(identityTable)) return;
  const id = randomUUID();
  await storage.put(identityPath, Buffer.from(id));
  await target.copyIn(identityTable, Readable.from([Buffer.from(`t\t${id}\n`)]));
}

async function restoreLast(
  backup: VerifiedBackup,
  target: Target,
  storage: RestoredStorage,
  restored: Restored,
  stop: AbortSignal,
): Promise<void> {
  const { files, file, header, manifest } = backup;
  const restore = (object: StoredObject) => restoreObject(object, storage);
  const objects = new ObjectReader(file, files.length - 1, file);
  const tables = new Map(header.tables.map((table) => [tableName(table), table]));
  const parts = new Parts(readParts(file), stop);
  for (let part = await parts.peek(); part; part = await parts.peek()) {
    const name = nameOfTable(part.name) ?? '';
    const table = tables.get(name);
    if (!table) {
      if (part.name === names.sequences)
        await target.setSequences(sequencesShape.parse(JSON.parse(part.content.toString())));
      await objects.add(part, restore);
      parts.take();
    } else if (notRestored.has(name)) {
      for await (const _rows of parts.ofTable(name));
    } else if (target.has(table)) {
      const rows = await target.copyIn(table, parts.ofTable(name));
      if (rows !== manifest.rows[name])
        throw new Error(`${name}: ${rows} rows were restored, but the backup has ${manifest.rows[name]}`);
      restored.rows += rows;
    } else {
      restored.skipped.push(name);
      for await (const _rows of parts.ofTable(name));
    }
  }
  await objects.end(restore);
  restored.objects += objects.count;
  await identify(target, storage);
}

async function restoreObject({ path, content }: StoredObject, storage: RestoredStorage): Promise<void> {
  await storage.put(path, content);
  advance('writing the stored objects', content.length);
}

const sequencesShape = z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() }));

/** Reads parts one after the other. The next part can be read in advance, without removing it. */
class Parts {
  readonly #parts: AsyncGenerator<ReadPart>;
  readonly #stop: AbortSignal;
  #next: ReadPart | undefined;

  constructor(parts: AsyncGenerator<ReadPart>, stop: AbortSignal) {
    this.#parts = parts;
    this.#stop = stop;
  }

  async peek(): Promise<ReadPart | undefined> {
    this.#stop.throwIfAborted();
    this.#next ??= (await this.#parts.next()).value ?? undefined;
    return this.#next;
  }

  take(): void {
    this.#next = undefined;
  }

  /** Yields the rows in the next parts, as long as these belong to the table. */
  async *ofTable(name: string): AsyncGenerator<Buffer> {
    for (let part = await this.peek(); part && nameOfTable(part.name) === name; part = await this.peek()) {
      this.take();
      yield part.content;
    }
  }
}

const newline = 10;
const tab = 9;

/**
 * Checks without a server that the rows of a backup are complete and readable: that each table has the number
 * of rows in the manifest, and that each row has as many fields as the table has columns.
 */
class RowCheck {
  readonly #file: string;
  readonly #columns: Map<string, number>;
  readonly #rows = new Map<string, number>();
  #hasSequences = false;

  constructor(file: string, { tables }: Header) {
    this.#file = file;
    this.#columns = new Map(tables.map((table) => [tableName(table), Math.max(1, table.columns.length)]));
  }

  add({ name, content }: ReadPart): void {
    if (name === names.sequences) this.#hasSequences = true;
    const table = nameOfTable(name);
    if (table === undefined) return;
    const columns = this.#columns.get(table);
    if (columns === undefined) throw new DamagedError(this.#file, name, 'the header has no such table');
    let rows = 0;
    for (let from = 0; from < content.length; rows += 1) {
      const end = content.indexOf(newline, from);
      if (end < 0 || fieldsOf(content.subarray(from, end)) !== columns)
        throw new DamagedError(this.#file, name, `row ${rows + 1} does not have ${columns} fields`);
      from = end + 1;
    }
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows);
  }

  /** Call this after the last part. @throws DamagedError if rows are missing */
  compare({ rows }: Manifest): void {
    for (const table of this.#columns.keys()) {
      const found = this.#rows.get(table) ?? 0;
      if (found !== rows[table])
        throw new DamagedError(
          this.#file,
          `database/${table}`,
          `it has ${found} rows, but should have ${rows[table] ?? 0}`,
        );
    }
    if (!this.#hasSequences) throw new DamagedError(this.#file, names.sequences, 'it is missing');
  }
}

/** COPY writes a tab in a value as `\t`, so each tab separates two fields. */
function fieldsOf(row: Buffer): number {
  let fields = 1;
  for (let at = row.indexOf(tab); at >= 0; at = row.indexOf(tab, at + 1)) fields += 1;
  return fields;
}
