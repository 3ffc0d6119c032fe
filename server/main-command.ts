import { loadModulesFast } from './module-loading.ts';
import { listenForStop } from './stop-signals.ts';

// Listen before anything else is loaded, so that a signal during the start is handled.
const signals = listenForStop();

loadModulesFast();
const { runCommand, stubNotice } = await import('./process.ts');

const apiOnly = process.argv.includes('--api-only');
await runCommand(
  (settings) => ({ api: true, workers: settings.RUN_WORKERS && !apiOnly }),
  ({ address, live }) => {
    if (live) return `LinguaLoop listens on ${address}`;
    // The log has the notice for those who do not look at a terminal.
    return `LinguaLoop listens on ${address} with the stub engine${process.stdout.isTTY ? `\n${stubNotice}` : ''}`;
  },
  signals,
);
