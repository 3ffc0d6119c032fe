import { AppError } from '#server/errors.ts';
import { createThreads, threadCount } from '#server/platform/threads/threads.ts';
import type { HashingResult, HashingTask, HashingWork } from './hashing-worker.ts';

/** Maximum number of tasks in the queue: a few seconds of work. */
const maxQueued = 200;

/** Far more than a task takes while other processes use all cores. */
const deadlineMs = 60_000;

interface Waiting {
  task: HashingTask;
  settle(result: HashingResult): void;
}

const runTask = createThreads<HashingWork>(
  new URL('./hashing-worker.ts', import.meta.url),
  'hashes passwords',
  deadlineMs,
);
const waiting: Waiting[] = [];
let running = 0;

/**
 * Runs a task on one of a pool of threads, because hashing blocks its thread. Tasks start in the order of the calls.
 * A thread needs 19 MiB to hash, and 60 MB for the dictionaries of an estimate; idle threads end.
 * @throws AppError 429 if the queue is full
 */
export function hashOnThread(task: HashingTask): Promise<HashingResult> {
  if (waiting.length >= maxQueued)
    throw new AppError('too_many_requests', 'too many sign-ins at this moment; try again', { retryAfter: 5 });
  return new Promise((settle) => {
    waiting.push({ task, settle });
    void next();
  });
}

async function next(): Promise<void> {
  const first = running < threadCount ? waiting.shift() : undefined;
  if (!first) return;
  running += 1;
  // If a thread dies, only its own task fails. The next task gets a new thread.
  const result = await runTask('run', first.task).catch(() => ({ failed: true }) as const);
  running -= 1;
  first.settle(result);
  void next();
}
