import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, opendir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';
import { trackUnflushedWrites } from './unflushed-writes.ts';

/** Milliseconds after which a write that has not ended never will. */
const brokenOffAfter = 3_600_000;

/** A store in a folder of the file system, readable by its owner alone. Many processes may share it. */
export function openFolder(folder: string): ObjectStore {
  const made = new Set<string>();
  const append = lineAppender();
  const system = trackUnflushedWrites(folder);
  const incoming = join(folder, '.incoming');

  const place = async (path: string): Promise<string> => {
    const file = resolveInside(folder, path);
    for (const parent of [dirname(file), incoming])
      if (!made.has(parent)) {
        await mkdir(parent, { recursive: true, mode: 0o700 });
        // Bounded: one entry for each folder this process has written to.
        if (made.size > 10_000) made.clear();
        made.add(parent);
      }
    await system.writing();
    return file;
  };

  /** Writes, and once more where somebody removed the folder since it was made. */
  const inPlace = async (path: string, write: (file: string) => Promise<void>): Promise<void> => {
    const file = await place(path);
    await write(file).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      made.delete(dirname(file));
      made.delete(incoming);
      await write(await place(path));
    });
  };

  return {
    put: (path, bytes) => inPlace(path, (file) => writeWhole(incoming, file, bytes)),
    appendLine: (path, line) => inPlace(path, (file) => append(file, line)),
    async read(path, from, most) {
      try {
        await using file = await open(resolveInside(folder, path));
        const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, from);
        return buffer.subarray(0, bytesRead);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async list(path) {
      try {
        const entries = await readdir(resolveInside(folder, path), { withFileTypes: true });
        return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    },
    async remove(path) {
      try {
        await rm(resolveInside(folder, path));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    },
    doubtfulSince: system.doubtfulSince,
    settleDoubt: system.settleDoubt,
    async tidy() {
      await removeBrokenOff(incoming);
      if (await system.isTidied()) return;
      // Former versions wrote beside the object, in a tenant's one folder of records.
      for (const tenant of await namesIn(folder)) await removeBrokenOff(join(folder, tenant, 'golden'));
      await system.setTidied();
    },
  };
}

/**
 * Under another name first, in a folder of its own: a crash leaves the old object, the new one, or a temporary file that `tidy` removes, never a
 * half. Not forced to the disk, which would have every job wait for it (decision 36): after a power cut the newest objects are doubtful.
 */
async function writeWhole(incoming: string, file: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = join(incoming, `${randomBytes(12).toString('hex')}.tmp`);
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Removes the temporary files in a folder that nobody can be writing any more. */
async function removeBrokenOff(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.tmp')) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && Date.now() - found.mtimeMs > brokenOffAfter) await rm(file, { force: true });
  }
}

/** The names in a folder; none where there is no such folder. */
async function namesIn(folder: string): Promise<string[]> {
  const names: string[] = [];
  try {
    // One after the other: a tenant's folder may hold millions.
    for await (const { name } of await opendir(folder)) if (!name.endsWith('.json')) names.push(name);
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return names;
}

/**
 * Appends lines to files, one write at a time for each file: what comes while a write is under way goes with the
 * next one, so that many writers cost few writes.
 */
function lineAppender() {
  interface Queue {
    lines: string[];
    writing: Promise<void>;
    /** The write that takes the lines that wait; unset where none wait. */
    next: Promise<void> | undefined;
  }
  const queues = new Map<string, Queue>();
  return (file: string, line: string): Promise<void> => {
    const queue = queues.get(file) ?? { lines: [], writing: Promise.resolve(), next: undefined };
    queues.set(file, queue);
    queue.lines.push(line);
    queue.next ??= queue.writing
      .catch(() => {})
      .then(() => {
        const lines = queue.lines.splice(0);
        queue.next = undefined;
        queue.writing = appendFile(file, lines.map((text) => `${text}\n`).join(''), { mode: 0o600 }).finally(
          () => {
            if (queue.next === undefined) queues.delete(file);
          },
        );
        return queue.writing;
      });
    return queue.next;
  };
}

function resolveInside(folder: string, path: string): string {
  if (!/^[\w-]+(\/[\w.-]+)+$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part)))
    throw new Error('not a path of the store');
  return join(folder, path);
}

/**
 * Where published records and files rest. Paths are relative, with `/` between their parts: what is a tenant's
 * begins with its id.
 */
export interface ObjectStore {
  /** Writes a whole object, or nothing of it; replaces what stood there. */
  put(path: string, bytes: Uint8Array | string): Promise<void>;
  /** Adds a line to a text object, and makes the object if it is not there. */
  appendLine(path: string, line: string): Promise<void>;
  /** Reads up to `most` bytes of an object, from the byte `from` on; null where there is no such object. */
  read(path: string, from: number, most: number): Promise<Uint8Array | null>;
  /** The names of the objects in a folder, without those in folders below it. */
  list(folder: string): Promise<string[]>;
  /** Answers whether there was anything to remove. */
  remove(path: string): Promise<boolean>;
  /**
   * Since when objects that were put may be missing or damaged, because the system under the store ended without a word (a power cut);
   * null where every object is as it was put.
   */
  doubtfulSince(): Promise<Date | null>;
  /** Says that what was doubtful has been looked through, and put again where it had to be. */
  settleDoubt(): Promise<void>;
  /** Removes what broken-off writes have left. */
  tidy(): Promise<void>;
}

/**
 * The platform's own store: the folder of PLATFORM_STORAGE_URL, or `storage` under DATA_DIR.
 * @throws SettingsError for an address that is no folder
 */
export function openObjectStore({ PLATFORM_STORAGE_URL: url, DATA_DIR }: Settings): ObjectStore {
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  if (new URL(url).protocol !== 'file:')
    throw new SettingsError('PLATFORM_STORAGE_URL: only file: addresses are supported so far');
  return openFolder(fileURLToPath(url));
}
