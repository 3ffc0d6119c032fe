import { resolve } from 'node:path';
import type { Settings } from '#server/settings.ts';
import { SettingsError } from '#server/settings.ts';
import { isLogged, writeLogLine } from './log.ts';

/** The process's database server: the one at DATABASE_URL, or the embedded one of DATA_DIR. */
export interface DatabaseHome {
  /** Read this again for each connection: the embedded server may restart on another port. */
  readonly url: string;
  /** Leaves the embedded server; the last process to leave stops it. Does nothing for a server at DATABASE_URL. */
  stop(): Promise<void>;
}

/**
 * Finds or starts the database that the settings name.
 * @param stop once aborted, no server is started: rejects unless one is running that can be joined
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

/** Names the database in a sentence, without a secret. */
export function describeDatabase({ DATABASE_URL, DATA_DIR }: Settings): string {
  if (DATABASE_URL === undefined) return `the database of ${resolve(DATA_DIR)}`;
  const { host, pathname } = new URL(DATABASE_URL);
  return `the database "${decodeURIComponent(pathname.slice(1))}" at ${host}`;
}

const unknownAuthority =
  "its certificate is from an unknown authority; set NODE_EXTRA_CA_CERTS to the file of the authority's certificate";

/** Codes of PostgreSQL and of the system for a failed connection, with a fix for each. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; is PostgreSQL running?',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: 'it does not respond; is it reachable from here?',
  CONNECT_TIMEOUT: 'it does not respond; is it reachable from here?',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the host',
  ECONNRESET: 'it ended the connection; with sslmode=require or verify-full, it may have no TLS',
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host; use a name that is in it',
  '28P01': 'it rejects the password',
  '28000': "it rejects the role or this machine's address (pg_hba.conf), or requires TLS (sslmode)",
  '3D000': 'the database does not exist',
  '53300': 'all its connections are in use; raise max_connections or run fewer processes',
  '57P03': 'it is starting or stopping; try again',
};

/**
 * Returns an error of the first connection to DATABASE_URL as one sentence with the place, the role and a fix,
 * without the password. Returns any other error unchanged.
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
