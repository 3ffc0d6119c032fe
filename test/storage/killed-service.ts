import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { onTestFinished } from 'vitest';
import { createTestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { runVerify, type VerifyCommand } from './verify.ts';

/** A place at which a process is stopped, so that it can be killed there. */
export interface Hold {
  /** Resolves when a process has reached the place and waits there. */
  reached(): Promise<unknown>;
  /** Removes the stop after the kill. Statements that waited are lost, as if they had ended with their process. */
  release(): Promise<void>;
}

/** Creates a database and a directory, and functions to start processes of the service on both, which a test kills. */
export async function openKilled(more: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-killed-'));
  const sql = postgres(database.superuserUrl, { max: 2, onnotice: () => {} });
  const running = new Set<RunningService>();
  onTestFinished(async () => {
    for (const service of running) await service.stop('SIGKILL');
    await sql.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    ...more,
  };
  /** Settings with which sweeps run soon after the start. */
  const soon = { STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' };
  const start = async (settings: Record<string, string>) => {
    const service = await startService({ ...env, ...settings });
    running.add(service);
    return service;
  };
  return {
    storage: join(folder, 'storage'),
    sql,
    /** Starts the process that will be killed. Its own sweeps do not affect its running work. */
    start: () => start({ SWEEP_INTERVAL_SECONDS: '1' }),
    /** Starts the process that follows the killed one. Its sweeps run soon. */
    startAgain: () => start(soon),
    verify: () => runVerify({ ...env, ...soon }),
    /**
     * Compares the storage with the database repeatedly, until they agree and nothing is in progress except what
     * matches `inProgress`. This takes at least half a minute if the killed process had begun a task, because another
     * worker can only then take the task.
     * @returns the last comparison
     */
    async agreed(inProgress = /^$/): Promise<VerifyCommand> {
      let last: VerifyCommand | undefined;
      return poll(async () => {
        last = await runVerify({ ...env, ...soon });
        const left = last.counts.filter((line) => line.startsWith('in progress') && !inProgress.test(line));
        return last.code === 0 && left.length === 0 && last;
      }, 90).catch(() => {
        throw new Error(`store and database differ: ${JSON.stringify(last)}`);
      });
    },
    /** Makes the statement wait that writes such a row, so that its transaction is not committed. */
    holdRows: (table: string, event: 'insert' | 'update', when: string) => holdRows(sql, table, event, when),
    /** Makes writes to the manifests in a directory fail. */
    holdManifests: () => holdManifests(join(folder, 'storage/golden/manifest')),
  };
}

export type Killed = Awaited<ReturnType<typeof openKilled>>;

const lock = 4711;

async function holdRows(
  sql: postgres.Sql,
  table: string,
  event: 'insert' | 'update',
  when: string,
): Promise<Hold> {
  const holder = await sql.reserve();
  await holder`select pg_advisory_lock(${lock})`;
  await sql.unsafe(`
    create function held() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(${lock}); return new; end $$;
    create trigger held before ${event} on ${table} for each row when (${when}) execute function held()`);
  const waiting = () => sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;
  return {
    reached: () => poll(async () => (await waiting()).length > 0),
    async release() {
      // Otherwise PostgreSQL would still commit the statements that the dead process has sent.
      for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid}, 5000)`;
      await holder`select pg_advisory_unlock(${lock})`;
      holder.release();
      await sql.unsafe(`drop trigger held on ${table}; drop function held`);
    },
  };
}

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
