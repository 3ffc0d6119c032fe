import { rmSync } from 'node:fs';
import { access, chmod, constants, mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../db/embedded/folder.ts';

/** A directory on Linux whose files are kept in memory. */
const memory = '/dev/shm';
/** Bytes that must be free in that directory. A complete run needs a quarter of this. */
const needed = 4 * 2 ** 30;
const prefix = 'lingualoop-tests-';

/**
 * Creates a directory for all temporary files of this test run. The directory is in memory if there is enough space,
 * because cloning a database copies a thousand small files, which takes ten times as long on a disk. The processes that
 * run test files receive it as TMPDIR.
 * @returns a function that removes the directory
 */
export async function useTemporaryFolder(): Promise<() => Promise<void>> {
  const parent = (await isRoomy()) ? memory : tmpdir();
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  // The same permissions as /tmp, because PostgreSQL runs as another user if the tests run as root.
  await chmod(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // A PostgreSQL server whose files are removed ends within a minute.
  const removeNow = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.once('exit', removeNow);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      removeNow();
      process.kill(process.pid, signal);
    });
  return () => rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 200 });
}

async function isRoomy(): Promise<boolean> {
  try {
    await access(memory, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(memory);
    const mounts = await readFile('/proc/mounts', 'utf8');
    const options = mounts.split('\n').find((line) => line.split(' ')[1] === memory);
    return bavail * bsize > needed && options !== undefined && !/[ ,]noexec[ ,]/.test(options);
  } catch {
    return false;
  }
}

/** Removes the directories of earlier runs that were killed at least ten minutes ago. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) && Number.parseInt(name.slice(prefix.length), 10);
    if (!pid || isAlive(pid)) continue;
    const folder = join(parent, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > 600_000) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
