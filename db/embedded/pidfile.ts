import { execFile } from 'node:child_process';
import { link, readFile, rename, rm, stat } from 'node:fs/promises';
import { type DataFolder, temporaryPath } from './folder.ts';
import { childEnvironment } from './run.ts';

/** The contents of postmaster.pid, and whether they are valid. */
export type PidFile =
  | { readonly state: 'absent' }
  /** A postmaster of this folder is running; `ready` if it accepts connections on `port`. */
  | { readonly state: 'postmaster'; readonly pid: number; readonly port: number; readonly ready: boolean }
  /** Left by a postmaster that has ended. `misleading` if PostgreSQL would believe that it still runs. */
  | { readonly state: 'stale'; readonly misleading: boolean; readonly text: string };

/** Reads postmaster.pid and checks the process it names. Rejects if the file exists but cannot be read. */
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
    // The file is empty for a moment after its creation, or permanently after a crash in that moment.
    if (age < 2000) return { state: 'postmaster', pid: 0, port: 0, ready: false };
    return { state: 'stale', misleading: true, text };
  }
  const signalable = canSignal(pid);
  if (signalable && (await runsIn(pid, folder.cluster))) {
    return { state: 'postmaster', pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
  }
  return { state: 'stale', misleading: signalable, text };
}

/** Whether the process is a PostgreSQL of this cluster; true if unknown. */
export async function runsIn(pid: number, cluster: string): Promise<boolean> {
  if (!canSignal(pid)) return false;
  if (process.platform === 'win32') return true;
  if (process.platform !== 'linux') return isNamedPostgres(pid);
  try {
    // The working directory of PostgreSQL's processes is the data folder. A zombie has none.
    const [actual, expected] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster)]);
    return actual.ino === expected.ino && actual.dev === expected.dev;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' && canSignal(pid);
  }
}

/**
 * Removes a misleading postmaster.pid. If another process has removed it and started a server in between, that
 * server's file is restored.
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
 * The postmaster runs as this process's user, or as any user if this process is root. A process that cannot be
 * signaled is therefore not the postmaster.
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
