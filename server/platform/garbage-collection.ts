import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds between two checks. */
const checkEvery = 10_000;
/** The share of that time for which an idle event loop may be busy. */
const idleShare = 0.1;
/** Minimum bytes allocated since the last collection, to justify its pause of about 50 ms. */
const minBytes = 32_000_000;

/**
 * Frees memory after a burst. V8 collects garbage only on allocation, so an idle process would keep the memory of its
 * last requests, including buffers outside its heap. This collects garbage while no request waits.
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
      // The next check sees memory that V8 frees later.
      least = resident;
    } else least = Math.min(least, resident);
  }, checkEvery).unref();
}
