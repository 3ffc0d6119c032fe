/**
 * The CPU time of this thread, in milliseconds, until `work` has ended: unlike the time of a clock, it hardly depends on
 * what else the machine does. A server in this process is included, a process or thread that it starts is not.
 */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
