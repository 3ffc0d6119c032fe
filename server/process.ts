import { type Database, openDatabase } from '#db/client.ts';
import type { Log, Services } from './context.ts';
import { selectEngine } from './engines/select.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/** PostgreSQL connections of the API; the job queue has its own few beside them. */
const apiConnections = 10;
const workerConnections = 4;

export interface ProcessParts {
  api: boolean;
  workers: boolean;
}

/** Where the process's data is: a server that was given, or the embedded one of DATA_DIR. */
export interface DatabaseHome {
  /** Read it anew for each connection: the embedded server may come back on another port. */
  readonly url: string;
  leave(): Promise<void>;
}

/** Finds or starts the database that the settings name. */
export async function joinDatabase(settings: Settings): Promise<DatabaseHome> {
  if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, leave: async () => {} };
  const { joinEmbeddedPostgres } = await import('#db/embedded/index.ts');
  return joinEmbeddedPostgres(settings.DATA_DIR, {
    onNotice: (notice) => process.stderr.write(`lingualoop: ${notice}\n`),
  });
}

/** A process that runs: the API, the job workers, or both. */
export interface RunningProcess {
  /** The address the API listens on; null for a process of workers alone. */
  address: string | null;
  /** Drains and leaves: requests and jobs under way are finished first. */
  stop(): Promise<void>;
}

/** Starts the parts of one process, in the order in which they need each other. */
export async function startProcess(settings: Settings, parts: ProcessParts): Promise<RunningProcess> {
  const [home, engine] = await Promise.all([
    joinDatabase(settings),
    selectEngine(settings),
    // Loaded while the database starts.
    import('#db/migrate.ts'),
    parts.api ? import('./app.ts') : undefined,
  ]);
  let database: Database | undefined;
  try {
    const { migrate } = await import('#db/migrate.ts');
    await migrate(home.url);
    database = openDatabase(home.url, { size: parts.api ? apiConnections : workerConnections });
    return await startParts({ settings, database, engine }, parts, home);
  } catch (error) {
    await database?.close();
    await home.leave();
    throw error;
  }
}

async function startParts(
  given: Omit<Services, 'log'>,
  parts: ProcessParts,
  home: DatabaseHome,
): Promise<RunningProcess> {
  const { settings, database } = given;
  const { http, services } = parts.api
    ? await (await import('./app.ts')).buildApp(given)
    : { http: undefined, services: { ...given, log: await standaloneLog(settings) } };
  const address = http ? await http.listen({ host: settings.HOST, port: settings.PORT }) : null;
  const workers = parts.workers
    ? await (await import('#workers/run.ts')).startWorkers({ ...services, database: workerDatabase }, () => home.url)
    : undefined;

  let stopping: Promise<void> | undefined;
  const stop = async () => {
    // First the door, then what its last requests may have queued, then the database.
    await http?.close();
    await workers?.stop();
    await database.close();
    await home.leave();
  };
  return {
    address,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** The log of a process without HTTP; with it, Fastify's own pino serves. */
async function standaloneLog(settings: Settings): Promise<Log> {
  const { pino } = await import('pino');
  const log = pino({ level: settings.LOG_LEVEL });
  // Not the logger itself: its type has every name, `then` included, which no promise may resolve to.
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
  };
}

/**
 * The life of a command: start, say so, and drain on SIGTERM or SIGINT. A failed start is one line on stderr and
 * exit code 1.
 */
export async function runCommand(
  parts: (settings: Settings) => ProcessParts,
  started: (running: RunningProcess) => string,
): Promise<void> {
  try {
    const settings = readSettings();
    requireSecretsKey(settings);
    const signal = new Promise<void>((resolve) => {
      process.once('SIGTERM', resolve);
      process.once('SIGINT', resolve);
    });
    const running = await startProcess(settings, parts(settings));
    process.stdout.write(`${started(running)}\n`);
    await signal;
    await running.stop();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`lingualoop: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** With a shared database a key made up on one machine would be unreadable on the next (C 1). */
function requireSecretsKey(settings: Settings): void {
  if (settings.DATABASE_URL !== undefined && settings.SECRETS_KEY === undefined)
    throw new SettingsError('SECRETS_KEY: is required with DATABASE_URL (32 bytes, base64)');
}
