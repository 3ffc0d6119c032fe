import { setTimeout as delay } from 'node:timers/promises';
import postgres from 'postgres';
import { type Secrets, servicePassword, serviceRole } from './secrets.ts';

/** The membership of one process. Its connection holds a shared advisory lock as long as the process is a member. */
export interface Presence {
  readonly port: number;
  /** Resolves when the connection is lost or closed. */
  readonly gone: Promise<void>;
  /**
   * Ends the membership and returns who else is connected.
   * - "last": no other client is connected, and none can become a member before {@link close}.
   * - "members": other members remain.
   * - "strangers": clients other than the service's own have been connected for half a second.
   */
  stepDown(): Promise<'last' | 'members' | 'strangers'>;
  close(): Promise<void>;
}

/** Database and lock key of the membership. It is not the service's database, because that may be copied or dropped. */
const database = 'postgres';
const membershipKey = 0x6c6f6f70;
/**
 * Matches the application names of the service's own connections. After the last member has left, such connections
 * belong to killed processes, or to two members that are leaving at the same time and have not closed them yet.
 */
const ownNames = '^lingualoop( |$)';
const attemptTimeoutMs = 5000;
/**
 * Milliseconds to wait for clients that are just disconnecting: their server processes stay visible until they notice
 * the closed connection.
 */
const strangersTimeoutMs = 500;

/** Errors that are temporary. */
const passing = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'CONNECT_TIMEOUT',
  '53300', // too many connections
  '57P01', // the server is being stopped
  '57P02', // another backend crashed
  '57P03', // starting up or shutting down
]);

/** Whether a connection error is temporary. */
export function isPassing(error: unknown): boolean {
  return passing.has((error as { code?: string }).code ?? '');
}

/**
 * Becomes a member of the server on this port. Resolves to undefined if the server's last member is leaving. Rejects if
 * the server cannot be reached or belongs to another cluster.
 */
export async function openPresence(secrets: Secrets, port: number): Promise<Presence | undefined> {
  const { promise: gone, resolve: onclose } = Promise.withResolvers<void>();
  const sql = postgres({
    host: '127.0.0.1',
    port,
    database,
    username: secrets.superuser,
    password: secrets.superuserPassword,
    ssl: false,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    prepare: false,
    fetch_types: false,
    connection: { application_name: 'lingualoop member' },
    onnotice: () => {},
    onclose: () => onclose(),
  });
  // Destroys the connection. Otherwise the client would keep reconnecting to a port that closes each connection.
  const timer = setTimeout(() => sql.end({ timeout: 0 }), attemptTimeoutMs);
  try {
    const [row] = await sql`
      select current_setting('cluster_name') as cluster,
             current_setting('cluster_name') = ${secrets.id}
               and pg_try_advisory_lock_shared(${membershipKey}) as joined`;
    if (row?.['cluster'] !== secrets.id) {
      throw new Error(`the server on port ${port} was not started by LinguaLoop; stop it first`);
    }
    const close = () => sql.end({ timeout: 1 });
    if (row['joined']) await ensureServiceRole(sql, secrets);
    if (row['joined']) return { port, gone, stepDown: () => stepDown(sql), close };
    await close();
    return undefined;
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Creates the role of the service. A cluster of an earlier version has only the owner. */
async function ensureServiceRole(sql: postgres.Sql, secrets: Secrets): Promise<void> {
  const [role] = await sql`select from pg_roles where rolname = ${serviceRole}`;
  if (role) return;
  await sql
    .unsafe(
      `create role ${serviceRole} login nosuperuser nobypassrls nocreatedb nocreaterole password '${servicePassword(secrets)}'`,
    )
    .catch((error: { code?: string }) => {
      // Another process has created it at the same time.
      if (error.code !== '42710' && error.code !== '23505') throw error;
    });
}

async function stepDown(sql: postgres.Sql): Promise<'last' | 'members' | 'strangers'> {
  await sql`select pg_advisory_unlock_shared(${membershipKey})`;
  const deadline = Date.now() + strangersTimeoutMs;
  for (;;) {
    // The exclusive lock can be acquired only if no member is left, and it keeps new members out.
    const [lock] = await sql`select pg_try_advisory_lock(${membershipKey}) as held`;
    if (!lock?.['held']) return 'members';
    const [clients] = await sql`
      select count(*)::int as others from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name !~ ${ownNames}`;
    if (clients?.['others'] === 0) return 'last';
    await sql`select pg_advisory_unlock(${membershipKey})`;
    if (Date.now() > deadline) return 'strangers';
    await delay(15);
  }
}
