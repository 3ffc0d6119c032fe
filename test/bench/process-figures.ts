import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Samples the memory of a process and its children, in MB, every `interval` milliseconds.
 * @returns the memory at the start, and a function that stops the sampling and returns the peak
 */
export async function watchMemory(pid: number, interval = 100) {
  let running = true;
  const first = await heldMegabytes(pid);
  let peak = first;
  const ended = (async () => {
    while (running) {
      peak = Math.max(peak, await heldMegabytes(pid));
      await delay(interval);
    }
  })();
  return {
    first,
    async stop(): Promise<number> {
      running = false;
      await ended;
      return peak;
    },
  };
}

/**
 * The memory of the service and of the processes in its sandbox, in MB. PostgreSQL is not included, because it is not a
 * child process. The proportional set size is used: resident memory would count pages that the processes share once for
 * each process.
 */
async function heldMegabytes(pid: number): Promise<number> {
  try {
    const children = childrenOf(pid);
    const own = /^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    const inner = await Promise.all(children.map(heldMegabytes));
    return Number(own ?? 0) / 1024 + inner.reduce((sum, value) => sum + value, 0);
  } catch {
    return 0;
  }
}

/** The IDs of processes that the main thread of a process has started. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

interface ProcessFigures {
  /** CPU time of the process in milliseconds. */
  cpuMs: number;
  /** CPU time of the child processes that have ended, in milliseconds. */
  endedCpuMs: number;
  /** Maximum resident memory so far, in bytes. */
  peakBytes: number;
}

/** The figures of a process that the system reports; undefined if the process has ended. */
export function processFigures(pid: number): ProcessFigures | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (peak === undefined) return undefined;
    // The kernel counts in ticks of 10 ms.
    return {
      cpuMs: 10 * (user + system),
      endedCpuMs: 10 * (endedUser + endedSystem),
      peakBytes: 1024 * Number(peak),
    };
  } catch {
    return undefined;
  }
}

/** CPU time of a process and all its descendants so far, in milliseconds. */
export function cpuTimeWithChildren(pid: number): number {
  const own = processFigures(pid);
  if (own === undefined) return 0;
  return childrenOf(pid).reduce((sum, child) => sum + cpuTimeWithChildren(child), own.cpuMs + own.endedCpuMs);
}
