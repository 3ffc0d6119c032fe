import '#server/platform/module-loading.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';

// Handle signals before anything else is loaded, so that a signal during the start is not lost.
const signals = listenForStop();

const { runCommand } = await import('#server/process.ts');
const { terminalGreeting } = await import('#server/platform/log.ts');

const apiOnly = process.argv.includes('--api-only');
await runCommand(
  (settings) => ({ api: true, workers: settings.RUN_WORKERS && !apiOnly }),
  ({ address, live }, settings) =>
    process.stdout.isTTY
      ? terminalGreeting(address ?? '', settings)
      : `LinguaLoop listens on ${address}${live ? '' : ' with the stub engine'}`,
  signals,
);
