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

/** Returns the CPU time, in milliseconds, of the longest turn of the event loop, with its garbage collection, until `work` has ended. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOn = true;
  const turns = (async () => {
    while (isOn) longest = Math.max(longest, await cpuTime(() => new Promise(setImmediate)));
  })();
  await work().finally(() => {
    isOn = false;
  });
  await turns;
  return longest;
}
