import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingNames } from '#server/settings.ts';

/*
 * The weight of the project. `npm run check` runs this program, which fails if a count exceeds its limit. A limit is only
 * lowered: what comes in pays by what goes out in the same change.
 */

interface Budget {
  name: string;
  count: number;
  limit: number;
  /** The target. */
  goal: number;
}

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\n')
  .filter((path) => existsSync(path));
const matching = (pattern: RegExp, except = /^$/) =>
  files.filter((path) => pattern.test(path) && !except.test(path));
const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const linesOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0);
const wordsOf = (paths: readonly string[]) =>
  paths.reduce((sum, path) => sum + read(path).split(/\s+/).filter(Boolean).length, 0);

const code = /\.(ts|tsx|css|mjs|js|sh|py)$/;
const sources = matching(code, /^(test|db\/migrations)\/|\.d\.ts$/);
const tests = matching(code, /^(?!test\/)/);
const guides = matching(/\.md$/, /^(web\/pages|test|docs\/gallery)\//);

const counted: Budget[] = [
  { name: 'lines of source', count: linesOf(sources), limit: 256_770, goal: 232_000 },
  { name: 'files of source', count: sources.length, limit: 1752, goal: 1650 },
  { name: 'lines of tests', count: linesOf(tests), limit: 173_500, goal: 145_000 },
  { name: 'words of documentation', count: wordsOf(guides), limit: 49_950, goal: 50_000 },
  { name: 'settings', count: settingNames.length, limit: 85, goal: 85 },
];

/** Megabytes of packages after `npm ci`; `install-size.slow.test.ts` measures them. */
export const megabytesOfPackages = { all: 850, production: 500 };

if (import.meta.main) {
  for (const { name, count, limit } of counted)
    if (count > limit) {
      console.error(`${name}: ${count}, limit ${limit}. Remove as much as comes in.`);
      process.exitCode = 1;
    }
  const figures = counted.map(({ name, count, goal }) => `${count} ${name} (goal ${goal})`);
  if (process.exitCode === undefined) console.log(`Within the budgets: ${figures.join(', ')}.`);
}
