import { execFile } from 'node:child_process';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { childEnvironment } from './account.ts';
import { type DataFolder, temporaryPath } from './folder.ts';

/** The result of reading postmaster.pid: whether the file is present and valid. */
type PidFile =
  | { readonly state: 'absent' }
  /** A postmaster of this folder is running. `ready`: it accepts connections on `port`. */
  | { readonly state: 'postmaster'; readonly pid: number; readonly port: number; readonly ready: boolean }
  /**
   * The file is from a postmaster that has ended. `misleading`: PostgreSQL would assume that this postmaster still
   * runs.
   */
  | { readonly state: 'stale'; readonly misleading: boolean; readonly text: string };

/** Reads postmaster.pid and checks the process whose id it contains. Rejects if the file exists but cannot be read. */
export async function readPidFile(folder: DataFolder): Promise<PidFile> {
  let text: string;
  let age: number;
  try {
    text = await readFile(folder.pidFile, 'utf8');
    age = Date.now() - (await stat(folder.pidFile)).mtimeMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'absent' };
    throw error;
  }
  const lines = text.split('\n');
  // A standalone backend writes its id as a negative number.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!pid) {
    // The file is empty for a moment after its creation; after a crash in that moment, it stays empty.
    if (age < 2000) return { state: 'postmaster', pid: 0, port: 0, ready: false };
    return { state: 'stale', misleading: true, text };
  }
  const signalable = canSignal(pid);
  if (signalable && (await runsIn(pid, folder.cluster))) {
    return { state: 'postmaster', pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  }
  return { state: 'stale', misleading: signalable, text };
}

/** Whether the process is a PostgreSQL process of this cluster; true if that cannot be determined. */
export async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (!canSignal(pid)) return false;
  if (process.platform === 'win32') return true;
  if (process.platform !== 'linux') return isNamedPostgres(pid);
  try {
    // PostgreSQL's processes have the data folder as their working directory. A zombie process has none.
    const [actual, expected] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster)]);
    return actual.ino === expected.ino && actual.dev === expected.dev;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' && canSignal(pid);
  }
}

/**
 * Removes a misleading postmaster.pid. If another process has removed it and started a server in the meantime, the
 * file of that server is restored.
 * @param judged the contents of the misleading file
 */
export async function discardPidFile(folder: DataFolder, judged: string): Promise<void> {
  const aside = temporaryPath(folder);
  try {
    await rename(folder.pidFile, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== judged) await link(aside, folder.pidFile).catch(() => {});
  await rm(aside, { force: true });
}

/**
 * Whether this process may send a signal to the process. The postmaster runs as this process's user, or as any user
 * if this process is root, so a process that cannot be signaled is not the postmaster.
 */
function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isNamedPostgres(pid: number): Promise<boolean> {
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'comm=', '-p', String(pid)], { env: childEnvironment() }, (error, stdout) =>
      resolve(error ? canSignal(pid) : /postgres/.test(stdout)),
    );
  });
}
