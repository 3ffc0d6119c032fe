import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two looks. */
const lookEvery = 10_000;
/** The share of that time for which an idle event loop may have been busy. */
const idleShare = 0.1;
/** Bytes that must have come since the last collection for another one to be worth its pause, of some 50 ms. */
const worthIt = 32_000_000;

/**
 * Gives memory back after a burst. V8 collects garbage when something is allocated, so a process whose callers have gone keeps
 * what they left, buffers outside its heap included, for as long as nothing happens. Here it is collected while nobody waits.
 */
export function collectWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let before = performance.eventLoopUtilization();
  let least = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const resident = process.memoryUsage.rss();
    const idle = utilization <= idleShare;
    if (idle && resident > least + worthIt) {
      collect();
      // What is swept later counts at the next look.
      least = resident;
    } else least = Math.min(least, resident);
  }, lookEvery).unref();
}
