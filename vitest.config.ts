import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongFilesFirst } from './test/setup/file-order.ts';

/** They replace a module, or look at what their process has loaded, its environment or its memory. */
const ownProcess = [
  'test/auth/password-hash-count.test.ts',
  'test/matching/fuzzy-recall.test.ts',
  'test/metering/export-pages.test.ts',
  'test/settings.test.ts',
  'test/translations/plausibility/lazy-profiles.test.ts',
];

/** They hold a time limit that work of other files would break: they run one after another, when the rest is done. */
const timed = [
  'test/engines/fair-share.test.ts',
  'test/formats/csv-read.test.ts',
  'test/formats/docx-limits.test.ts',
  'test/formats/pdf-block-styles.test.ts',
  'test/formats/tmx-refused.test.ts',
  'test/languages.test.ts',
  'test/matching/terms-assignment.test.ts',
  'test/matching/terms-hostile.test.ts',
  'test/metering/admission-across-processes.test.ts',
  'test/rest/bounds.test.ts',
  'test/rest/client-address.test.ts',
  'test/sandbox/*.test.ts',
  'test/storage/account-removal.test.ts',
  'test/storage/data-lake-leases.test.ts',
  'test/web/review-speed.test.ts',
];

/** They wait for a browser, which has to share the cores: `npm test -- --project journeys`. */
const journeys = ['test/web/*.test.ts'];

/** They see every screen in each state, colour or width, or end processes, so a browser is busy for longer than with the journeys. */
const visits = [
  'test/web/{all-screens,dialogs,forced-colors,guides,hostile-names,hostile-texts,kills,states}.test.ts',
  'test/web/{review,sets,sign-in}-looks.test.ts',
];

const shared = {
  pool: 'forks' as const,
  execArgv: ['--import', fileURLToPath(new URL('test/setup/worker-process.ts', import.meta.url))],
  // One more than cores: tests wait for the database as much as they compute. All share its connections.
  maxWorkers: Math.min(availableParallelism() + 1, 4),
  testTimeout: 30_000,
  hookTimeout: 60_000,
};

const inBrowsers = { isolate: false, testTimeout: 90_000, maxWorkers: 2, sequence: { groupOrder: 2 } };

export default defineConfig({
  test: {
    globalSetup: ['test/setup/postgres.ts', 'test/setup/web-build.ts'],
    // The next run need not transform again what has not changed.
    fsModuleCache: true,
    // Locally and in CI alike: the last line that counts is printed by the reporter.
    reporters: ['default'],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        // One process runs many files, and keeps the modules that it has loaded: to load them anew for each file took
        // half of the time. So a test file leaves nothing behind: no environment variable, no stub, no open server.
        test: {
          ...shared,
          name: 'shared process',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ownProcess, ...timed, ...journeys],
          isolate: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'own process',
          include: ownProcess,
          isolate: true,
        },
      },
      {
        test: {
          ...shared,
          ...inBrowsers,
          name: 'journeys',
          include: journeys,
          exclude: [...timed, ...visits],
        },
      },
      {
        test: {
          ...shared,
          ...inBrowsers,
          name: 'visits',
          include: visits,
        },
      },
      {
        test: {
          ...shared,
          name: 'timed',
          include: timed,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
