import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** An order that the service gives to its watchdog. */
export type WatchOrder =
  | {
      kind: 'watch';
      /** The id of the process to measure. */
      pid: number;
      /**
       * The id of the process to kill: the measured one or, if it is in a namespace, the first process of that
       * namespace, with which all others end.
       */
      pidToKill: number;
      /** Maximum bytes of memory of the process. */
      memoryBytes: number;
      /** Maximum milliseconds of CPU time of the process from now on. */
      cpuMs: number;
      /** Memory in which the watchdog stores why it ended the process. */
      verdict: Int32Array<SharedArrayBuffer>;
    }
  | { kind: 'unwatch'; pid: number };

/** The reasons why the watchdog ends a process. `unwatched` means that there is no watchdog. */
export const verdicts = { none: 0, memory: 1, time: 2, unwatched: 3 } as const;

let watchdog: Worker | undefined;
/** The processes that run a task, by process id. */
const watched = new Map<number, Extract<WatchOrder, { kind: 'watch' }>>();

/** Sends an order to the watchdog of this process. The first order starts the watchdog. */
export function orderWatchdog(order: WatchOrder): void {
  if (order.kind === 'watch') watched.set(order.pid, order);
  else if (!watched.delete(order.pid)) return;
  watchdog ??= startWatchdog();
  watchdog.postMessage(order);
}

function startWatchdog(): Worker {
  const started = new Worker(new URL('./watchdog.ts', import.meta.url), {
    // The watchdog needs neither the environment nor the service's flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  /**
   * Called if the watchdog ends, for example because of a lack of resources. Tasks must not run without a watchdog,
   * so their processes are ended.
   */
  const forget = (): void => {
    if (watchdog !== started) return;
    watchdog = undefined;
    for (const { pidToKill, verdict } of watched.values()) endProcess(pidToKill, verdict, verdicts.unwatched);
    watched.clear();
  };
  started.on('error', forget);
  started.on('exit', forget);
  started.unref();
  return started;
}

/** Ends a process, after storing the reason in `verdict`. */
export function endProcess(pid: number, verdict: Int32Array<SharedArrayBuffer>, reason: number): void {
  Atomics.store(verdict, 0, reason);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

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
