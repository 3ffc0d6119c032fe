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

/** A complete backup. */
export interface VerifiedBackup {
  file: string;
  header: Header;
  manifest: Manifest;
  /** The key in it, as the file of DATA_DIR has it. */
  keyFile: string | undefined;
}

/** The target of a restore; both are empty. */
export interface Destination {
  url: string;
  storage: RestoredStorage;
}

/**
 * Reads the whole file and compares every digest, before anything is written.
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
 * @throws Refusal if none of the keys made the backup's authentication: someone may have changed it, digests included
 */
export function refuseForged({ file, manifest }: VerifiedBackup, keys: SecretsKeys): void {
  if (isAuthentic(keys, manifest)) return;
  throw new Refusal(
    `${file} is damaged at ${names.manifest}: it was not made with the key of stored secrets; nothing was restored`,
  );
}

/** The result of a restore. */
export interface Restored {
  rows: number;
  objects: number;
  /** Tables that do not belong to the service, and were skipped. */
  skipped: string[];
}

/**
 * Restores rows and objects, in the order of the file, in one transaction of the database. If it is not committed,
 * the written objects are removed.
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
  // The store ends it with a line break.
  else if (lines !== undefined)
    await storage.appendLine(lines, content.toString('utf8', 0, content.length - 1));
  else if (name === names.sequences)
    await target.setSequences(sequencesShape.parse(JSON.parse(content.toString())));
  if (object !== undefined || lines !== undefined) restored.objects += 1;
}

const sequencesShape = z.array(z.object({ name: z.string(), value: z.string(), isCalled: z.boolean() }));

/** Reads the parts one after the other, and can read the next one ahead. */
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

  /** The rows of a table's next parts. */
  async *ofTable(name: string): AsyncGenerator<Buffer> {
    for (let part = await this.peek(); part && nameOfTable(part.name) === name; part = await this.peek()) {
      this.take();
      yield part.content;
    }
  }
}
