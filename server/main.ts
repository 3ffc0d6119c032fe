import { enableCompileCache } from 'node:module';

enableCompileCache();
// After the cache is on, so that it holds everything below.
const { runCommand } = await import('./process.ts');

const apiOnly = process.argv.includes('--api-only');
await runCommand(
  (settings) => ({ api: true, workers: settings.RUN_WORKERS && !apiOnly }),
  ({ address }) => `LinguaLoop listens on ${address}`,
);
