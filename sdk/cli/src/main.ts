#!/usr/bin/env node
import { processIo } from './io.ts';
import { run } from './program.ts';

const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The second signal ends a program that does not stop.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort(new Error('interrupted'));
  });
// A reader such as `head` has closed the pipe, so no more data can be written.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
});
// Without a reader of messages, a translation continues: it may already be billed.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await run(process.argv.slice(2), processIo(interrupt.signal));
