/**
 * A thread of a child that no task can block. It ends the process
 * - over its memory limit, all kinds together: V8's own limit ignores buffers outside its heap, which hold inflated data;
 * - over its CPU time limit, which does not depend on how busy the machine is, as wall-clock time does;
 * - when the service is gone, which a task that never pauses would not notice.
 */
import { workerData } from 'node:worker_threads';
import { allowanceAt, outOfMemory, outOfTime } from './protocol.ts';

const { allowance, parent } = workerData as { allowance: Int32Array; parent: number };
/** Memory can grow by some 20 MB between two checks. */
const intervalMs = 20;
const megabyte = 2 ** 20;

setInterval(() => {
  const megabytes = Atomics.load(allowance, allowanceAt.memory);
  if (megabytes > 0 && process.memoryUsage.rss() > megabytes * megabyte)
    process.kill(process.pid, outOfMemory);
  const cpuMs = Atomics.load(allowance, allowanceAt.cpu);
  if (cpuMs > 0 && usedCpuMs() > cpuMs) process.kill(process.pid, outOfTime);
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, intervalMs);

function usedCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
