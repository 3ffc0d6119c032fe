import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two checks. */
const checkEvery = 10_000;
/** Maximum share of the time between two checks for which the event loop of an idle process is busy. */
const idleShare = 0.1;
/**
 * Minimum bytes by which memory must have grown since the last collection. Fewer would not justify the pause of about
 * 50 ms.
 */
const minBytes = 32_000_000;

/**
 * Frees memory after a burst of requests. V8 collects garbage only when it allocates memory, so an idle process would
 * keep the memory of its last requests, including buffers outside the heap. This function collects garbage while the
 * process is idle.
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
    if (idle && resident > least + minBytes) {
      collect();
      // Measure memory before V8 frees it. V8 frees some of it later; the next check sees that.
      least = resident;
    } else least = Math.min(least, resident);
  }, checkEvery).unref();
}
