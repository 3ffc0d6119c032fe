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
 * Brings the schema of `url` up to date: ours, then graphile-worker's. Any number of processes may call it at
 * once: one works, the others wait and find nothing to do. Refuses a role that row-level security does not bind.
 */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: 30,
    onnotice: () => {},
    connection: { application_name: 'lingualoop migrate' },
  });
  try {
    await refuseUnboundRole(sql);
    await takeTurn(sql);
    // A migration that changes rows must see them: platform scope for this whole session.
    await sql`select set_config('lingualoop.tenant_id', '*', false)`;
    await applyMigrations(drizzle(sql), { migrationsFolder });
    await buildLargeIndexes(sql);
    const named = new URL(url);
    named.searchParams.set('application_name', 'lingualoop migrate');
    await installGraphileWorker({ connectionString: named.href, noHandleSignals: true } as never);
    // Ending the session releases the lock.
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Asks again and again, rather than once by a statement that waits: an index that is built beside its writers waits for every
 * statement that has begun, and would wait for this one.
 */
async function takeTurn(sql: postgres.Sql): Promise<void> {
  for (;;) {
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
