import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '#server/errors.ts';
import type { HashingAnswer, HashingTask } from './hashing-worker.ts';

/** Hashes at one time: half of the cores, so that requests which need no password are still answered. 19 MiB each. */
const size = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
/** Tasks that may wait: some seconds of work. */
const maximumWaiting = 200;

interface Waiting {
  task: HashingTask;
  settle(answer: HashingAnswer): void;
}

const idle: Worker[] = [];
const waiting: Waiting[] = [];
let threads = 0;

/**
 * Runs a task on a thread of its own, in turn: hashing blocks whatever thread it runs on. Threads are started as they are
 * needed, and hold no process up.
 * @throws AppError 429 where too many wait
 */
export function hashOnThread(task: HashingTask): Promise<HashingAnswer> {
  if (waiting.length >= maximumWaiting)
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
  thread.once('message', (answer: HashingAnswer) => {
    idle.push(thread);
    first.settle(answer);
    next();
  });
  // A thread that dies takes its task along, and no other: the next one has a new thread.
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
