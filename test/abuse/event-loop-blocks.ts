import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process of the service with `--import`. It measures the CPU time that the main thread uses between two turns
 * of the event loop, while other requests wait. Unlike elapsed time, it does not depend on other load of the
 * machine. At each message, the process sends the longest time in milliseconds since its last message. Without a channel to
 * a parent process, it adds each time of 20 ms or more to the file that `BLOCKS_FILE` names, a line for each.
 */
const file = process.env['BLOCKS_FILE'];
if (isMainThread && (process.send || file)) {
  let last = process.threadCpuUsage();
  let longest = 0;
  const look = () => {
    const { user, system } = process.threadCpuUsage(last);
    last = process.threadCpuUsage();
    const block = (user + system) / 1000;
    if (file && block >= 20) appendFileSync(file, `${Math.round(block)}\n`);
    longest = Math.max(longest, block);
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
