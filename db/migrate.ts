import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { runMigrations as installGraphileWorker } from 'graphile-worker';
import postgres from 'postgres';
import { buildLargeIndexes } from './large-indexes.ts';

const migrationsFolder = join(import.meta.dirname, 'migrations');

/** One number for the advisory lock under which migrations run; any constant does. */
const migrationLock = 4_715_001;

/**
 * Milliseconds that a migration waits for one table. Whoever uses the table meanwhile waits behind it. Shorter than PostgreSQL's
 * `deadlock_timeout` of 1 s: where a migration and a request wait for each other, the migration gives way.
 */
const lockTimeout = 250;

/** Milliseconds until the next attempt of a migration that gave way: at first, and at most. */
const pauses = { first: 250, longest: 5000 };

/**
 * Brings the schema of `url` up to date: ours, then graphile-worker's. Any number of processes may call it at
 * once: one works, the others wait and find nothing to do. Refuses a role that row-level security does not bind.
 * @param stop once aborted, nothing is waited for any more: rejects with its reason. An index that is being built is finished
 *   by the database server; migrations that have begun are finished first
 */
export async function migrate(url: string, stop?: AbortSignal): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 30,
    onnotice: () => {},
    connection: { application_name: 'lingualoop migrate' },
  });
  try {
    await refuseUnboundRole(sql);
    await acquireMigrationLock(sql, stop);
    // A migration that changes rows must see them: platform scope for this whole session.
    await sql`select set_config('lingualoop.tenant_id', '*', false)`;
    await applyWithoutBlocking(sql, stop);
    await untilStopped(buildLargeIndexes(sql), stop);
    const named = new URL(url);
    named.searchParams.set('application_name', 'lingualoop migrate');
    await installGraphileWorker({ connectionString: named.href, noHandleSignals: true } as never);
    // Ending the session releases the lock.
  } finally {
    await sql.end({ timeout: stop?.aborted ? 0 : 5 });
  }
}

/**
 * Applies the migrations, which are one transaction, while processes of the version before may work. It needs tables alone for a
 * moment: it asks for each a short time, and starts again where somebody holds one for longer, as a dump does.
 */
async function applyWithoutBlocking(sql: postgres.Sql, stop: AbortSignal | undefined): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(lockTimeout)}, false)`;
  for (let pause = pauses.first; ; pause = Math.min(2 * pause, pauses.longest)) {
    stop?.throwIfAborted();
    try {
      await applyMigrations(drizzle(sql), { migrationsFolder });
      break;
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    await sleep(pause, undefined, stop && { signal: stop }).catch(() => {});
    await cancelAutovacuum(sql);
  }
  // What comes now has to wait for transactions of any length, and keeps nobody from the table.
  await sql`select set_config('lock_timeout', '0', false)`;
}

/**
 * Has PostgreSQL end the autovacuums that are at our tables. It does so for whoever waits for such a table as long as its
 * `deadlock_timeout`, which a migration does not; with this kind of lock no request waits behind us.
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
        // Not an autovacuum, or one that must not be ended: it is waited for.
        if (!isLockConflict(error)) throw error;
      });
}

/** Whether a lock was not to be had in time, or PostgreSQL broke a deadlock; Drizzle wraps the driver's error. */
function isLockConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ['55P03', '40P01'].includes((error as { code?: string }).code ?? '') || isLockConflict(error.cause);
}

/** Rejects with the reason of `stop` as soon as that is aborted, whatever becomes of the work. */
async function untilStopped(work: Promise<void>, stop: AbortSignal | undefined): Promise<void> {
  if (!stop) return work;
  const stopped = Promise.withResolvers<never>();
  const reject = () => stopped.reject(stop.reason);
  stop.addEventListener('abort', reject, { once: true });
  if (stop.aborted) reject();
  try {
    await Promise.race([work, stopped.promise]);
  } finally {
    stop.removeEventListener('abort', reject);
  }
}

/**
 * Asks again and again, rather than once by a statement that waits: an index that is built beside its writers waits for every
 * statement that has begun, and would wait for this one.
 */
async function acquireMigrationLock(sql: postgres.Sql, stop: AbortSignal | undefined): Promise<void> {
  for (;;) {
    stop?.throwIfAborted();
    const [turn] = await sql`select pg_try_advisory_lock(${migrationLock}) as taken`;
    if (turn?.['taken']) return;
    await sleep(50);
  }
}

/** A superuser, or a role with BYPASSRLS, would see every tenant's rows whatever the policies say. */
async function refuseUnboundRole(sql: postgres.Sql): Promise<void> {
  const [role] = await sql<{ rolname: string; rolsuper: boolean; rolbypassrls: boolean }[]>`
    select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user`;
  if (role?.rolsuper || role?.rolbypassrls)
    throw new Error(
      `DATABASE_URL: the role "${role.rolname}" is ${role.rolsuper ? 'a superuser' : 'BYPASSRLS'}, which no row-level policy binds; use a role with NOSUPERUSER NOBYPASSRLS that owns the database`,
    );
}
