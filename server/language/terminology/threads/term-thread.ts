import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { checkTerms, findInText, tabulateTerms } from '#server/matching/terms/index.ts';
import { shared } from './shared-tables.ts';
import type { TermResults, TermTask, TermTasks } from './term-threads.ts';

// Lower the priority of this thread, so that requests without a glossary run first if there are too few cores. On
// Linux, 0 means the calling thread; on other systems it means the whole process.
if (process.platform === 'linux') setPriority(0, 10);

const work: { [Name in keyof TermTasks]: (task: TermTasks[Name]) => TermResults[Name] } = {
  tabulate: ({ entries, language }) => shared(tabulateTerms(entries, language)),
  find: ({ tables, text, language }) => findInText(tables, text, language),
  check: ({ expected, translation, language }) => checkTerms(expected, translation, language),
};

parentPort?.on('message', ({ name, task }: TermTask) => {
  try {
    parentPort?.postMessage({ result: (work[name] as (given: typeof task) => unknown)(task) });
  } catch (error) {
    // Send only the name of the error: its message might contain a term.
    parentPort?.postMessage({ failed: error instanceof Error ? error.name : 'error' });
  }
});
