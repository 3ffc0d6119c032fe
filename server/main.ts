import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { listenForStop } from './stop-signals.ts';

// Listen before anything else is loaded, so that a signal during the start is handled.
const signals = listenForStop();

// Do not use the default folder under the system's /tmp: another user could place code there.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/lingualoop'));
// Import after the cache is enabled, so that everything below is cached.
const { runCommand, stubNotice } = await import('./process.ts');

const apiOnly = process.argv.includes('--api-only');
await runCommand(
  (settings) => ({ api: true, workers: settings.RUN_WORKERS && !apiOnly }),
  ({ address, live }) => `LinguaLoop listens on ${address}${live ? '' : `\n${stubNotice}`}`,
  signals,
);
