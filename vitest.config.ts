import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/postgres.ts'],
    pool: 'forks',
    // On every core, the last one too: tests wait for the database as much as they compute. All share its connections.
    maxWorkers: Math.min(availableParallelism(), 4),
    sequence: { shuffle: { files: true, tests: false } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Locally and in CI alike: the last line that counts is printed by the reporter.
    reporters: ['default'],
  },
});
