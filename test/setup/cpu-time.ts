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

/**
 * Returns the lesser CPU time of two runs, in milliseconds. A collection of garbage counts for the run that it meets,
 * and costs as much as everything that this process keeps for other test files.
 */
export async function leastCpuTime(work: () => unknown): Promise<number> {
  return Math.min(await cpuTime(work), await cpuTime(work));
}
