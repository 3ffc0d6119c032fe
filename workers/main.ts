import { listenForStop } from '#server/stop-signals.ts';

// Before anything is loaded: a signal during the start must find somebody who hears it.
const signals = listenForStop();
const { runCommand } = await import('#server/process.ts');

await runCommand(
  () => ({ api: false, workers: true }),
  () => 'LinguaLoop workers are running',
  signals,
);
