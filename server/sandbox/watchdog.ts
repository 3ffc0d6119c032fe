/**
 * A thread of a child that no task can keep from running. It ends the process when that has more memory than it may, all
 * kinds together: V8's own limit knows nothing of the buffers outside its heap, where what is inflated goes. It
 * ends it when its task has had its CPU time, which unlike time on the clock does not pass faster on a busy machine. And it
 * ends it when the service is gone, which a task that never pauses would not notice.
 */
import { workerData } from 'node:worker_threads';
import { allowanceAt, outOfMemory, outOfTime } from './protocol.ts';

const { allowance, parent } = workerData as { allowance: Int32Array; parent: number };
/** At the rate at which memory can be filled, some 20 MB pass unseen. */
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
