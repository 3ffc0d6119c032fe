import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Follows the memory of a process and its children, in MB, sampled every `interval` milliseconds.
 *
 * @returns what it was at first, and a function that ends this and returns the peak
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
 * Of the service and the processes of its sandbox; not of PostgreSQL, which is not its child. Proportional set size: resident
 * memory would count the runtime's own pages, which all of them share, once for each.
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

/** The processes that the main thread of a process has started. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

interface ProcessFigures {
  /** Milliseconds of CPU time of the process. */
  cpuMs: number;
  /** The same of its children that have ended. */
  endedCpuMs: number;
  /** Most resident memory so far. */
  peakBytes: number;
}

/** What the system counts for a process; undefined if it is gone. */
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

/** Milliseconds of CPU time of a process and all its children so far. */
export function cpuTimeWithChildren(pid: number): number {
  const own = processFigures(pid);
  const children = childrenOf(pid).reduce((sum, child) => sum + (processFigures(child)?.cpuMs ?? 0), 0);
  return (own?.cpuMs ?? 0) + (own?.endedCpuMs ?? 0) + children;
}
