import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { launch, processesOf } from '#test/setup/launch.ts';

const run = promisify(execFile);
const newFolder = () => mkdtemp(join(tmpdir(), 'lingualoop-signals-'));

/** Removes a data directory, and kills all processes that still use it. */
export async function discard(folder: string): Promise<void> {
  for (const line of processesOf(folder)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Creates a data directory whose database was stopped, because most starts find such a directory. Returns functions
 * that copy it.
 */
export function useStoppedDatabase() {
  let folder: string;
  let startMs = 0;

  beforeAll(async () => {
    folder = await newFolder();
    for (let n = 0; n < 2; n++) {
      const begun = performance.now();
      const service = launch(['server/main.ts'], { DATA_DIR: folder });
      await service.says('"msg":"LinguaLoop ');
      startMs = performance.now() - begun;
      service.child.kill('SIGTERM');
      expect((await service.ended).code).toBe(0);
    }
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  return {
    /** The measured duration of a start on this machine, in milliseconds. */
    get startMs() {
      return startMs;
    },
    /** Creates a copy, or an empty directory. It is removed after the test. */
    async copy({ empty = false } = {}): Promise<string> {
      const copy = await newFolder();
      onTestFinished(() => discard(copy));
      // `cp -a` keeps the modification times, and is several times as fast as Node's own copying.
      if (!empty) await run('cp', ['-a', `${folder}/.`, copy]);
      return copy;
    },
  };
}
