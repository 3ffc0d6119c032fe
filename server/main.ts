import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { listenForStop } from './stop-signals.ts';

// Before anything is loaded: a signal during the start must find somebody who hears it.
const signals = listenForStop();

// Not the default folder under the system's /tmp, where another user could lay code for us.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/lingualoop'));
// After the cache is on, so that it holds everything below.
const { runCommand, stubNotice } = await import('./process.ts');

const apiOnly = process.argv.includes('--api-only');
await runCommand(
  (settings) => ({ api: true, workers: settings.RUN_WORKERS && !apiOnly }),
  ({ address, live }) => `LinguaLoop listens on ${address}${live ? '' : `\n${stubNotice}`}`,
  signals,
);
