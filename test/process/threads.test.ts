import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { toAppError } from '#server/errors.ts';
import { createThreads, DeadlineError } from '#server/platform/threads/threads.ts';

/** Work that never ends, with a pattern that retries exponentially; work that fails; and work that returns its task. */
const work = `
import { parentPort } from 'node:worker_threads';
import { serveThread } from ${JSON.stringify(new URL('../../server/platform/threads/threads.ts', import.meta.url).href)};
serveThread({
  echo: (task) => task,
  fail: (task) => { throw new RangeError(task); },
  forever: () => /^(a+)+$/.test('a'.repeat(60) + '!'),
});
`;

test('work that does not end is stopped at its deadline, holds up nothing, and the next work succeeds', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'threads-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'work.mjs');
  await writeFile(file, work);
  const run = createThreads<{
    echo(task: string): string;
    fail(task: string): never;
    forever(task: null): boolean;
  }>(pathToFileURL(file), 'tests threads', 3000);

  expect(await run('echo', 'one')).toBe('one');
  // The message of an error may have a tenant's text.
  await expect(run('fail', 'secret')).rejects.toThrow(/^the thread that tests threads failed: RangeError$/);
  let turns = 0;
  const clock = setInterval(() => turns++, 10);
  onTestFinished(() => clearInterval(clock));
  const late = await run('forever', null).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(DeadlineError);
  // Such as a text whose glossary terms were not found in time: 503, and not the 500 of a defect.
  expect(toAppError(late)).toMatchObject({ status: 503, code: 'transient_error' });
  expect(turns).toBeGreaterThan(20);
  expect(await run('echo', 'two')).toBe('two');
});
