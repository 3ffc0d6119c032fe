import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests are named by their needs (CONTRIBUTING.md, "Tests"). */
const slow = 'test/**/*.slow.test.ts';
const inBrowser = 'test/web/**/*.test.ts';
/** These run only before a release (`npm run test:nightly`). */
const nightly = 'test/**/*.nightly.test.ts';
const exclude = ['**/node_modules/**', nightly];

const shared = {
  pool: 'forks' as const,
  // One process runs many files, and keeps the modules that it has loaded: loading them for each file took half of the
  // time. So a test file leaves nothing behind: no environment variable, no stub, no open server.
  isolate: false,
  execArgv: [
    // There are more processes than cores: threads that collect garbage would wait for each other, for a third of the CPU time.
    '--single-threaded-gc',
    '--import',
    fileURLToPath(new URL('server/platform/module-loading.ts', import.meta.url)),
  ],
  // One more than cores: tests wait for the database as much as they compute. All share its connections.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testTimeout: 30_000,
  hookTimeout: 60_000,
  // By default, a poll ends after a second, which a busy machine needs for a request.
  expect: { poll: { timeout: 20_000, interval: 25 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/setup/postgres.ts', 'test/setup/web-build.ts'],
    // The next run need not transform again what has not changed.
    fsModuleCache: true,
    // Locally and in CI alike: the last line that counts is printed by the reporter.
    reporters: ['default'],
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, slow, inBrowser],
        },
      },
      // They start processes, which take several times as long on a busy machine.
      {
        test: {
          ...shared,
          name: 'slow',
          include: [slow],
          exclude,
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          include: [inBrowser],
          exclude,
          testTimeout: 90_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...shared,
          name: 'nightly',
          include: [nightly],
          testTimeout: 120_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
