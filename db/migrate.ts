import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { runMigrations as installGraphileWorker } from 'graphile-worker';
import pg from 'pg';
import postgres from 'postgres';
import { refuseSharedSessions } from './pooler.ts';
import { queueUrl } from './queue-url.ts';
import { countMissingMigrations } from './schema-version.ts';
import { grantToService, mayMigrate, mayReadJournal, type Query } from './service-role.ts';

export const migrationsFolder = join(import.meta.dirname, 'migrations');

/** The key of the advisory lock under which migrations run; any constant works. */
export const migrationLock = 4_715_001;

/**
 * Milliseconds that a migration waits for the lock of one table. During that time, every request that uses the table
 * queues behind it. The time is shorter than PostgreSQL's `deadlock_timeout` of 1 s, so that in a deadlock between a
 * migration and a request the migration fails, not the request.
 */
const lockTimeout = 250;

/** Milliseconds: `first` until a wait for the migration lock is reported, `pause` between further reports. */
const reports = { first: 5000, pause: 30_000 };

/** Milliseconds between two attempts to apply the migrations: `first`, then doubled after each attempt, up to `max`. */
const pauses = { first: 250, max: 5000 };

export interface MigrateOptions {
  /**
   * Ends the wait for the lock: once aborted, the promise rejects with the signal's reason. Migrations that are being
   * applied are completed before.
   */
  stop?: AbortSignal | undefined;
  /** The role with which the service runs, if it is not the role of `url`: it gets its rights on the tables. */
  service?: string | undefined;
  /** The folder of the service's migrations; tests use another one. */
  folder?: string;
  /** Called with a sentence that explains the wait, after 5 seconds and then every 30 seconds. */
  onWait?: (notice: string) => void;
}

/**
 * Brings the schema of the database at `url` up to date: first the service's tables, then graphile-worker's. Any
 * number of processes may call it at the same time: one applies the migrations, the others wait and then have nothing
 * to do.
 * @throws Error if the role of `url` bypasses row-level security, if a pooler shares server processes among sessions,
 * or if the database is older than the first migration
 */
export async function migrate(
  url: string,
  { stop, service, folder = migrationsFolder, onWait }: MigrateOptions = {},
): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 30,
    onnotice: () => {},
    connection: { application_name: 'lingualoop migrate' },
  });
  const query: Query = (text, values) => sql.unsafe(text, values);
  try {
    await refuseUnboundRole(sql);
    await refuseSharedSessions(url);
    if (!(await mayMigrate(query))) return await requireMigrated(query);
    await acquireMigrationLock(sql, stop, onWait);
    await refuseOlderDatabase(sql, url, folder);
    // Set the platform's scope for this session: migrations that change rows must see the rows of all tenants.
    await sql`select set_config('lingualoop.tenant_id', '*', false)`;
    await applyWithoutBlocking(sql, folder, stop);
    await installJobQueue(url);
    if (service !== undefined) await grantToService(query, service);
    // The end of the session releases the lock.
  } finally {
    await sql.end({ timeout: stop?.aborted ? 0 : 5 });
  }
}

/**
 * For a process that runs without the owner of the tables: `npm run migrate` applies the migrations.
 * @throws Error if the database lacks migrations of this version
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

/**
 * Applies the migrations in one transaction, while processes of the previous version serve requests. A migration
 * needs exclusive locks on some tables for a moment. It waits only a short time for each lock; if another session,
 * such as a dump, holds a lock for longer, the transaction is rolled back and tried again.
 */
async function applyWithoutBlocking(
  sql: postgres.Sql,
  folder: string,
  stop: AbortSignal | undefined,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(lockTimeout)}, false)`;
  for (let pause = pauses.first; ; pause = Math.min(2 * pause, pauses.max)) {
    stop?.throwIfAborted();
    try {
      await applyMigrations(drizzle(sql), { migrationsFolder: folder });
      return;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    await sleep(pause, undefined, stop && { signal: stop }).catch(() => {});
    await cancelAutovacuum(sql);
  }
}

/**
 * Makes PostgreSQL cancel autovacuums of the service's tables. PostgreSQL does so after a statement has waited for
 * the table for `deadlock_timeout`, but a migration never waits that long. So this function requests a lock that it
 * can wait for: no request has to queue behind this kind of lock.
 */
async function cancelAutovacuum(sql: postgres.Sql): Promise<void> {
  const busy = await sql<{ name: string }[]>`
    select distinct l.relation::regclass::text as name from pg_locks l join pg_class c on c.oid = l.relation
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and l.mode = 'ShareUpdateExclusiveLock' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())`;
  for (const { name } of busy)
    await sql
      .begin(async (tx) => {
        await tx`set local lock_timeout = '3s'`;
        await tx.unsafe(`lock table ${name} in share update exclusive mode`);
      })
      .catch((error: unknown) => {
        // The lock is held by something other than an autovacuum, or by an autovacuum that prevents wraparound and
        // must complete. The next attempt waits for it.
        if (!isLockConflict(error)) throw error;
      });
}

/** Whether a lock timed out (55P03) or PostgreSQL resolved a deadlock (40P01). The error may be wrapped by Drizzle. */
function isLockConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ['55P03', '40P01'].includes((error as { code?: string }).code ?? '') || isLockConflict(error.cause);
}

/** Acquires the migration lock by polling, because `stop` could not end a statement that waits for the lock. */
export async function acquireMigrationLock(
  sql: postgres.Sql,
  stop: AbortSignal | undefined,
  onWait: (notice: string) => void = () => {},
): Promise<void> {
  for (let nextReport = performance.now() + reports.first; ; ) {
    stop?.throwIfAborted();
    const [lock] = await sql`select pg_try_advisory_lock(${migrationLock}) as taken`;
    if (lock?.['taken']) return;
    if (performance.now() > nextReport) {
      nextReport = performance.now() + reports.pause;
      onWait(await describeHolder(sql));
    }
    await sleep(50);
  }
}

/** Describes the session that holds the migration lock, and how to end it if it should not hold the lock. */
async function describeHolder(sql: postgres.Sql): Promise<string> {
  const [holder] = await sql<{ pid: number; name: string; address: string | null; seconds: number }[]>`
    select pid, application_name as name, host(client_addr) as address,
      extract(epoch from now() - backend_start)::int as seconds
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and classid = 0 and objid = ${migrationLock} and objsubid = 1
      and pg_locks.database = (select oid from pg_database where datname = current_database())`;
  if (!holder) return 'waiting for the migration lock';
  const { pid, name, address, seconds } = holder;
  return `waiting for the migration lock, which the session "${name}" holds (PostgreSQL process ${pid}, from ${address ?? 'this machine'}, connected for ${seconds} s); if no migration is running there, end it: select pg_terminate_backend(${pid})`;
}

/**
 * Rejects superusers and roles with BYPASSRLS, because policies do not apply to them: they see the rows of all
 * tenants.
 */
export async function refuseUnboundRole(sql: postgres.Sql): Promise<void> {
  const [role] = await sql<{ rolname: string; rolsuper: boolean; rolbypassrls: boolean }[]>`
    select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user`;
  if (role?.rolsuper || role?.rolbypassrls)
    throw new Error(
      `DATABASE_URL: the role "${role.rolname}" is ${role.rolsuper ? 'a superuser' : 'BYPASSRLS'}, to which row-level policies do not apply; use a role with NOSUPERUSER NOBYPASSRLS that owns the database`,
    );
}

/**
 * Rejects a database with migrations that are older than the first one in `folder`, the baseline. The baseline
 * replaces these migrations, so it would fail at the first table that already exists.
 */
async function refuseOlderDatabase(sql: postgres.Sql, url: string, folder: string): Promise<void> {
  const [journal] = await sql<{ exists: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  if (!journal?.exists) return;
  const baseline = readMigrationFiles({ migrationsFolder: folder })[0]!.folderMillis;
  const [older] = await sql<{ database: string }[]>`
    select current_database() as database from drizzle.__drizzle_migrations where created_at < ${baseline} limit 1`;
  if (!older) return;
  throw new Error(
    `the database "${older.database}" at ${new URL(url).host} was made by a version from before the first release, and cannot be upgraded; begin with an empty database, or without DATABASE_URL with an empty DATA_DIR (docs/upgrading.md)`,
  );
}
