import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '#server/errors.ts';
import type { HashingResult, HashingTask } from './hashing-worker.ts';

/** Number of threads; each needs 19 MiB to hash. Half of the cores stay free for requests without a password. */
const size = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
/** Maximum number of tasks in the queue: a few seconds of work. */
const maxQueued = 200;

interface Waiting {
  task: HashingTask;
  settle(result: HashingResult): void;
}

const idle: Worker[] = [];
const waiting: Waiting[] = [];
let threads = 0;

/**
 * Runs a task on one of a pool of threads, because hashing blocks its thread. Tasks start in the order of the calls.
 * Threads start when they are needed and do not keep the process alive.
 * @throws AppError 429 if the queue is full
 */
export function hashOnThread(task: HashingTask): Promise<HashingResult> {
  if (waiting.length >= maxQueued)
    throw new AppError('too_many_requests', 'too many sign-ins at this moment; try again', { retryAfter: 5 });
  return new Promise((settle) => {
    waiting.push({ task, settle });
    if (idle.length === 0 && threads < size) idle.push(startThread());
    next();
  });
}

function next(): void {
  const thread = idle.pop();
  if (!thread) return;
  const first = waiting.shift();
  if (!first) {
    idle.push(thread);
    return;
  }
  thread.removeAllListeners();
  thread.once('message', (result: HashingResult) => {
    idle.push(thread);
    first.settle(result);
    next();
  });
  // If a thread dies, only its own task fails. The next task gets a new thread.
  const died = () => {
    thread.removeAllListeners();
    threads -= 1;
    const place = idle.indexOf(thread);
    if (place >= 0) idle.splice(place, 1);
    first.settle({ failed: true });
    if (waiting.length > 0) idle.push(startThread());
    next();
  };
  thread.once('error', died);
  thread.once('exit', died);
  thread.postMessage(first.task);
}

function startThread(): Worker {
  threads += 1;
  const thread = new Worker(new URL('./hashing-worker.ts', import.meta.url));
  thread.unref();
  return thread;
}
