import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The resource usage of a process, as the system reports it. */
export interface ProcessUsage {
  /** CPU time of all its threads since its start. */
  cpuMs: number;
  residentBytes: number;
  /** Differs from the identity of any other process with the same id. */
  identity: string;
}

/** Linux reports CPU time in hundredths of a second, independent of the kernel's clock. */
const msPerTick = 10;

/** Whether `readUsage` reads files; otherwise it starts a program each time. */
export const hasProcFiles = process.platform === 'linux';

/** Returns the resource usage of another process; undefined if the process does not exist. */
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
  // A zombie process has no memory.
  if (!resident) return undefined;
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return {
    cpuMs: (user + system) * msPerTick,
    residentBytes: Number(resident[1]) * 1024,
    identity: fields[19]!,
  };
}

/** Returns the fields of a process's `stat` after its name, which may contain any character. */
function statOf(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the same by the program `ps`, which every Unix has. */
export function usageByPs(pid: number): ProcessUsage | undefined {
  const options = ['-o', 'rss=,time=,lstart=', '-p', String(pid)];
  const printed = execFileSync('ps', options, { encoding: 'utf8', env: { LC_ALL: 'C' }, timeout: 2000 });
  const [, kilobytes, days = '0', clock, identity] =
    /^\s*(\d+)\s+(?:(\d+)-)?([\d:.]+)\s+(.+?)\s*$/.exec(printed) ?? [];
  if (clock === undefined) return undefined;
  const seconds = clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) + 86_400 * Number(days);
  return { cpuMs: 1000 * seconds, residentBytes: 1024 * Number(kilobytes), identity: identity! };
}

/** Returns the ids of the existing processes that `pid` has started. Only on Linux. */
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
