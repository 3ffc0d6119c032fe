import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process of the service with `--import`. It measures the CPU time that the main thread uses between two turns
 * of the event loop, while other requests wait. Unlike elapsed time, it does not depend on other load of the
 * machine. At each message, the process sends the longest time in milliseconds since its last message.
 */
if (isMainThread && process.send) {
  let last = process.threadCpuUsage();
  let longest = 0;
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
  };
  setInterval(look, 5).unref();
  process.on('message', () => {
    look();
    process.send?.(Math.round(longest));
    longest = 0;
  });
  // The channel to the test must not keep the process running.
  process.channel?.unref();
}
