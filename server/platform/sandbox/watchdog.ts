/**
 * A thread of the service that watches the child processes from outside, even while a task or the service is busy. It
 * ends a child that exceeds one of two limits:
 * - the memory limit, which covers all memory: V8's own limit ignores buffers outside of its heap, such as
 *   decompressed data;
 * - the CPU time limit, which does not depend on the load of the machine, in contrast to a limit for wall-clock time.
 */
import { parentPort } from 'node:worker_threads';
import { endProcess, hasProcFiles, readUsage, verdicts, type WatchOrder } from './watch.ts';

/**
 * Milliseconds between two checks. The memory of a child can grow by about 20 MB in this time. If each check has to
 * start a program, checks are less frequent.
 */
const intervalMs = hasProcFiles ? 20 : 500;

interface Watched extends Extract<WatchOrder, { kind: 'watch' }> {
  /** The resource usage of the process at the first check. */
  base: { cpuMs: number; identity: string } | undefined;
}

const watched = new Map<number, Watched>();
let timer: NodeJS.Timeout | undefined;

parentPort!.on('message', (order: WatchOrder) => {
  if (order.kind === 'watch') {
    const one: Watched = { ...order, base: undefined };
    watched.set(order.pid, one);
    check(one);
  } else {
    watched.delete(order.pid);
  }
  if (watched.size > 0) timer ??= setInterval(checkAll, intervalMs);
  else {
    clearInterval(timer);
    timer = undefined;
  }
});

function checkAll(): void {
  for (const one of watched.values()) check(one);
}

function check(one: Watched): void {
  const usage = readUsage(one.pid);
  if (!usage) return;
  one.base ??= usage;
  // The watched process has ended, and another process has the same id now.
  if (usage.identity !== one.base.identity) return;
  if (usage.residentBytes > one.memoryBytes) end(one, verdicts.memory);
  else if (usage.cpuMs - one.base.cpuMs > one.cpuMs) end(one, verdicts.time);
}

function end({ pid, pidToKill, verdict }: Watched, reason: number): void {
  watched.delete(pid);
  endProcess(pidToKill, verdict, reason);
}
