import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LanguageCode } from '#server/languages.ts';
import type {
  ExpectedTerm,
  FoundTerms,
  GlossaryEntry,
  TermCompliance,
  TermTables,
} from '#server/matching/terms/index.ts';

/** The tasks of a thread. All data can be cloned, and a thread keeps nothing between tasks. */
export interface TermTasks {
  /** Compiles a glossary. The returned tables are in shared memory. */
  tabulate: { entries: readonly GlossaryEntry[]; language: LanguageCode };
  /** Finds the terms in a text. */
  find: { tables: Pick<TermTables, 'patterns' | 'ranks'>; text: string; language: LanguageCode };
  /** Checks whether a translation has the terms that are expected in it. */
  check: { expected: readonly ExpectedTerm[]; translation: string; language: LanguageCode };
}

export interface TermResults {
  tabulate: TermTables;
  find: FoundTerms;
  check: TermCompliance;
}

export type TermTask = { [Name in keyof TermTasks]: { name: Name; task: TermTasks[Name] } }[keyof TermTasks];

type TermThreadMessage = { result: TermResults[keyof TermResults] } | { failed: string };

/** Maximum number of concurrent tasks: half of the cores, from 1 to 4, so that requests without a large glossary are still served. */
export const termThreadCount = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));

/** Milliseconds after which an idle thread ends, so that the memory of its last tasks is freed. */
const maxIdleMs = 10_000;

/** Far more than the largest glossary needs, and far less than would harm the process. */
const resourceLimits = { maxOldGenerationSizeMb: 512 };

interface Thread {
  worker: Worker;
  /** The promise that the next message of the thread settles; null while the thread is idle. */
  asked: { resolve(message: TermThreadMessage): void; reject(error: Error): void } | null;
  ending: NodeJS.Timeout | undefined;
}

const idle = new Set<Thread>();

/**
 * Runs a task on a separate thread. The caller must run at most `termThreadCount` tasks at a time. Threads start when
 * they are needed, end when they are idle, and do not keep the process alive.
 * @throws Error if the thread failed
 */
export async function runOnTermThread<Name extends keyof TermTasks>(
  name: Name,
  task: TermTasks[Name],
): Promise<TermResults[Name]> {
  const [thread = startThread()] = idle;
  idle.delete(thread);
  clearTimeout(thread.ending);
  const message = await new Promise<TermThreadMessage>((resolve, reject) => {
    thread.asked = { resolve, reject };
    thread.worker.postMessage({ name, task });
  });
  if ('failed' in message)
    throw new Error(`the thread that matches glossary terms failed: ${message.failed}`);
  return message.result as TermResults[Name];
}

function startThread(): Thread {
  const worker = new Worker(new URL('./term-thread.ts', import.meta.url), { resourceLimits });
  worker.unref();
  const thread: Thread = { worker, asked: null, ending: undefined };
  const died = (cause?: unknown) => {
    idle.delete(thread);
    clearTimeout(thread.ending);
    thread.asked?.reject(
      new Error('the thread that matches glossary terms ended', {
        cause: cause instanceof Error ? cause : undefined,
      }),
    );
    thread.asked = null;
  };
  worker.on('error', died);
  worker.on('exit', died);
  worker.on('message', (message: TermThreadMessage) => {
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
