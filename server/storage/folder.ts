import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ObjectStore } from './object-store.ts';

/** A store in a folder of the file system, readable by its owner alone. Many processes may share it. */
export function openFolder(folder: string): ObjectStore {
  const made = new Set<string>();
  const append = lineAppender();

  const place = async (path: string): Promise<string> => {
    const file = resolveInside(folder, path);
    const parent = dirname(file);
    if (!made.has(parent)) {
      await mkdir(parent, { recursive: true, mode: 0o700 });
      // Bounded: one entry for each tenant this process has written for.
      if (made.size > 10_000) made.clear();
      made.add(parent);
    }
    return file;
  };

  /** Writes, and once more where somebody removed the folder since it was made. */
  const inPlace = async (path: string, write: (file: string) => Promise<void>): Promise<void> => {
    const file = await place(path);
    await write(file).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      made.delete(dirname(file));
      await write(await place(path));
    });
  };

  return {
    put: (path, bytes) => inPlace(path, (file) => writeWhole(file, bytes)),
    appendLine: (path, line) => inPlace(path, (file) => append(file, line)),
    async remove(path) {
      try {
        await rm(resolveInside(folder, path));
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
        throw error;
      }
    },
  };
}

/**
 * Under another name first: a crash leaves the old object, the new one, or a temporary file, never a half. Not forced to
 * the disk, which would have every job wait for it: after a power cut the newest objects may be missing.
 */
async function writeWhole(file: string, bytes: Uint8Array | string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, bytes, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
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
