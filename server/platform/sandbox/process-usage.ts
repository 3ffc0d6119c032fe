import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a process uses, as the system reports it. */
export interface ProcessUsage {
  /** CPU time of all its threads since its start. */
  cpuMs: number;
  residentBytes: number;
  /** Another process with the same id has another value. */
  identity: string;
}

/** Linux counts CPU time in hundredths of a second for programs, whatever the kernel's own clock is. */
const msPerTick = 10;

/** Whether `readUsage` reads files; otherwise it starts a program each time. */
export const hasProcFiles = process.platform === 'linux';

/** Reads what another process uses; undefined if there is no such process. */
export function readUsage(pid: number): ProcessUsage | undefined {
  try {
    return hasProcFiles ? usageByProc(pid) : usageByPs(pid);
  } catch {
    return undefined;
  }
}

function usageByProc(pid: number): ProcessUsage | undefined {
  const fields = statOf(pid);
  const resident = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  // A process that has ended and was not waited for has no memory.
  if (!resident) return undefined;
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return {
    cpuMs: (user + system) * msPerTick,
    residentBytes: Number(resident[1]) * 1024,
    identity: fields[19]!,
  };
}

/** The fields of a process's `stat` after its name, which may contain anything. */
function statOf(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The same from the program `ps`, which every Unix has. */
export function usageByPs(pid: number): ProcessUsage | undefined {
  const options = ['-o', 'rss=,time=,lstart=', '-p', String(pid)];
  const printed = execFileSync('ps', options, { encoding: 'utf8', env: { LC_ALL: 'C' }, timeout: 2000 });
  const [, kilobytes, days = '0', clock, identity] =
    /^\s*(\d+)\s+(?:(\d+)-)?([\d:.]+)\s+(.+?)\s*$/.exec(printed) ?? [];
  if (clock === undefined) return undefined;
  const seconds = clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) + 86_400 * Number(days);
  return { cpuMs: 1000 * seconds, residentBytes: 1024 * Number(kilobytes), identity: identity! };
}

/** Returns the ids of the processes that `pid` has started and that still exist. Only on Linux. */
export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // Some kernels are built without that list.
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
      .map(Number);
  }
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return undefined;
  }
}
