import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Hold, killableAlone } from '#test/faults/kills.ts';
import { poll } from '#test/setup/poll.ts';
import { runVerify, type VerifyCommand } from './verify.ts';

/** Processes of the service on a database and a directory, and comparisons of both. */
export async function openKilled(settings: Record<string, string> = {}) {
  const killable = await killableAlone({ SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'), ...settings });
  onTestFinished(killable.end);
  const folder = killable.env['DATA_DIR']!;
  /** Settings with which sweeps run soon after the start. */
  const soon = { STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' };
  const verify = () => runVerify({ ...killable.env, ...soon });
  return {
    sql: killable.sql,
    holdRows: killable.holdRows,
    storage: join(folder, 'storage'),
    /** Starts the process that will be killed. Its own sweeps do not affect its running work. */
    start: () => killable.start('service', { SWEEP_INTERVAL_SECONDS: '1' }),
    /** Starts the process that follows the killed one. Its sweeps run soon. */
    startAgain: () => killable.start('service', soon),
    verify,
    /**
     * Compares the storage with the database repeatedly, until they agree and nothing is in progress except what
     * matches `inProgress`. This takes at least half a minute if the killed process had begun a task, because another
     * worker can only then take the task.
     * @returns the last comparison
     */
    async agreed(inProgress = /^$/): Promise<VerifyCommand> {
      let last: VerifyCommand | undefined;
      return poll(async () => {
        last = await verify();
        const left = last.counts.filter((line) => line.startsWith('in progress') && !inProgress.test(line));
        return last.code === 0 && left.length === 0 && last;
      }, 90).catch(() => {
        throw new Error(`store and database differ: ${JSON.stringify(last)}`);
      });
    },
    /** Makes writes to the manifests in a directory fail. */
    holdManifests: () => holdManifests(join(folder, 'storage/golden/manifest')),
  };
}

export type Killed = Awaited<ReturnType<typeof openKilled>>;

async function holdManifests(folder: string): Promise<Hold> {
  const days = [0, 86_400_000].map((later) => new Date(Date.now() + later).toISOString().slice(0, 10));
  const files = days.map((day) => join(folder, day));
  await mkdir(folder, { recursive: true });
  for (const file of files) await writeFile(file, '');
  return {
    // No line can be written into a folder that is a file.
    reached: async () => {},
    async release() {
      for (const file of files) await rm(file);
    },
  };
}
