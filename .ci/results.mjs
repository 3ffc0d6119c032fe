/**
 * Reads the results of test runs, as JSON by vitest.
 *
 * `results.mjs failed <file>…` prints the test files that failed. `results.mjs count <file>…` prints those that failed
 * in one run and passed in `second.json`, their number, and how many tests passed and failed, each counted once.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

const print = (line) => process.stdout.write(`${line}\n`);
const [command, ...paths] = process.argv.slice(2);
const read = (path) =>
  (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : []).map((file) => ({
    ...file,
    name: relative(process.cwd(), file.name),
  }));
const isSecond = (path) => basename(path) === 'second.json';
const first = paths.filter((path) => !isSecond(path)).flatMap(read);
const second = new Map(
  paths
    .filter(isSecond)
    .flatMap(read)
    .map((file) => [file.name, file]),
);
const failed = first.filter(({ status }) => status === 'failed');

if (command === 'failed') for (const { name } of failed) print(name);

if (command === 'count') {
  const flaky = failed.filter(({ name }) => second.get(name)?.status === 'passed');
  for (const { name } of flaky) print(`FLAKY: ${name}`);
  print(`${flaky.length} flaky ${flaky.length === 1 ? 'file' : 'files'}`);
  const tests = first.flatMap((file) => (second.get(file.name) ?? file).assertionResults);
  const count = (status) => tests.filter((one) => one.status === status).length;
  print(`${count('passed')} passed, ${count('failed')} failed`);
  if (tests.length === 0) process.exit(1);
}
