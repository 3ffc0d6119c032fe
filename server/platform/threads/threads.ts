import { availableParallelism, setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';
import { AppError } from '#server/errors.ts';
import { createConcurrencyLimit, type SlotScope } from '#server/platform/concurrency-limit.ts';

/** The functions of a thread, by name. Their arguments and results are plain data, which can be cloned. */
// biome-ignore lint/suspicious/noExplicitAny: only `any` accepts a function with any argument.
type ThreadWork = Record<string, (task: any) => unknown>;

/** The response of a thread: the result of a task, or the name of the error by which it failed. */
type ThreadMessage = { result: unknown } | { failed: string };

/** Maximum number of concurrent tasks: half of the cores, from 1 to 4, so that requests without long texts are still served. */
export const threadCount = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

/** Milliseconds after which an idle thread ends, so that the memory of its last tasks is freed. */
const maxIdleMs = 10_000;

/** Far more than the largest task needs, and far less than would harm the process. */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/** Thrown if a task did not end in time. Its thread was stopped. The caller reads that a repetition may succeed. */
export class DeadlineError extends AppError {
  override name = 'DeadlineError';

  constructor(cause: string) {
    super('transient_error', 'the service is too busy for this request; try again', {
      cause: new Error(cause),
    });
  }
}

interface Thread {
  worker: Worker;
  /** The promise that the next message of the thread settles; null while the thread is idle. */
  asked: { resolve(message: ThreadMessage): void; reject(error: Error): void } | null;
  ending: NodeJS.Timeout | undefined;
}

/**
 * Returns a function that runs a task on a separate thread, so that it does not hold up the event loop, whatever data
 * of a tenant it reads. The caller limits the number of concurrent tasks. Threads start when they are needed, end when
 * they are idle, and do not keep the process alive.
 * @param file the module of the threads, which calls `serveThread`
 * @param purpose what the threads do, for error messages: `checks texts`
 * @param deadlineMs a task that takes longer is stopped, with its thread
 * @returns a function that throws `DeadlineError`, or another error if the thread failed
 */
export function createThreads<W extends ThreadWork>(file: URL, purpose: string, deadlineMs: number) {
  const idle = new Set<Thread>();

  function startThread(): Thread {
    const worker = new Worker(file, { resourceLimits });
    worker.unref();
    const thread: Thread = { worker, asked: null, ending: undefined };
    const died = (cause?: unknown) => {
      idle.delete(thread);
      clearTimeout(thread.ending);
      thread.asked?.reject(
        new Error(`the thread that ${purpose} ended`, { cause: cause instanceof Error ? cause : undefined }),
      );
      thread.asked = null;
    };
    worker.on('error', died);
    worker.on('exit', died);
    worker.on('message', (message: ThreadMessage) => {
      clearTimeout(thread.ending);
      thread.asked?.resolve(message);
      thread.asked = null;
      idle.add(thread);
      thread.ending = setTimeout(() => {
        idle.delete(thread);
        void worker.terminate();
      }, maxIdleMs).unref();
    });
    return thread;
  }

  return async <Name extends keyof W & string>(
    name: Name,
    task: Parameters<W[Name]>[0],
  ): Promise<Awaited<ReturnType<W[Name]>>> => {
    const [thread = startThread()] = idle;
    idle.delete(thread);
    clearTimeout(thread.ending);
    const message = await new Promise<ThreadMessage>((resolve, reject) => {
      thread.asked = { resolve, reject };
      thread.ending = setTimeout(() => {
        thread.asked = null;
        void thread.worker.terminate();
        reject(new DeadlineError(`the thread that ${purpose} did not end within ${deadlineMs} ms`));
      }, deadlineMs);
      thread.worker.postMessage({ name, task });
    });
    if ('failed' in message) throw new Error(`the thread that ${purpose} failed: ${message.failed}`);
    return message.result as Awaited<ReturnType<W[Name]>>;
  };
}

interface SharedLimits {
  deadlineMs: number;
  /** Maximum queued tasks. Further ones are rejected with the message `refusal`. */
  maxWaiting: number;
  refusal: string;
  /** Maximum number of threads. Default: `threadCount`. */
  slots?: number;
  /** Maximum number of threads of one tenant. Default: all that its share allows. */
  slotsOfTenant?: number;
}

/**
 * Like `createThreads`, for any number of tasks: tenants get the threads in turn.
 * @returns a function that calls `late` if the task does not end in time, and throws rate_limit if too many are queued
 */
export function createSharedThreads<W extends ThreadWork>(
  file: URL,
  purpose: string,
  { deadlineMs, ...limits }: SharedLimits,
) {
  const slots = createConcurrencyLimit({ slots: threadCount, ...limits });
  const run = createThreads<W>(file, purpose, deadlineMs);
  return <Name extends keyof W & string>(
    name: Name,
    task: Parameters<W[Name]>[0],
    { tenantId, signal }: SlotScope,
    late: (error: DeadlineError) => Awaited<ReturnType<W[Name]>>,
  ): Promise<Awaited<ReturnType<W[Name]>>> =>
    slots.run({ tenantId, signal }, () =>
      run(name, task).catch((error: unknown) => {
        if (error instanceof DeadlineError) return late(error);
        throw error;
      }),
    );
}

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
