import { runCommand } from '#server/process.ts';

await runCommand(
  () => ({ api: false, workers: true }),
  () => 'LinguaLoop workers are running',
);
