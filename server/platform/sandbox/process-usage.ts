import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The resource usage of a process, as the system reports it. */
export interface ProcessUsage {
  /** Milliseconds of CPU time of all threads of the process since its start. */
  cpuMs: number;
  residentBytes: number;
  /** Identifies the process: another process that later has the same id has a different identity. */
  identity: string;
}

/** Linux reports CPU time in hundredths of a second, regardless of the frequency of the kernel's clock. */
const msPerTick = 10;

/** Whether `readUsage` can read files of the system. If not, it starts a program each time. */
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
  // A zombie process has no memory; it counts as ended.
  if (!resident) return undefined;
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return {
    cpuMs: (user + system) * msPerTick,
    residentBytes: Number(resident[1]) * 1024,
    identity: fields[19]!,
  };
}

/** Returns the fields of a process's `stat` that follow the name. The name may contain any character. */
function statOf(pid: number | string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Returns the resource usage of another process with the program `ps`, which every Unix has. */
function usageByPs(pid: number): ProcessUsage | undefined {
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
    // Some kernels do not have the list of children, so search all processes.
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
