import { resolve } from 'node:path';
import type { Pooler } from '#db/pooler.ts';
import type { Settings } from '#server/settings.ts';
import { SettingsError } from '#server/settings.ts';
import { isLogged, writeLogLine } from './log.ts';

/** The database server of a process: the one at DATABASE_URL, or the embedded one in DATA_DIR. */
export interface DatabaseHome {
  /**
   * The URL of the database. Read it again for each connection, because the embedded server may restart on another
   * port.
   */
  readonly url: string;
  /** The URL with the role that owns the tables, for migrations, backups and restores. */
  readonly ownerUrl: string;
  /** The role of `url`, if it is not the owner. */
  readonly service: string | undefined;
  /**
   * Ends the use of the embedded server. The last process that does so stops the server. Has no effect on a server at
   * DATABASE_URL.
   */
  stop(): Promise<void>;
}

/**
 * Connects to the database in the settings, or starts it.
 * @param stop once aborted, no server is started; the promise then rejects unless a running server can be joined
 * @param onIdle called each time that this thread is idle, because a program of PostgreSQL is at work
 */
export async function joinDatabase(
  settings: Settings,
  stop?: AbortSignal,
  onIdle?: () => void,
): Promise<DatabaseHome> {
  if (settings.DATABASE_URL !== undefined)
    return { ...rolesOf(settings.DATABASE_URL, settings.DATABASE_MIGRATION_URL), stop: async () => {} };
  const { joinEmbeddedPostgres } = await import('#db/embedded/index.ts');
  const server = await joinEmbeddedPostgres(settings.DATA_DIR, {
    onNotice: (notice) => {
      if (isLogged('warn', settings.LOG_LEVEL))
        writeLogLine(process.stderr, 'warn', notice, { source: 'embedded-postgres' });
    },
    ...(stop && { signal: stop }),
    ...(onIdle && { onIdle }),
  });
  return {
    get url() {
      return server.url;
    },
    get ownerUrl() {
      return server.ownerUrl;
    },
    service: userOf(server.url),
    stop: () => server.leave(),
  };
}

/** The two roles on the server of DATABASE_URL. Without DATABASE_MIGRATION_URL, one role does everything. */
export function rolesOf(url: string, migrationUrl: string | undefined): Omit<DatabaseHome, 'stop'> {
  const ownerUrl = migrationUrl ?? url;
  return { url, ownerUrl, service: userOf(url) === userOf(ownerUrl) ? undefined : userOf(url) };
}

function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

/**
 * Finds the pooler of the settings, if they have one, between the pools of a process and PostgreSQL.
 * @throws Error that names the setting if the pooler cannot be used
 */
export async function findPooler(settings: Settings, home: DatabaseHome): Promise<Pooler | undefined> {
  const { pooler } = settings.DATABASE_POOLS;
  if (pooler === undefined) return undefined;
  const { inspectPooler, urlThrough } = await import('#db/pooler.ts');
  return inspectPooler(urlThrough(pooler, home.url), home.url);
}

/** Describes the database for a sentence, without secrets. */
export function describeDatabase({ DATABASE_URL, DATA_DIR }: Settings): string {
  if (DATABASE_URL === undefined) return `the database of ${resolve(DATA_DIR)}`;
  const { host, pathname } = new URL(DATABASE_URL);
  return `the database "${decodeURIComponent(pathname.slice(1))}" at ${host}`;
}

const unknownAuthority =
  "its certificate is from an unknown authority; set NODE_EXTRA_CA_CERTS to the file of the authority's certificate";

/** A fix for each code with which PostgreSQL or the system reports a failed connection. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; is PostgreSQL running?',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: 'it does not respond; is it reachable from here?',
  CONNECT_TIMEOUT: 'it does not respond; is it reachable from here?',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ECONNRESET: 'it closed the connection; if sslmode is require or verify-full, it may not support TLS',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host; use a name that is in it',
  '28P01': 'it rejects the password',
  '28000':
    'it rejects the role or the IP address of this machine (see pg_hba.conf), or requires TLS (set sslmode)',
  '3D000': 'the database does not exist',
  '53300': 'all its connections are in use; raise max_connections or run fewer processes',
  '57P03': 'it is starting or stopping; try again',
};

/**
 * Converts an error of the first connection to DATABASE_URL to one sentence with the location, the role and a fix,
 * but without the password. Returns other errors unchanged.
 * @param as whether the connection was that of the owner of the tables
 */
export function explainUnreachable(
  error: unknown,
  settings: Settings,
  as: 'owner' | 'service' = 'service',
): unknown {
  const { DATABASE_URL, DATABASE_MIGRATION_URL } = settings;
  if (DATABASE_URL === undefined) return error;
  const { code } = error as { code?: unknown };
  const what = typeof code === 'string' ? advice[code] : undefined;
  if (what === undefined) return error;
  const isOther = as === 'owner' && DATABASE_MIGRATION_URL !== undefined;
  const role = userOf(isOther ? DATABASE_MIGRATION_URL : DATABASE_URL);
  return new SettingsError(
    `${isOther ? 'DATABASE_MIGRATION_URL' : 'DATABASE_URL'}: cannot connect to ${describeDatabase(settings)} as "${role}": ${what} (${String(code)})`,
    { cause: error },
  );
}
