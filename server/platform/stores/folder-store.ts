import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import {
  access,
  constants,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PlatformStore } from './blob-store.ts';
import { checkedFolder, checkedPath, isFolderName, linesInParts, releasedStream } from './blob-store.ts';
import { writeSmall } from './folder/small-writes.ts';

/** Milliseconds after which a write that has not been completed counts as interrupted. */
const interruptedAfter = 3_600_000;

/** Minimum free bytes of the disk. With fewer, a write of the largest upload would probably fail. */
const minFreeBytes = 32 * 1024 * 1024;

/**
 * Maximum size of a text that is written together with others in a batch. Each text of a batch waits for all others.
 */
const maxSmallBytes = 256 * 1024;

/**
 * Bytes that a stream reads at a time. From 128 KB on, the allocator maps memory for each piece and returns it
 * afterwards (MALLOC_MMAP_THRESHOLD_). That costs more than longer reads save.
 */
const streamedBytes = 120 * 1024;

/**
 * Opens a store in a folder of the file system. Only the folder's owner can read it. Several processes may share the
 * folder.
 */
export function openFolder(folder: string): PlatformStore {
  const incoming = join(folder, '.incoming');
  const writeIn = keepFolders(folder, incoming);
  const put: PlatformStore['put'] = (path, content) =>
    writeIn(path, (file) => putWhole(incoming, file, content));

  /** A part of an object's path may be a file: then the object does not exist. That of the store must be a folder. */
  const ifThere = <T>(work: Promise<T>) =>
    ifExists(
      work.catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTDIR' && (await stat(folder)).isDirectory()) return null;
        throw error;
      }),
    );

  return {
    isLocal: true,
    put,
    addLine: linesInParts(put),
    async read(path, from, max) {
      await using file = await ifThere(open(join(folder, checkedPath(path))));
      if (!file) return null;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(max), 0, max, from);
      return buffer.subarray(0, bytesRead);
    },
    async stream(path, version) {
      const file = await ifThere(open(join(folder, checkedPath(path))));
      if (!file) return null;
      if (version !== undefined && versionOf(await file.stat({ bigint: true })) !== version) {
        await file.close();
        return null;
      }
      return releasedStream(file.createReadStream({ highWaterMark: streamedBytes }));
    },
    async version(path) {
      const found = await ifThere(stat(join(folder, checkedPath(path)), { bigint: true }));
      return found && versionOf(found);
    },
    async list(path) {
      const entries = await ifThere(readdir(join(folder, checkedPath(path)), { withFileTypes: true }));
      return (entries ?? []).filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    async listFolders(path) {
      const parent = path === undefined ? folder : join(folder, checkedFolder(path));
      const entries = await ifThere(readdir(parent, { withFileTypes: true }));
      return (entries ?? [])
        .filter((entry) => entry.isDirectory() && isFolderName(entry.name))
        .map(({ name }) => name);
    },
    walk: (path) => filesBelow(folder, checkedFolder(path)),
    async lastWritten(path) {
      return (await ifThere(stat(join(folder, checkedPath(path)))))?.mtime ?? null;
    },
    async remove(path) {
      return (await ifThere(rm(join(folder, checkedPath(path))).then(() => true))) ?? false;
    },
    removeFolder: (path) => rm(join(folder, checkedFolder(path)), { recursive: true, force: true }),
    tidy: () => removeInterrupted(incoming),
    async check() {
      // Create the folder, because it may not exist before the first write.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await access(folder, constants.W_OK | constants.X_OK);
      const { freeBytes } = await spaceOf(folder);
      if (freeBytes < minFreeBytes) throw new Error('less than 32 MB are free on the disk of the storage');
    },
    space: () => spaceOf(folder),
  };
}

/** Returns the space of the file system of a folder. Free bytes are those that the service's user may write. */
async function spaceOf(folder: string): Promise<{ freeBytes: number; totalBytes: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/**
 * Returns a function that runs the write of an object, after creating its folder if it is not known to exist. If the write
 * fails because the folder has been removed in the meantime, it runs once more.
 * @param incoming the folder of unfinished writes
 */
function keepFolders(folder: string, incoming: string) {
  const made = new Set<string>();
  return async (path: string, write: (file: string) => Promise<void>): Promise<void> => {
    const file = join(folder, checkedPath(path));
    const attempt = async () => {
      for (const parent of [dirname(file), incoming])
        if (!made.has(parent)) {
          await mkdir(parent, { recursive: true, mode: 0o700 });
          // Limits the number of entries: there is one for each folder to which this process has written.
          if (made.size > 10_000) made.clear();
          made.add(parent);
        }
      await write(file);
    };
    try {
      await attempt();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      made.clear();
      await attempt();
    }
  };
}

/** The start of the names of this process's temporary files, which is followed by a number. */
const ownName = randomBytes(12).toString('hex');
let temporaryFiles = 0;

/**
 * Writes a temporary file in a separate folder, then renames it: a crash never leaves half an object, but the old
 * object, the new one, or a temporary file that `tidy` removes. The file is not flushed to disk, because every job
 * would have to wait for that (decision 10). So after a power failure, the latest objects are doubtful.
 */
async function putWhole(incoming: string, file: string, content: Uint8Array | string): Promise<void> {
  const temporary = join(incoming, `${ownName}-${temporaryFiles++}.tmp`);
  if (typeof content === 'string' && content.length <= maxSmallBytes) {
    await writeSmall({ file, temporary, content });
    return;
  }
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Removes the temporary files of interrupted writes in a folder. */
async function removeInterrupted(folder: string): Promise<void> {
  for (const name of (await ifExists(readdir(folder))) ?? []) {
    if (!name.endsWith('.tmp')) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found?.isFile() && Date.now() - found.mtimeMs > interruptedAfter) await rm(file, { force: true });
  }
}

/** Includes the time of the status change: in contrast to the time of the content change, programs cannot set it. */
function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('.');
}

/** Iterates over the paths of the files below a folder. A folder that is removed in the meantime counts as empty. */
async function* filesBelow(root: string, path: string): AsyncGenerator<string> {
  const opened = await ifExists(opendir(join(root, path)));
  for await (const entry of opened ?? []) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, below);
    else if (entry.isFile()) yield below;
  }
}

/** Returns the result of `work`; null if a file or folder does not exist. */
async function ifExists<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
