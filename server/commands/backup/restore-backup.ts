import { z } from 'zod';
import { CannotLoadError, loadDatabase, type Target } from '#db/copy/load.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import { Refusal } from '../refusal.ts';
import { type ReadPart, readParts } from './archive-reader.ts';
import { isAuthentic } from './authentication.ts';
import {
  type Header,
  linesPath,
  type Manifest,
  nameOfTable,
  names,
  objectPath,
  tableName,
} from './format.ts';
import type { RestoredStorage } from './restored-storage.ts';

/** A backup whose digests have been compared and are correct. */
export interface VerifiedBackup {
  file: string;
  header: Header;
  manifest: Manifest;
  /** The key in the backup, in the format of the key file in DATA_DIR. Undefined if the backup has no key. */
  keyFile: string | undefined;
}

/** The empty database and the empty storage into which a backup is restored. */
export interface Destination {
  url: string;
  storage: RestoredStorage;
}

/**
 * Reads the whole file and compares all digests. Call it before anything is written.
 * @throws Refusal that names the damaged or missing part
 */
export async function verifyBackup(file: string, header: Header, stop: AbortSignal): Promise<VerifiedBackup> {
  let manifest: Manifest | undefined;
  let keyFile: string | undefined;
  const take = (found: Manifest) => {
    manifest = found;
  };
  for await (const { name, content } of readParts(file, take)) {
    stop.throwIfAborted();
    if (name === names.key) keyFile = content.toString('utf8');
  }
  if (!manifest) throw new Refusal(`${file} is damaged`);
  return { file, header, manifest, keyFile };
}

/**
 * Rejects a backup that was not authenticated with one of the keys. Someone may have changed it, with its digests.
 * @throws Refusal if the hash in the manifest is from none of the keys
 */
export function refuseForged({ file, manifest }: VerifiedBackup, keys: SecretsKeys): void {
  if (isAuthentic(keys, manifest)) return;
  throw new Refusal(
    `${file} is damaged at ${names.manifest}: the backup was not made with this SECRETS_KEY, or someone has changed it; nothing was restored`,
  );
}

/** The result of a restore. */
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
  { file, header, manifest }: VerifiedBackup,
  target: Target,
  storage: RestoredStorage,
  restored: Restored,
  stop: AbortSignal,
): Promise<void> {
  const tables = new Map(header.tables.map((table) => [tableName(table), table]));
  const parts = new Parts(readParts(file), stop);
  for (let part = await parts.peek(); part; part = await parts.peek()) {
    const name = nameOfTable(part.name) ?? '';
    const table = tables.get(name);
    if (!table) {
      await restoreOther(part, target, storage, restored);
      parts.take();
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
}

async function restoreOther(
  { name, content }: ReadPart,
  target: Target,
  storage: RestoredStorage,
  restored: Restored,
): Promise<void> {
  const object = objectPath(name);
  const lines = linesPath(name);
  if (object !== undefined) await storage.put(object, content);
  // Remove the line break at the end, because the store adds one.
  else if (lines !== undefined)
    await storage.appendLine(lines, content.toString('utf8', 0, content.length - 1));
  else if (name === names.sequences)
    await target.setSequences(sequencesShape.parse(JSON.parse(content.toString())));
  if (object !== undefined || lines !== undefined) restored.objects += 1;
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
