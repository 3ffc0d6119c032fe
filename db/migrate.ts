import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import { runMigrations as installGraphileWorker } from 'graphile-worker';
import postgres from 'postgres';

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
    await sql`select pg_advisory_lock(${migrationLock})`;
    // A migration that changes rows must see them: platform scope for this whole session.
    await sql`select set_config('lingualoop.tenant_id', '*', false)`;
    await applyMigrations(drizzle(sql), { migrationsFolder });
    const named = new URL(url);
    named.searchParams.set('application_name', 'lingualoop migrate');
    await installGraphileWorker({ connectionString: named.href, noHandleSignals: true } as never);
    // Ending the session releases the lock.
  } finally {
    await sql.end({ timeout: 5 });
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
