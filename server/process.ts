import { setFlagsFromString } from 'node:v8';
import { type Database, openDatabase } from '#db/client.ts';
import { createBackgroundWork } from './background-work.ts';
import type { Log, Services } from './context.ts';
import { loadSecretsKey } from './encryption.ts';
import { selectModels } from './engines/select.ts';
import { describeForLog } from './errors.ts';
import { collectWhenIdle } from './garbage-collection.ts';
import { openFileWork } from './sandbox/file-work.ts';
import { networkIsolation } from './sandbox/network-namespace-seccomp.ts';
import { readSettings, redactSettings, type Settings } from './settings.ts';
import { listenForStop, type StopSignals } from './stop-signals.ts';
import { openObjectStore } from './storage/object-store.ts';
import { createGlossaries } from './terminology/service.ts';

/** PostgreSQL connections of the API, and of its workers' tasks and reports, which a busy API must not starve. */
const apiConnections = 10;
const workerConnections = 6;

/** Milliseconds that runs whose clients have gone are waited for, after the last connection. */
const longestDrain = 120_000;

/**
 * Connections that wait to be accepted; the system may allow fewer. With Node's 511, a burst of 1,500 connections made
 * other clients repeat their first packet, a second later.
 */
const backlog = 4096;

export interface ProcessParts {
  api: boolean;
  workers: boolean;
}

/** Where the process's data is: a server that was given, or the embedded one of DATA_DIR. */
export interface DatabaseHome {
  /** Read it anew for each connection: the embedded server may come back on another port. */
  readonly url: string;
  /** Closes nothing but the membership: the last to leave an embedded server stops it. */
  stop(): Promise<void>;
}

/**
 * Finds or starts the database that the settings name.
 * @param stop once aborted, none is started any more: rejects, unless there is one to join
 */
export async function joinDatabase(settings: Settings, stop?: AbortSignal): Promise<DatabaseHome> {
  if (settings.DATABASE_URL !== undefined) return { url: settings.DATABASE_URL, stop: async () => {} };
  const { joinEmbeddedPostgres } = await import('#db/embedded/index.ts');
  const server = await joinEmbeddedPostgres(settings.DATA_DIR, {
    onNotice: (notice) => process.stderr.write(`lingualoop: ${notice}\n`),
    ...(stop && { signal: stop }),
  });
  return {
    get url() {
      return server.url;
    },
    stop: () => server.leave(),
  };
}

/** Said at the start of an API without a model: its answers look like translations to whoever does not look closely. */
export const stubNotice =
  'No model is connected (OPENAI_API_KEY is not set): the stub engine repeats each text behind its language code and translates nothing';

/** A process that runs: the API, the job workers, or both. */
export interface RunningProcess {
  /** The address the API listens on; null for a process of workers alone. */
  address: string | null;
  /** Whether a model is connected; without one the stub engine answers. */
  live: boolean;
  /** Drains and leaves: requests and jobs under way are finished first. */
  stop(): Promise<void>;
}

/**
 * Starts the parts of one process, in the order in which they need each other. A start that fails, or is stopped, leaves nothing
 * running.
 * @param stop ends the start at the next moment at which that is safe; rejects with its reason
 * @param joined told of the database as soon as there is one
 */
async function startProcess(
  settings: Settings,
  parts: ProcessParts,
  stop: AbortSignal,
  joined: (home: DatabaseHome) => void,
): Promise<RunningProcess> {
  const started: Stoppable[] = [];
  try {
    const storage = openObjectStore(settings);
    const secretsKey = await loadSecretsKey(settings);
    stop.throwIfAborted();
    const joining = joinDatabase(settings, stop).then((home) => {
      started.push(home);
      joined(home);
      return home;
    });
    const beside = [
      selectModels(settings),
      parts.api ? openPayments(settings) : null,
      // Loaded while the database starts.
      import('#db/migrate.ts'),
      parts.api ? import('./app.ts') : undefined,
    ] as const;
    // Not before the database is joined, or is not to be had: whatever else fails, it must be left.
    await Promise.allSettled([joining, ...beside]);
    const [home, { engine, embedder }, payments, { migrate }] = await Promise.all([joining, ...beside]);
    stop.throwIfAborted();
    const fileWork = openFileWork();
    started.push({ stop: () => fileWork.close() });
    await migrate(home.url, stop);
    stop.throwIfAborted();
    const running = await startParts(
      {
        settings,
        engine,
        embedder,
        payments,
        storage,
        fileWork,
        glossaries: createGlossaries(),
        backgroundWork: createBackgroundWork(),
        secretsKey,
      },
      parts,
      home,
      started,
    );
    return running;
  } catch (error) {
    await stopAll(started);
    throw error;
  }
}

/** Nobody but the API asks the payment processor. Loaded while the database starts. */
async function openPayments(settings: Settings): Promise<Services['payments']> {
  const { openPaymentProcessor } = await import('./billing/service.ts');
  return openPaymentProcessor(settings);
}

type Stoppable = { stop(): Promise<void> };

/**
 * In the reverse order of their start: first the door, then what its last requests may have queued, then the rest. One that cannot be
 * stopped does not keep the others running.
 */
async function stopAll(started: Stoppable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const part of started.toReversed())
    try {
      await part.stop();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}

async function startParts(
  given: Omit<Services, 'log' | 'database'>,
  parts: ProcessParts,
  home: DatabaseHome,
  started: Stoppable[],
): Promise<RunningProcess> {
  const { settings } = given;
  const open = (size: number): Database => {
    const database = openDatabase(() => home.url, { size });
    started.push({ stop: () => database.close() });
    return database;
  };

  const api = parts.api
    ? await (await import('./app.ts')).buildApp({ ...given, database: open(apiConnections) })
    : undefined;
  // After the door is closed, and before the database is.
  started.push({ stop: () => given.backgroundWork.drain(longestDrain) });
  const log = api?.services.log ?? (await standaloneLog(settings));
  log.debug({ settings: redactSettings(settings) }, 'settings');
  // What reads files is started when it is first needed; what keeps the network from it is tried now.
  await networkIsolation.follow(({ by }) =>
    log.info(
      { networkBarrier: by },
      by === 'none'
        ? 'file readers are kept from the network by Node alone: this system allows neither a namespace nor a filter'
        : 'file readers have no network',
    ),
  );
  if (parts.workers) {
    const { startWorkers } = await import('#workers/run.ts');
    const services = { ...given, database: open(workerConnections), log };
    started.push(await startWorkers(services, () => home.url));
  }
  let address: string | null = null;
  if (api) {
    started.push({ stop: () => api.http.close() });
    address = await api.http.listen({ host: settings.HOST, port: settings.PORT, backlog });
  }

  const { live } = given.engine;
  if (api && !live) log.warn({}, stubNotice);
  let stopping: Promise<void> | undefined;
  return {
    address,
    live,
    stop: () => {
      stopping ??= stopAll(started);
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
 * Has V8 collect its old generation when that has grown by half: left to itself it lets the heap of a busy server grow far past
 * what lives in it (docs/performance.md). Here and not in each command line, since it may be set while the process runs.
 */
function growHeapSlowly(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/**
 * The life of a command: start, say so, and drain on SIGTERM or SIGINT, whenever it comes. A failed start is one line on stderr and
 * exit code 1; a stopped one leaves what it has begun, and is 0. A second signal, a second after the first or later, gives up what is
 * under way, but not the database: that is left as it should be, and the exit code is 143 or 130.
 */
export async function runCommand(
  parts: (settings: Settings) => ProcessParts,
  started: (running: RunningProcess) => string,
  { stop, force }: StopSignals = listenForStop(),
): Promise<void> {
  growHeapSlowly();
  collectWhenIdle();
  // Whatever nobody waits for must not end the process, nor be printed: its message may quote a customer's text.
  process.on('unhandledRejection', (reason) => {
    process.stderr.write(`lingualoop: unhandled rejection ${JSON.stringify(describeForLog(reason))}\n`);
  });
  let home: DatabaseHome | undefined;
  force.addEventListener('abort', async () => {
    // Before there is a database, the start ends by itself, and soon.
    if (!home) return;
    await home.stop().catch(complain);
    process.exit(force.reason);
  });
  try {
    const settings = readSettings();
    const running = await startProcess(settings, parts(settings), stop, (joined) => {
      home = joined;
    });
    if (!stop.aborted) {
      process.stdout.write(`${started(running)}\n`);
      await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
    }
    await running.stop();
    if (!force.aborted) process.exit(0);
  } catch (error) {
    if (force.aborted && home) return;
    if (stop.aborted && error === stop.reason) process.exit(0);
    complain(error);
    process.exit(1);
  }
}

function complain(error: unknown): void {
  process.stderr.write(`lingualoop: ${error instanceof Error ? error.message : String(error)}\n`);
}
