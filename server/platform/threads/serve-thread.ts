import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import type { ThreadMessage, ThreadWork } from './threads.ts';

/** Runs the tasks that this thread receives from `createThreads`, one after another. */
export function serveThread(work: ThreadWork): void {
  // Lower the priority of this thread, so that requests with short texts run first if there are too few cores. On
  // Linux, 0 means the calling thread; on other systems it means the whole process.
  if (process.platform === 'linux') setPriority(0, 10);
  parentPort?.on('message', async ({ name, task }: { name: string; task: unknown }) => {
    parentPort?.postMessage(await run(() => work[name]!(task)));
  });
}

async function run(task: () => unknown): Promise<ThreadMessage> {
  try {
    return { result: await task() };
  } catch (error) {
    // Only the name of the error: its message might contain a tenant's text.
    return { failed: error instanceof Error ? error.name : 'error' };
  }
}
