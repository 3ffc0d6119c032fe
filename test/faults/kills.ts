import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { secretsKey, type TestApp } from '#test/setup/app.ts';
import { createTestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { reportAndTakeOver } from '#workers/run.ts';

/** A process that can be killed. */
export interface Victim {
  stop(signal: 'SIGKILL'): Promise<unknown>;
}

/** A test in which processes are killed: its work, the places of the kills, and the conditions that must hold afterwards. */
export interface Scenario<Work> {
  title: string;
  /** Milliseconds. */
  timeout: number;
  /** The number of kills; 1 by default. */
  kills?: number;
  /** Prepares the work. */
  open(): Promise<Work>;
  /** Starts the process if needed, and resolves with it at the place of a kill: a point of its work, or a random time. */
  reach(work: NoInfer<Work>, kill: number): Promise<Victim>;
  /** Does what follows each kill, such as what time would do. */
  after?(work: NoInfer<Work>, victim: Victim): Promise<unknown>;
  /** Lets a last process end the work, and expects what must hold. */
  holds(work: NoInfer<Work>): Promise<void>;
}

/** Registers the test of a scenario. */
export function testKills<Work>({ title, timeout, kills = 1, ...scenario }: Scenario<Work>): void {
  test(title, { timeout }, async () => {
    const work = await scenario.open();
    for (let kill = 0; kill < kills; kill++) {
      const victim = await scenario.reach(work, kill);
      await victim.stop('SIGKILL');
      await scenario.after?.(work, victim);
    }
    await scenario.holds(work);
  });
}

/** A place at which a process is stopped, so that it can be killed there. */
export interface Hold {
  /** Resolves when a process has reached the place and stays there. */
  reached(): Promise<unknown>;
  /** Removes the stop after the kill. Statements that were stopped are lost, as if they had ended with their process. */
  release(): Promise<void>;
}

const parts = {
  service: ['server/main.ts'],
  api: ['server/main.ts', '--api-only'],
  worker: ['workers/main.ts'],
} as const;

/** Processes of the service on a database and a directory. */
export interface Killable {
  /** The settings of all processes. */
  env: Record<string, string>;
  superuserUrl: string;
  /** A connection of the superuser. */
  sql: postgres.Sql;
  start(part: keyof typeof parts, settings?: Record<string, string>): Promise<RunningService>;
  /** Does what a living process does when the heartbeats of dead ones have stopped: frees their locks. */
  replaceDead(): Promise<void>;
  /** Stops the statement that writes such a row, so that its transaction is not committed. */
  holdRows(table: string, event: 'insert' | 'update', when: string): Promise<Hold>;
  /** Kills the processes that run. */
  killAll(): Promise<void>;
  /** Kills all processes, and removes what was made for them. */
  end(): Promise<void>;
}

interface Place {
  databaseUrl: string;
  superuserUrl: string;
  dataDir: string;
}

function openKillable(place: Place, settings: Record<string, string>): Killable {
  const running = new Set<RunningService>();
  const sql = postgres(place.superuserUrl, { max: 4, onnotice: () => {} });
  const killAll = async () => {
    await Promise.all([...running].map((service) => service.stop('SIGKILL')));
    running.clear();
  };
  const env = {
    DATABASE_URL: place.databaseUrl,
    DATA_DIR: place.dataDir,
    SECRETS_KEY: secretsKey,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    LOG_LEVEL: 'silent',
    ...settings,
  };
  return {
    env,
    superuserUrl: place.superuserUrl,
    sql,
    async start(part, more = {}) {
      const [script, ...args] = parts[part];
      const service = await startService({ ...env, ...more }, script, args);
      running.add(service);
      return service;
    },
    async replaceDead() {
      const database = openDatabase(place.databaseUrl, { size: 1 });
      try {
        await poll(async () => {
          await reportAndTakeOver(database, [], 0);
          return (await sql`select 1 from graphile_worker.jobs where locked_by is not null`).length === 0;
        });
      } finally {
        await database.close();
      }
    },
    holdRows: (table, event, when) => holdRows(sql, table, event, when),
    killAll,
    async end() {
      await killAll();
      await sql.end();
    },
  };
}

/** On the database of an application that is not killed. @param settings further settings */
export const killableBeside = (
  { databaseUrl, superuserUrl, services }: Pick<TestApp, 'databaseUrl' | 'superuserUrl' | 'services'>,
  settings: Record<string, string> = {},
): Killable => openKillable({ databaseUrl, superuserUrl, dataDir: services.settings.DATA_DIR }, settings);

/** On a new database and a new directory, which its end removes. @param settings further settings */
export async function killableAlone(settings: Record<string, string> = {}): Promise<Killable> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-killed-'));
  const { url: databaseUrl, superuserUrl } = database;
  const killable = openKillable({ databaseUrl, superuserUrl, dataDir }, settings);
  return {
    ...killable,
    async end() {
      await killable.end();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

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
    reached: () => poll(async () => (await waiting()).length > 0, 30),
    async release() {
      // Otherwise PostgreSQL would still commit the statements that the dead process has sent.
      for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid}, 5000)`;
      await holder`select pg_advisory_unlock(${lock})`;
      holder.release();
      await sql.unsafe(`drop trigger held on ${table}; drop function held`);
    },
  };
}
