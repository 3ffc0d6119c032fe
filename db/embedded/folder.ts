import { randomBytes } from 'node:crypto';
import { access, constants, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * The name of the folder into which a restore writes, inside a data folder. The contents are moved up when the
 * restore completes. Until then, no service may create a database in the data folder.
 */
export const unfinishedRestore = 'restore.unfinished';

/** The paths of one embedded PostgreSQL; all are absolute and without symbolic links. */
export interface DataFolder {
  readonly root: string;
  /** PostgreSQL's data directory. It is created atomically, under another name. */
  readonly cluster: string;
  /** The postmaster's lock file. */
  readonly pidFile: string;
  readonly log: string;
  readonly secrets: string;
  readonly claim: string;
}

/** Creates the data folder if it is missing, and checks that this process can use it. Rejects with an Error that names the folder. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const wanted = resolve(dataDir);
  try {
    await mkdir(wanted, { recursive: true });
    const root = await realpath(wanted);
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
    const cluster = join(root, 'postgres');
    return {
      root,
      cluster,
      pidFile: join(cluster, 'postmaster.pid'),
      log: join(root, 'postgres.log'),
      secrets: join(root, 'postgres.json'),
      claim: join(root, 'postgres.starting'),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'EEXIST' || code === 'ENOTDIR' ? 'it is not a directory' : (error as Error).message;
    throw new Error(
      `The data directory ${wanted} cannot be used (${reason}): ${whoami()} must be able to write to it`,
    );
  }
}

/** Returns the name of the user that this process runs as, for error messages. */
export function whoami(): string {
  return process.getuid ? `the user with uid ${process.getuid()}` : 'this user';
}

/**
 * Returns a new name in the data folder, which {@link removeLeftovers} recognizes as left over after this process has
 * ended.
 */
export function temporaryPath(folder: DataFolder): string {
  return join(folder.root, `postgres.tmp-${process.pid}-${randomBytes(6).toString('hex')}`);
}

/** Removes files left by processes that died during a start. Never rejects. */
export async function removeLeftovers(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.root).catch(() => [])) {
    const pid = /^postgres\.tmp-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // If this fails, an initdb that has outlived its parent is still writing there. The next start removes the rest.
    await rm(join(folder.root, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** Whether a process with this id exists, of any user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
