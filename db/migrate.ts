import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runMigrations as installGraphileWorker } from 'graphile-worker';
import pg from 'pg';
import {
  type ApplyOptions,
  applyWithoutBlocking,
  type Migration,
  readMigrations,
} from './apply-migrations.ts';
import { refuseSharedSessions } from './pooler.ts';
import { queueUrl } from './queue-url.ts';
import { countMissingMigrations } from './schema-version.ts';
import { grantToService, lacksGrants, mayMigrate, mayReadJournal, type Query } from './service-role.ts';
import { Session } from './session.ts';

export const migrationsFolder = join(import.meta.dirname, 'migrations');

/** The key of the advisory lock under which migrations run; any constant works. */
export const migrationLock = 4_715_001;

/** Milliseconds: `first` until a wait for the migration lock is reported, `pause` between further reports. */
const reports = { first: 5000, pause: 30_000 };

export interface MigrateOptions extends ApplyOptions {
  /** The role with which the service runs, if it is not the role of `url`: it gets its rights on the tables. */
  service?: string | undefined;
  /** The folder of the service's migrations; tests use another one. */
  folder?: string;
}

/**
 * Brings the schema of the database at `url` up to date: first the service's tables, then graphile-worker's. Any
 * number of processes may call it at the same time: one applies the migrations, the others wait and then have nothing
 * to do.
 * @throws Error if the role of `url` bypasses row-level security, if a pooler shares server processes among sessions,
 * or if the database is older than the first migration
 * @throws MigrationBlockedError
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  const { stop, service, folder = migrationsFolder, onWait } = options;
  const session = await Session.open(url, 'lingualoop migrate');
  const query: Query = (text, values) => session.query(text, values);
  try {
    await refuseUnboundRole(session);
    await refuseSharedSessions(url);
    if (!(await mayMigrate(query))) return await requireMigrated(query);
    await acquireMigrationLock(session, stop, onWait);
    const migrations = readMigrations(folder);
    await refuseOlderDatabase(session, url, migrations);
    // Set the platform's scope for this session: migrations that change rows must see the rows of all tenants.
    await session.query(`select set_config('lingualoop.tenant_id', '*', false)`);
    await applyWithoutBlocking(session, url, migrations, options);
    await installJobQueue(url);
    if (service !== undefined) await grantToService(query, service);
    // The end of the session releases the lock.
  } finally {
    await session.end();
  }
}

/**
 * For a process that runs without the owner of the tables: `npm run migrate` applies the migrations.
 * @throws Error if the database lacks migrations of this version, or the role of the service lacks rights
 */
async function requireMigrated(query: Query): Promise<void> {
  const [row] = (await mayReadJournal(query))
    ? await query<{ latest: string | null }>(
        'select max(created_at)::text as latest from drizzle.__drizzle_migrations',
      )
    : [];
  const missing = countMissingMigrations(Number(row?.latest ?? 0));
  if (missing > 0)
    throw new Error(
      `the database lacks ${missing} migrations of this version, and the role of DATABASE_URL may not apply them: run "npm run migrate" with DATABASE_MIGRATION_URL (docs/upgrading.md)`,
    );
  // A migration may have been interrupted before its last step.
  if (await lacksGrants(query))
    throw new Error(
      'the role of DATABASE_URL lacks rights on tables of this version: run "npm run migrate" with DATABASE_MIGRATION_URL (docs/upgrading.md)',
    );
}

/**
 * Brings graphile-worker's schema up to date. This uses a separate connection, and one transaction for each of its
 * migrations. The connection is closed when the promise resolves, because the caller may stop PostgreSQL next.
 * graphile-worker itself does not await the end of the pools that it opens, so that the process could end with the
 * error of a terminated connection.
 */
export async function installJobQueue(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: queueUrl(url, 'lingualoop migrate'), max: 1 });
  const ended: Promise<void>[] = [];
  // Ignore the event of a lost connection: the statement that uses the connection fails, too.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    ended.push(new Promise((resolve) => client.once('end', resolve)));
  });
  try {
    await installGraphileWorker({ pgPool: pool, noHandleSignals: true } as never);
  } finally {
    await pool.end();
    // A server that no longer responds does not close the connection.
    await Promise.race([Promise.all(ended), sleep(5000, undefined, { ref: false })]);
  }
}

/** Acquires the migration lock by polling, because `stop` could not end a statement that waits for the lock. */
export async function acquireMigrationLock(
  session: Session,
  stop: AbortSignal | undefined,
  onWait: (notice: string) => void = () => {},
): Promise<void> {
  for (let nextReport = performance.now() + reports.first; ; ) {
    stop?.throwIfAborted();
    const [lock] = await session.query(`select pg_try_advisory_lock(${migrationLock}) as taken`);
    if (lock?.['taken']) return;
    if (performance.now() > nextReport) {
      nextReport = performance.now() + reports.pause;
      onWait(await describeHolder(session));
    }
    await sleep(50);
  }
}

/** Describes the session that holds the migration lock, and how to end it if it should not hold the lock. */
async function describeHolder(session: Session): Promise<string> {
  const [holder] = await session.query<{
    pid: number;
    name: string;
    address: string | null;
    seconds: number;
  }>(`
    select pid, application_name as name, host(client_addr) as address,
      extract(epoch from now() - backend_start)::int as seconds
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and classid = 0 and objid = ${migrationLock} and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())`);
  if (!holder) return 'waiting for the migration lock';
  const { pid, name, address, seconds } = holder;
  return `waiting for the migration lock, which the session "${name}" holds (PostgreSQL process ${pid}, from ${address ?? 'this machine'}, connected for ${seconds} s); if no migration is running there, end it: select pg_terminate_backend(${pid})`;
}

/**
 * Rejects superusers and roles with BYPASSRLS, because policies do not apply to them: they see the rows of all
 * tenants.
 */
export async function refuseUnboundRole(session: Session): Promise<void> {
  const [role] = await session.query<{ rolname: string; rolsuper: boolean; rolbypassrls: boolean }>(`
    select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user`);
  if (role?.rolsuper || role?.rolbypassrls)
    throw new Error(
      `DATABASE_URL: the role "${role.rolname}" is ${role.rolsuper ? 'a superuser' : 'BYPASSRLS'}, to which row-level policies do not apply; use a role with NOSUPERUSER NOBYPASSRLS that owns the database`,
    );
}

/**
 * Rejects a database that is older than the first migration, the baseline. The baseline replaces the migrations of
 * version 0, so it would fail at the first table that already exists. A database with all of them has its schema.
 */
async function refuseOlderDatabase(
  session: Session,
  url: string,
  migrations: readonly Migration[],
): Promise<void> {
  const [journal] = await session.query<{ exists: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
  );
  if (!journal?.exists) return;
  const [older] = await session.query<{ database: string }>(
    'select current_database() as database from drizzle.__drizzle_migrations having max(created_at) < $1',
    [migrations[0]?.folderMillis],
  );
  if (!older) return;
  throw new Error(
    `the database "${older.database}" at ${new URL(url).host} was made by an early version 0; run "npm run migrate" of the last version 0 first (docs/upgrading.md)`,
  );
}
