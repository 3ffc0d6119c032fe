import '#server/platform/module-loading.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';

// Handle signals before anything else is loaded, so that a signal during the start is not lost.
const signals = listenForStop();
const { runCommand } = await import('#server/process.ts');

await runCommand(
  () => ({ api: false, workers: true }),
  () => 'LinguaLoop workers are running',
  signals,
);
