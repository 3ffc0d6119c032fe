import { Worker } from 'node:worker_threads';

/*
 * Writes texts and lines on a dedicated thread. Writes that arrive while the thread is busy are sent to it together,
 * so that each write costs less under load (decision 10). If the disk hangs, only this thread is blocked.
 */

/** A line to append to a file. */
export interface AppendedLine {
  file: string;
  line: string;
}

/**
 * A write: `put` writes a whole file through a temporary one; `append` appends a line; `record` adds a record to a pack
 * below `folder`, after appending a line that announces it, in which `{record}` stands for the record's path below
 * `folder`.
 */
export type SmallWrite =
  | { kind: 'put'; file: string; temporary: string; content: string }
  | { kind: 'record'; folder: string; name: string; at: number; content: string; announced: AppendedLine }
  | ({ kind: 'append' } & AppendedLine);

/** The outcome of a batch of writes. `index` is the position of a write among those that were sent together. */
export interface WriteOutcome {
  failed: { index: number; code: string | undefined; message: string }[];
  /** The paths of the written records. */
  records: { index: number; path: string }[];
}

interface Waiting {
  resolve(path: string | undefined): void;
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
 * @returns for a record, its path below the folder
 * @throws the error of the file system, with its `code`
 */
export function writeSmall(write: SmallWrite): Promise<string | undefined> {
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
  started.on('message', ({ failed, records }: WriteOutcome) => {
    started.unref();
    const outcomes = new Map<number, Error | string>(records.map(({ index, path }) => [index, path]));
    for (const { index, code, message } of failed)
      outcomes.set(index, Object.assign(new Error(message), { code }));
    settle((index) => outcomes.get(index));
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
function settle(outcomeOf: (index: number) => Error | string | undefined): void {
  const waiting = sent?.waiting ?? [];
  sent = undefined;
  for (const [index, { resolve, reject }] of waiting.entries()) {
    const outcome = outcomeOf(index);
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  }
  sendNext();
}
