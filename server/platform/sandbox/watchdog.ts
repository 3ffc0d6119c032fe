/**
 * A thread of the service that watches its child processes from outside, even while a task or the service is busy. It ends a
 * child
 * - over its memory limit, which covers all memory: V8's own limit ignores buffers outside its heap, such as inflated data;
 * - over its CPU time limit, which does not depend on the load of the machine, as wall-clock time does.
 */
import { parentPort } from 'node:worker_threads';
import { hasProcFiles, readUsage } from './process-usage.ts';
import { endProcess, verdicts, type WatchOrder } from './watch.ts';

/** Memory can grow by about 20 MB between two checks. Checks are less frequent if each one starts a program. */
const intervalMs = hasProcFiles ? 20 : 500;

interface Watched extends Extract<WatchOrder, { kind: 'watch' }> {
  /** The usage at the first check. */
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
  // Another process has received the id.
  if (usage.identity !== one.base.identity) return;
  if (usage.residentBytes > one.memoryBytes) end(one, verdicts.memory);
  else if (usage.cpuMs - one.base.cpuMs > one.cpuMs) end(one, verdicts.time);
}

function end({ pid, pidToKill, verdict }: Watched, reason: number): void {
  watched.delete(pid);
  endProcess(pidToKill, verdict, reason);
}
