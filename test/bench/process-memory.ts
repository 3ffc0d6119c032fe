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
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
    const own = /^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
    const inner = await Promise.all(children.map((child) => heldMegabytes(Number(child))));
    return Number(own ?? 0) / 1024 + inner.reduce((sum, value) => sum + value, 0);
  } catch {
    return 0;
  }
}
