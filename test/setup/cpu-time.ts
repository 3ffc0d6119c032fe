/**
 * Returns the CPU time, in milliseconds, that this thread uses until `work` has ended. Unlike elapsed time, CPU time
 * hardly depends on other load of the machine. It includes a server that runs in this process, but no other processes
 * or threads.
 */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
