import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { hasCurrentSchema } from '#db/schema-version.ts';
import { describeForLog } from '#server/errors.ts';
import type { Log } from '#server/platform/log.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { inTime, remembered } from './bounded-reading.ts';

/** Milliseconds for which the result of a check is cached. */
const maximumAge = { database: 1000, storage: 10_000 };

/** Milliseconds between two checks of the database after `watch` has been called. */
const checkEvery = 5000;

/**
 * The current readiness of a process. For a failed check, the report contains only `failed`, because anyone may read
 * the report; the log has the reason.
 */
interface ReadinessReport {
  status: 'ready' | 'draining' | 'unavailable';
  checks: Record<string, 'ok' | 'failed'>;
}

export interface Readiness {
  report(): Promise<ReadinessReport>;
  /** Whether platform storage accepts objects. */
  isStorageUp(): Promise<boolean>;
  /**
   * Makes the process report `unavailable`, regardless of the checks, until `endStart` is called: requests may arrive
   * before the process can handle them.
   */
  beginStart(): void;
  endStart(): void;
  /** Makes the process report `draining` from now on. */
  beginDrain(): void;
  /** Whether the process reports `draining`. */
  isDraining(): boolean;
  /** Adds a check of the process's job workers. They are ready while `working` returns true. */
  watchWorkers(working: () => boolean): void;
  /**
   * Starts to check the database every few seconds, so that its loss is logged even if the process gets no requests.
   */
  watch(): void;
  /** Stops the checks that `watch` has started. */
  stop(): void;
}

interface ReadinessParts {
  /**
   * A database with a connection that requests do not use. Its checks can distinguish a lost database from a busy
   * pool, and run even if there are no requests.
   */
  database: Database;
  /**
   * The database with the pool that requests use. If a process cannot get a connection from this pool in time, it
   * cannot serve requests. Omitted if the process serves no requests.
   */
  requests?: Database | undefined;
  storage: PlatformStore;
  log: Log;
}

/**
 * Reports whether a process can do its work: whether the database responds, whether the database has the tables of
 * this version, whether platform storage accepts objects, and whether the workers run. Logs when the database is lost
 * and when it responds again.
 */
export function watchReadiness({ database, requests, storage, log }: ReadinessParts): Readiness {
  let starting = false;
  let draining = false;
  let lost: number | undefined;
  let working: (() => boolean) | undefined;

  const look = remembered(maximumAge.database, async () => {
    try {
      const current = await inTime(database.inPlatform((tx) => hasCurrentSchema(tx)));
      if (lost !== undefined)
        log.warn({ seconds: Math.round((Date.now() - lost) / 1000) }, 'the database responds again');
      lost = undefined;
      return { database: true, schema: current };
    } catch (error) {
      if (isMissingTable(error)) return { database: true, schema: false };
      if (lost === undefined && !draining)
        log.warn({ dependency: 'database', error: describeForLog(error) }, 'the database does not respond');
      lost ??= Date.now();
      return { database: false, schema: false };
    }
  });
  let exhausted = false;
  const lookAtRequests = remembered(maximumAge.database, async () => {
    try {
      if (requests) await inTime(requests.inPlatform((tx) => tx.execute(sql`select 1`)));
      if (exhausted) log.warn({ dependency: 'database' }, 'requests get a database connection again');
      exhausted = false;
      return true;
    } catch (error) {
      if (!exhausted && lost === undefined && !draining)
        log.warn(
          { dependency: 'database', error: describeForLog(error) },
          'requests get no database connection',
        );
      exhausted = true;
      return false;
    }
  });
  const checkStorage = remembered(maximumAge.storage, async () => {
    try {
      await inTime(storage.check());
      return true;
    } catch (error) {
      log.warn(
        { dependency: 'storage', error: describeForLog(error) },
        'the storage does not accept objects',
      );
      return false;
    }
  });
  let timer: NodeJS.Timeout | undefined;

  return {
    async report() {
      const [found, served, stored] = await Promise.all([look(), lookAtRequests(), checkStorage()]);
      const database = found.database && served;
      const checks = { ...found, database, storage: stored, ...(working && { workers: working() }) };
      const ready = !starting && Object.values(checks).every(Boolean);
      return {
        status: draining ? 'draining' : ready ? 'ready' : 'unavailable',
        checks: Object.fromEntries(
          Object.entries(checks).map(([name, ok]) => [name, ok ? ('ok' as const) : ('failed' as const)]),
        ),
      };
    },
    isStorageUp: checkStorage,
    beginStart() {
      starting = true;
    },
    endStart() {
      starting = false;
    },
    beginDrain() {
      draining = true;
    },
    isDraining: () => draining,
    watchWorkers(given) {
      working = given;
    },
    watch() {
      timer ??= setInterval(() => void look(), checkEvery).unref();
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Whether the schema (3F000) or the table (42P01) of migrations is missing. If so, an empty database has replaced the
 * service's database.
 */
function isMissingTable(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === '42P01' || code === '3F000' || (cause instanceof Error && isMissingTable(cause));
}
