import { Worker } from 'node:worker_threads';

/*
 * Writes texts and lines on a dedicated thread. Writes that arrive while the thread works are sent to it together, so
 * each write costs less under load (decision 36). A disk that hangs blocks only this thread.
 */

/** A line at the end of a file. */
export interface AppendedLine {
  file: string;
  line: string;
}

/** A write: of a whole file, through a temporary one, after a line that announces it; or of a line. */
export type SmallWrite =
  | { kind: 'put'; file: string; temporary: string; content: string; announced?: AppendedLine | undefined }
  | ({ kind: 'append' } & AppendedLine);

/** A failed write of the thread. `index`: its position among the sent writes. */
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
/** The writes that the thread processes now. */
let sent: Batch | undefined;
let next: Batch = { writes: [], waiting: [] };

/**
 * Writes on the thread. Writes that are made without awaiting another may be executed in any order.
 * @throws the error of the file system, with its `code`
 */
export function writeSmall(write: SmallWrite): Promise<void> {
  return new Promise((resolve, reject) => {
    next.writes.push(write);
    next.waiting.push({ resolve, reject });
    // Other events of this iteration of the event loop may add more.
    if (!sent && next.writes.length === 1) setImmediate(sendNext);
  });
}

function sendNext(): void {
  if (sent || next.writes.length === 0) return;
  sent = next;
  next = { writes: [], waiting: [] };
  thread ??= startThread();
  // The process stays alive until it is written.
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
  // The next write gets a new thread. `error` is followed by `exit`.
  started.on('error', () => {});
  started.on('exit', () => {
    thread = undefined;
    settle(() => new Error('the thread that writes files ended'));
  });
  return started;
}

/** Ends the writes of the batch that was sent, and sends the next. */
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
