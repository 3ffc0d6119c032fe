import { resolve } from 'node:path';
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
  /**
   * Ends the use of the embedded server. The last process that does so stops the server. Has no effect on a server at
   * DATABASE_URL.
   */
  stop(): Promise<void>;
}

/**
 * Connects to the database in the settings, or starts it.
 * @param stop once aborted, no server is started; the promise then rejects unless a running server can be joined
 */
export async function joinDatabase(settings: Settings, stop?: AbortSignal): Promise<DatabaseHome> {
  if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, stop: async () => {} };
  const { joinEmbeddedPostgres } = await import('#db/embedded/index.ts');
  const server = await joinEmbeddedPostgres(settings.DATA_DIR, {
    onNotice: (notice) => {
      if (isLogged('warn', settings.LOG_LEVEL))
        writeLogLine(process.stderr, 'warn', notice, { source: 'embedded-postgres' });
    },
    ...(stop && { signal: stop }),
  });
  return {
    get url() {
      return server.url;
    },
    stop: () => server.leave(),
  };
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
 */
export function explainUnreachable(error: unknown, settings: Settings): unknown {
  const { DATABASE_URL } = settings;
  if (DATABASE_URL === undefined) return error;
  const { code } = error as { code?: unknown };
  const what = typeof code === 'string' ? advice[code] : undefined;
  if (what === undefined) return error;
  const role = decodeURIComponent(new URL(DATABASE_URL).username);
  return new SettingsError(
    `DATABASE_URL: cannot connect to ${describeDatabase(settings)} as "${role}": ${what} (${String(code)})`,
    { cause: error },
  );
}
