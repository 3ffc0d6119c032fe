/**
 * A thread of the service that watches its child processes from outside, also while a task or the service itself is busy. It ends a child
 * - over its memory limit, all kinds together: V8's own limit ignores buffers outside its heap, which hold inflated data;
 * - over its CPU time limit, which does not depend on how busy the machine is, as wall-clock time does.
 */
import { parentPort } from 'node:worker_threads';
import { hasProcFiles, readUsage } from './process-usage.ts';
import { endProcess, verdicts, type WatchOrder } from './watch.ts';

/** Memory can grow by some 20 MB between two checks. Where each check starts a program, they are fewer. */
const intervalMs = hasProcFiles ? 20 : 500;

interface Watched extends Extract<WatchOrder, { kind: 'watch' }> {
  /** Of the first check. */
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
  // Another process has the id by now.
  if (usage.identity !== one.base.identity) return;
  if (usage.residentBytes > one.memoryBytes) end(one, verdicts.memory);
  else if (usage.cpuMs - one.base.cpuMs > one.cpuMs) end(one, verdicts.time);
}

function end({ pid, first, verdict }: Watched, reason: number): void {
  watched.delete(pid);
  endProcess(first, verdict, reason);
}
