import { randomBytes } from 'node:crypto';
import {
  appendFile,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Settings, SettingsError } from '#server/settings.ts';

/**
 * Stores published records and files. Paths are relative, with `/` between their parts; a tenant's begin with its id.
 */
export interface ObjectStore {
  /** Writes an object completely or not at all; replaces an existing one. */
  put(path: string, bytes: Uint8Array | string): Promise<void>;
  /** Appends a line to a text object; creates the object if it does not exist. */
  appendLine(path: string, line: string): Promise<void>;
  /** Reads up to `most` bytes of an object, starting at byte `from`; null if there is no such object. */
  read(path: string, from: number, most: number): Promise<Uint8Array | null>;
  /** The names of the objects directly in a folder. */
  list(folder: string): Promise<string[]>;
  /** The first parts of all paths: the ids of tenants, and the platform's own folders. */
  listTop(): Promise<string[]>;
  /** When an object was last written; null if there is no such object. */
  lastWritten(path: string): Promise<Date | null>;
  /** Removes an object. Returns whether it existed. */
  remove(path: string): Promise<boolean>;
  /**
   * The time from which objects may be missing or damaged, because the system under the store stopped suddenly (a power cut);
   * null if all objects are intact.
   */
  doubtfulSince(): Promise<Date | null>;
  /** Declares all doubtful objects as checked, and rewritten where needed. */
  settleDoubt(): Promise<void>;
  /** Removes the remains of interrupted writes. */
  tidy(): Promise<void>;
}

/**
 * Opens the platform's store: the folder of PLATFORM_STORAGE_URL, or `storage` under DATA_DIR.
 *
 * @throws {SettingsError} for an address that is not a folder
 */
export function openObjectStore({ PLATFORM_STORAGE_URL: url, DATA_DIR }: Settings): ObjectStore {
  if (url === undefined) return openFolder(join(DATA_DIR, 'storage'));
  if (new URL(url).protocol !== 'file:')
    throw new SettingsError('PLATFORM_STORAGE_URL: only file: addresses are supported so far');
  return openFolder(fileURLToPath(url));
}

/** Milliseconds after which an unfinished write counts as interrupted. */
const interruptedAfter = 3_600_000;

/** Opens a store in a folder of the file system, readable only by its owner. Several processes may share it. */
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

  /** Writes, and retries once if the folder was removed meanwhile. */
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
      const entries = await ifExists(readdir(resolveInside(folder, path), { withFileTypes: true }));
      return (entries ?? []).filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    async listTop() {
      const entries = await ifExists(readdir(folder, { withFileTypes: true }));
      return (entries ?? [])
        .filter((entry) => entry.isDirectory() && /^[\w-]+$/.test(entry.name))
        .map(({ name }) => name);
    },
    async lastWritten(path) {
      return (await ifExists(stat(resolveInside(folder, path))))?.mtime ?? null;
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
      await removeInterrupted(incoming);
      if (await system.isTidied()) return;
      // Earlier versions wrote temporary files next to the object, in the tenant's folder of records.
      for (const tenant of await namesIn(folder)) await removeInterrupted(join(folder, tenant, 'golden'));
      await system.setTidied();
    },
  };
}

/**
 * Writes a temporary file in a folder of its own, then renames it: a crash leaves the old object, the new one, or a temporary
 * file that `tidy` removes, never half an object. The file is not flushed to the disk, which every job would have to wait
 * for (decision 36): after a power cut the newest objects are doubtful.
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

/** Removes the temporary files of interrupted writes in a folder. */
async function removeInterrupted(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    if (!name.endsWith('.tmp')) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && Date.now() - found.mtimeMs > interruptedAfter) await rm(file, { force: true });
  }
}

/** The names in a folder; none if it does not exist. */
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
 * Appends lines to files, one write at a time for each file. Lines that arrive during a write are written together by the
 * next one.
 */
function lineAppender() {
  interface Queue {
    lines: string[];
    writing: Promise<void>;
    /** The write that will take the waiting lines; unset if there are none. */
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

/** Null if a file or folder does not exist. */
async function ifExists<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function resolveInside(folder: string, path: string): string {
  if (!/^[\w-]+(\/[\w.-]+)+$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part)))
    throw new Error('not a path of the store');
  return join(folder, path);
}

/** What is recorded in the folder about the system under it. */
interface State {
  /** When that system booted, in milliseconds since the epoch, as far as it knows. */
  booted: number;
  /** ISO 8601: see `ObjectStore.doubtfulSince`. */
  doubtfulSince: string | null;
  /** Whether the temporary files of earlier versions have been removed. */
  tidied: boolean;
}

/** Milliseconds by which two readings of one boot time may differ, because clocks are adjusted. */
const sameStart = 120_000;
/** Milliseconds for which a written file may stay in the system's memory, with a wide margin: Linux flushes after 30 s. */
const unwritten = 15 * 60_000;
/** Milliseconds between two records that the store is in use. */
const noteEvery = 60_000;

/**
 * Detects whether the system under a folder was rebooted since the folder was last written to: writes that were still in its
 * memory, and not yet on the disk, may be lost. The end of a process alone loses nothing. The modification time of the state
 * file records when the store was last in use.
 */
function trackUnflushedWrites(folder: string) {
  const file = join(folder, '.state.json');
  const booted = Date.now() - uptime() * 1000;
  let noted = 0;
  let looking: Promise<void> | undefined;

  /** The state, and when its file was modified; both of one open file, since another process may replace it at any time. */
  const read = async (): Promise<{ state: State; changed: number } | undefined> => {
    try {
      await using opened = await open(file);
      const { mtimeMs } = await opened.stat();
      return { state: JSON.parse(await opened.readFile('utf8')) as State, changed: mtimeMs };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError)
        return undefined;
      throw error;
    }
  };
  const write = async (state: State) => {
    const temporary = `${file}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
      await rename(temporary, file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  };

  const look = async () => {
    const found = await read();
    if (!found) return write({ booted, doubtfulSince: null, tidied: false });
    const { state, changed } = found;
    if (Math.abs(state.booted - booted) <= sameStart) return;
    const before = state.doubtfulSince ? Date.parse(state.doubtfulSince) : Number.POSITIVE_INFINITY;
    const since = new Date(Math.min(before, changed - unwritten)).toISOString();
    await write({ booted, doubtfulSince: since, tidied: state.tidied });
  };
  /** Checks once for each process, and again if the store was unreachable. */
  const looked = () => {
    looking ??= look().catch((error: unknown) => {
      looking = undefined;
      throw error;
    });
    return looking;
  };
  const change = async (changed: Partial<State>) => {
    const found = await read();
    await write({ booted, doubtfulSince: null, tidied: false, ...found?.state, ...changed });
  };

  return {
    /** Call this before each write. */
    async writing(): Promise<void> {
      if (Date.now() - noted < noteEvery) return;
      await looked();
      noted = Date.now();
      await utimes(file, new Date(), new Date()).catch(() => {});
    },
    async doubtfulSince(): Promise<Date | null> {
      const known = await read();
      // Nothing has been written yet.
      if (!known) return null;
      await looked();
      const since = (await read())?.state.doubtfulSince;
      return since ? new Date(since) : null;
    },
    settleDoubt: () => change({ doubtfulSince: null }),
    async isTidied(): Promise<boolean> {
      const found = await read();
      return !found || found.state.tidied;
    },
    setTidied: () => change({ tidied: true }),
  };
}
