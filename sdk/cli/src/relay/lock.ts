import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RelayError } from './config.ts';

/** Milliseconds between two signs of life, and without one after which a lock counts as left behind. */
const times = { beat: 5_000, stale: 30_000 };

interface Holder {
  pid: number;
  host: string;
  token: string;
}

/** The lock of a state directory, which only one relay may use. */
export interface Lock {
  release(): void;
}

/** The locks of this process. */
const held = new Set<string>();

/**
 * Locks a state directory. The lock of a killed relay is taken over: at once if its process is gone, and otherwise, for
 * example in another container, after 30 s without a sign of life.
 * @param onLost called if another relay has taken over, because this one was suspended for too long
 * @throws RelayError if another relay holds the lock
 */
export function lockState(stateDir: string, onLost: (error: RelayError) => void): Lock {
  const path = join(stateDir, 'lock');
  const mine: Holder = { pid: process.pid, host: hostname(), token: randomUUID() };
  const own = join(stateDir, `lock.${mine.token}`);
  writeFileSync(own, JSON.stringify(mine), { mode: 0o600 });
  try {
    // `link` fails if the lock exists. A file is complete before it is linked.
    if (!tryLink(own, path)) {
      takeOver(path, `${own}.old`);
      if (!tryLink(own, path)) throw inUse(stateDir, read(path));
    }
  } finally {
    unlinkSync(own);
  }
  held.add(mine.token);
  const beat = setInterval(() => {
    if (read(path)?.token === mine.token) return utimesSync(path, new Date(), new Date());
    clearInterval(beat);
    held.delete(mine.token);
    onLost(inUse(stateDir, read(path)));
  }, times.beat);
  beat.unref();
  return {
    release() {
      clearInterval(beat);
      held.delete(mine.token);
      if (read(path)?.token === mine.token) unlinkSync(path);
    },
  };
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a lock that was left behind. If another relay has taken it over since, puts its lock back. */
function takeOver(path: string, aside: string): void {
  const holder = read(path);
  if (!holder || !isLeftBehind(path, holder)) return;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (read(aside)?.token !== holder.token) tryLink(aside, path);
  unlinkSync(aside);
}

function isLeftBehind(path: string, { pid, host, token }: Holder): boolean {
  if (held.has(token)) return false;
  try {
    if (Date.now() - statSync(path).mtimeMs > times.stale) return true;
  } catch {
    return false;
  }
  if (host !== hostname()) return false;
  // A container gives its processes the same numbers after a restart.
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function read(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function inUse(stateDir: string, holder: Holder | undefined): RelayError {
  const who = holder ? ` (process ${holder.pid} on ${holder.host})` : '';
  return new RelayError(`${stateDir}: another relay uses this directory${who}`);
}
