import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { freePort } from '#db/embedded/secrets.ts';
import type { Pgbouncer } from '#test/setup/pgbouncer.ts';
import { type RunningService, startService } from '#test/setup/service.ts';

/** The processes that can be killed. */
export const victims = ['api', 'worker', 'postmaster', 'backend', 'all'] as const;
/** Those that can be killed if the processes connect through PgBouncer. */
export const pooledVictims = ['api', 'worker', 'pooler', 'backend'] as const;
export type Victim = (typeof victims | typeof pooledVictims)[number];

/**
 * Starts an API process and a worker process with one embedded PostgreSQL. Each of them can be killed.
 * @param pooler the PgBouncer through which `env` lets the processes connect
 */
export async function startCluster(env: Record<string, string>, pooler?: Pgbouncer) {
  const dataDir = env['DATA_DIR'] as string;
  const port = await freePort();
  const settings = { ...env, PORT: String(port) };
  const startApi = () => startService(settings, 'server/main.ts', ['--api-only']);
  const startWorker = () => startService(settings, 'workers/main.ts');
  let api: RunningService = await startApi();
  let worker: RunningService = await startWorker();

  /** The lines of postmaster.pid; undefined if the file does not exist. */
  const pidFile = () =>
    readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8').then(
      (text) => text.split('\n'),
      () => undefined,
    );
  const kill = (pid: number) => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const killPostmaster = async () => {
    const pid = Number((await pidFile())?.[0]);
    if (pid) kill(pid);
  };

  return {
    address: `http://127.0.0.1:${port}`,
    /** Queries the database as the superuser. Each query has its own connection. */
    async query<T extends postgres.Row>(ask: (sql: postgres.Sql) => PromiseLike<readonly T[]>): Promise<T[]> {
      const secrets = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'));
      const sql = postgres({
        host: '127.0.0.1',
        port: Number((await pidFile())?.[3]),
        database: secrets.database,
        username: secrets.superuser,
        password: secrets.superuserPassword,
        max: 1,
        connect_timeout: 5,
        // Looking up types would cause an unhandled rejection while the server starts again.
        fetch_types: false,
        onnotice: () => {},
        // Names like this mark connections of members. The last member stops the server only when all connections
        // without such a name have ended.
        connection: { application_name: 'lingualoop faults' },
      });
      try {
        return [...(await ask(sql))];
      } finally {
        await sql.end({ timeout: 1 });
      }
    },
    /** Kills a process and starts it again, like a supervisor. PostgreSQL is started again by the service. */
    async kill(victim: Victim, pickBackend: (pids: number[]) => number | undefined): Promise<void> {
      if (victim === 'backend') {
        const rows = await this.query(
          (sql) => sql<{ pid: number }[]>`
            select pid from pg_stat_activity
            where backend_type = 'client backend' and application_name <> 'lingualoop faults'`,
        ).catch(() => []);
        const pid = pickBackend(rows.map((row) => row.pid));
        if (pid) kill(pid);
      }
      if (victim === 'pooler') {
        await pooler?.kill();
        await pooler?.start();
      }
      const dying: Promise<unknown>[] = [];
      if (victim === 'postmaster' || victim === 'all') await killPostmaster();
      if (victim === 'api' || victim === 'all') dying.push(api.stop('SIGKILL'));
      if (victim === 'worker' || victim === 'all') dying.push(worker.stop('SIGKILL'));
      await Promise.all(dying);
      const [nextApi, nextWorker] = await Promise.all([
        victim === 'api' || victim === 'all' ? startApi() : api,
        victim === 'worker' || victim === 'all' ? startWorker() : worker,
      ]);
      api = nextApi;
      worker = nextWorker;
    },
    /** Stops both processes with SIGTERM, and returns their exit codes. */
    stop: () => Promise.all([api.stop('SIGTERM'), worker.stop('SIGTERM')]),
    /** Kills all remaining processes. */
    async destroy(): Promise<void> {
      await Promise.all([api.stop('SIGKILL'), worker.stop('SIGKILL')]);
      await killPostmaster();
    },
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;
/** The database under a load, as its superuser sees it. */
export type Queries = Pick<Cluster, 'query'>;
