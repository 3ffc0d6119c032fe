import { Worker } from 'node:worker_threads';

/*
 * Writes small objects on a dedicated thread. Writes that arrive while the thread is busy are sent to it together, so
 * that each write costs less under load (decision 10). If the disk hangs, only this thread is blocked.
 */

/** A file that is written under a temporary name and then renamed. */
export interface SmallWrite {
  file: string;
  temporary: string;
  content: string;
}

/** A write that failed. `index` is its position among the writes that were sent together. */
export interface FailedWrite {
  index: number;
  code: string | undefined;
  message: string;
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

interface Batch {
  writes: SmallWrite[];
  waiting: Waiting[];
}

let thread: Worker | undefined;
/** The writes that the thread is processing. */
let sent: Batch | undefined;
let next: Batch = { writes: [], waiting: [] };

/**
 * Writes with the thread. If the caller does not wait for one write before the next, the order of the two is
 * undefined.
 * @throws the error of the file system, with its `code`
 */
export function writeSmall(write: SmallWrite): Promise<void> {
  return new Promise((resolve, reject) => {
    next.writes.push(write);
    next.waiting.push({ resolve, reject });
    // Send later: other events in this iteration of the event loop may add more writes.
    if (!sent && next.writes.length === 1) setImmediate(sendNext);
  });
}

function sendNext(): void {
  if (sent || next.writes.length === 0) return;
  sent = next;
  next = { writes: [], waiting: [] };
  thread ??= startThread();
  // Keeps the process alive until the writes are done.
  thread.ref();
  thread.postMessage(sent.writes);
}

function startThread(): Worker {
  const started = new Worker(new URL('./write-thread.ts', import.meta.url));
  started.on('message', (failed: FailedWrite[]) => {
    started.unref();
    const errors = new Map(
      failed.map(({ index, code, message }) => [index, Object.assign(new Error(message), { code })]),
    );
    settle((index) => errors.get(index));
  });
  // Ignore `error`, because `exit` follows it. The next write then starts a new thread.
  started.on('error', () => {});
  started.on('exit', () => {
    thread = undefined;
    settle(() => new Error('the thread that writes files ended'));
  });
  return started;
}

/** Settles the writes of the batch that was sent, and sends the next batch. */
function settle(errorOf: (index: number) => Error | undefined): void {
  const waiting = sent?.waiting ?? [];
  sent = undefined;
  for (const [index, { resolve, reject }] of waiting.entries()) {
    const error = errorOf(index);
    if (error) reject(error);
    else resolve();
  }
  sendNext();
}
