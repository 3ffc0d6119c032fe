import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startAccount } from './data-lake-account.ts';

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, 'data-lake-process.ts'), ...args]);

test('lines that several processes append at once are all there, each whole and once', async () => {
  const { lake, sas, text } = await startAccount();
  onTestFinished(lake.close);
  const names = ['a', 'b', 'c'];
  await Promise.all(names.map((name) => run('lines', lake.url, sas, name, '200')));
  const expected = names.flatMap((name) => Array.from({ length: 200 }, (_, i) => `${name} ${i}`));
  expect(text('golden/manifest/day.jsonl')!.trimEnd().split('\n').toSorted()).toEqual(expected.toSorted());
});

test('30 MB up and down take little memory beside the content', async () => {
  const { lake, sas } = await startAccount();
  onTestFinished(lake.close);
  const { stdout } = await run('memory', lake.url, sas);
  const { put, streamed } = JSON.parse(stdout) as { put: number; streamed: number };
  expect(put).toBeLessThan(20_000_000);
  expect(streamed).toBeLessThan(20_000_000);
});
