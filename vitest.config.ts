import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup/postgres.ts'],
    pool: 'forks',
    sequence: { shuffle: { files: true, tests: false } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Locally and in CI alike: the last line that counts is printed by the reporter.
    reporters: ['default'],
  },
});
