import { rmSync } from 'node:fs';
import { access, chmod, constants, mkdtemp, readdir, readFile, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../db/embedded/folder.ts';

/** Linux's directory in memory. */
const memory = '/dev/shm';
/** Bytes that must be free there. A whole run needs a quarter of it. */
const needed = 4 * 2 ** 30;
const prefix = 'lingualoop-tests-';

/**
 * Makes a directory for all temporary files of this run: in memory if there is space, because copying a database means a thousand small files, and
 * a disk takes ten times as long. The processes of the test files get it as TMPDIR.
 * @returns removes it
 */
export async function useTemporaryFolder(): Promise<() => Promise<void>> {
  const parent = (await isRoomy()) ? memory : tmpdir();
  await removeLeftovers(parent);
  const folder = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  // As open as /tmp: PostgreSQL runs as another user if the tests run as root.
  await chmod(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  // A PostgreSQL whose files are gone ends itself within a minute.
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

/** Removes what runs left behind that were killed, ten minutes ago or more. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) && Number.parseInt(name.slice(prefix.length), 10);
    if (!pid || isAlive(pid)) continue;
    const folder = join(parent, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > 600_000) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
