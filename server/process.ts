import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Database, PoolOptions } from '#db/client.ts';
import type { Pooler } from '#db/pooler.ts';
import { tokenLimitOf } from '#server/billing/metering/token-limit.ts';
import { openTokenSpending, type TokenSpending } from '#server/billing/metering/token-spending.ts';
import { openWorkspaceEngines } from '#server/engines/workspace-engines.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { createBackgroundWork } from '#server/platform/background-work.ts';
import { poolSizes } from '#server/platform/database-connections.ts';
import {
  type DatabaseHome,
  explainUnreachable,
  findPooler,
  joinDatabase,
} from '#server/platform/database-home.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { selectModels } from '#server/platform/engines/select.ts';
import { withTenantEngines } from '#server/platform/engines/tenant-engine.ts';
import { collectWhenIdle } from '#server/platform/garbage-collection.ts';
import {
  openStandaloneLog,
  redirectOutput,
  warnOfWaiting,
  writeFatalLine,
  writeLogLine,
} from '#server/platform/log.ts';
import {
  explainListening,
  refuseContradictions,
  refuseUnusableFolder,
} from '#server/platform/process-settings.ts';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { systemIsolation } from '#server/platform/sandbox/isolation.ts';
import { listenForStop, type StopSignals } from '#server/platform/stop-signals.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { redactSettings } from '#server/settings/environment.ts';
import { guardStore } from '#server/storage/store-identity.ts';
import { refuseWrongSecretsKey } from '#server/storage/stored-secrets.ts';
import { protectText } from '#server/translation/pipeline/protected-words.ts';
import type { Services } from './context.ts';
import { describeForLog } from './errors.ts';
import { inTime } from './observability/bounded-reading.ts';
import { type Observation, observeProcess } from './observability/observe-process.ts';
import { watchReadiness } from './observability/readiness.ts';
import { storeModelRequests } from './operations/models.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/**
 * Milliseconds that a stopping process waits, after its last connection closes, for runs whose clients have
 * disconnected.
 */
const maxDrainMs = 120_000;

/**
 * Milliseconds that a process may still take to end after a second signal: during its start, which may be in the
 * middle of a migration, and during its drain.
 */
const patience = { start: 30_000, drain: 3000 };

/**
 * Connections that can wait to be accepted; the system may allow fewer. With Node's default of 511, a burst of 1,500
 * connections made other clients repeat their first packet, a second later.
 */
const backlog = 4096;

interface ProcessParts {
  api: boolean;
  workers: boolean;
}

/** Logged when an API starts without a model, because the stub's output looks like a translation at first sight. */
export const stubNotice =
  'No model is connected (OPENAI_API_KEY is not set): the stub engine only prefixes each text with its language code';

/** A running process: the API, the job workers, or both. */
interface RunningProcess {
  /** The URL that the API listens on; null for a process with only workers. */
  address: string | null;
  /** Whether a model is connected. If not, the stub engine produces the translations. */
  live: boolean;
  /** Reports to proxies that the process will stop. It serves as before; only its connections end with their next response. */
  beginDrain(): void;
  /** Finishes the requests and jobs in progress, then releases all resources. */
  stop(): Promise<void>;
}

/**
 * Starts the parts of a process in order of their dependencies. If the start fails or is stopped, the parts that have
 * started are stopped.
 * @param stop ends the start at the next safe point; the returned promise then rejects with the signal's reason
 * @param joined called as soon as the process has joined the database
 */
async function startProcess(
  settings: Settings,
  parts: ProcessParts,
  stop: AbortSignal,
  joined: (home: DatabaseHome) => void,
): Promise<RunningProcess> {
  const started: Stoppable[] = [];
  try {
    refuseContradictions(settings, parts);
    const storage = openPlatformStore(settings);
    const secretsKeys = await loadSecretsKeys(settings);
    await refuseUnusableFolder(storage, settings);
    stop.throwIfAborted();
    const idle = Promise.withResolvers<void>();
    const joining = joinDatabase(settings, stop, idle.resolve).then((home) => {
      started.push(home);
      joined(home);
      return home;
    });
    // Load the other modules while PostgreSQL starts, not before, because loading them blocks this thread.
    await Promise.race([joining, idle.promise]);
    const spending = Promise.withResolvers<TokenSpending>();
    const isSpendingLimited = tokenLimitOf(settings) !== null;
    const independent = [
      // The models are opened while the process joins the database, and checked afterwards.
      selectModels(settings, {
        paid: isSpendingLimited ? async (...paid) => (await spending.promise).record(...paid) : undefined,
        protect: protectText,
      }),
      parts.api ? openPayments(settings) : null,
      import('#db/migrate.ts'),
      parts.api ? import('./app.ts') : undefined,
      parts.workers ? import('#workers/run.ts') : undefined,
      import('./translation/plausibility/language.ts').then((module) => module.loadLanguageProfiles()),
      // The sandbox starts with the first file that is read. Its isolation is tested now, for the log.
      systemIsolation.require(settings.SANDBOX_MINIMUM),
    ] as const;
    // Wait until the process has joined the database or failed to: if another part failed, a joined database must
    // still be left.
    await Promise.allSettled([joining, ...independent]);
    const [home, models, payments, { migrate }] = await Promise.all([joining, ...independent]);
    stop.throwIfAborted();
    const fileWork = openFileWork({ fontsDir: settings.FONTS_DIR });
    started.push({ stop: () => fileWork.close() });
    await fileWork.loadFonts();
    await migrate(home.ownerUrl, { stop, service: home.service, onWait: warnOfWaiting }).catch(
      (error: unknown) => {
        throw explainUnreachable(error, settings, 'owner');
      },
    );
    // The role of the service migrates nothing, but it must be able to connect, and policies must bind it.
    if (settings.DATABASE_MIGRATION_URL !== undefined)
      await migrate(home.url, { stop }).catch((error: unknown) => {
        throw explainUnreachable(error, settings);
      });
    stop.throwIfAborted();
    const { embedder } = models;
    const pooler = await findPooler(settings, home);
    stop.throwIfAborted();
    const opening = Promise.withResolvers<Database>();
    const workspaceEngines = openWorkspaceEngines(opening.promise, {
      settings,
      secretsKeys,
      protect: protectText,
    });
    const observation = await observeProcess(
      settings,
      { url: () => pooler?.url ?? home.url, pooler: pooler?.kind },
      models,
      { fileWork, storage },
    );
    const running = await startParts(
      observation.wrap({
        settings,
        engine: withTenantEngines(models.engine, workspaceEngines.find),
        workspaceEngines,
        embedder,
        payments,
        storage,
        accountStores: openAccountStores(settings, secretsKeys),
        fileWork,
        glossaries: createGlossaries(),
        backgroundWork: createBackgroundWork(),
        secretsKeys,
      }),
      {
        ...{ parts, home, pooler, observation, started, opened: opening.resolve },
        countTokens: isSpendingLimited ? spending.resolve : undefined,
      },
    );
    return running;
  } catch (error) {
    await stopAll(started);
    throw error;
  }
}

/** Opens the payment processor if the process serves the API, because only the API uses it. */
async function openPayments(settings: Settings): Promise<Services['payments']> {
  const { openPaymentProcessor } = await import('./billing/capabilities.ts');
  return openPaymentProcessor(settings);
}

type Stoppable = { stop(): Promise<void> };

/**
 * Stops parts in reverse order of their start: first the HTTP server, then the workers, because they run the jobs
 * that the last requests queued, then the rest. If one part fails to stop, the others are still stopped.
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

/** The parameters of a start, in addition to the services. */
interface Start {
  parts: ProcessParts;
  home: DatabaseHome;
  pooler: Pooler | undefined;
  observation: Observation;
  /** The parts that have started. A failed start stops them again. */
  started: Stoppable[];
  /** Called with the database for short reads. */
  opened: (database: Database) => void;
  /** Called with the record of spent tokens; undefined if the operator set no limit for tokens. */
  countTokens: ((spending: TokenSpending) => void) | undefined;
}

async function startParts(
  unguarded: Omit<Services, 'log' | 'database'>,
  { parts, home, pooler, observation, started, opened, countTokens }: Start,
): Promise<RunningProcess> {
  const { settings } = unguarded;
  const open = (pool: string, size: number, options: Partial<PoolOptions> = {}): Database => {
    const database = observation.openDatabase(pool, { size, ...options });
    started.push({ stop: () => database.close() });
    return database;
  };
  const probe = open('probe', poolSizes.probe(), { applicationName: 'lingualoop probe', waitMs: 3000 });
  const ofWorkers = parts.workers && open('workers', poolSizes.workers(settings));
  const ofApi = parts.api && open('api', poolSizes.api(settings));
  opened(ofApi || ofWorkers || probe);
  if (!settings.ALLOW_UNREADABLE_SECRETS) await refuseWrongSecretsKey(probe, unguarded.secretsKeys);
  const { store, claim } = guardStore(probe, unguarded.storage, settings);
  const given = { ...unguarded, storage: store };
  const unclaimed = await (store.isLocal ? claim() : inTime(claim())).catch((error: unknown) => {
    if (error instanceof SettingsError) throw error;
    return { error };
  });
  const api = ofApi
    ? await (await import('./app.ts')).buildApp(
        { ...given, database: ofApi },
        { probe, metrics: observation.metrics },
      )
    : undefined;
  const log = api?.services.log ?? (await openStandaloneLog(settings.LOG_LEVEL));
  const warn = (message: string) => (error: unknown) => log.warn({ error: describeForLog(error) }, message);
  // An unreachable storage is an outage that may end: the process claims it then, and is not ready before.
  if (unclaimed) warn('the storage cannot be compared with the database yet')(unclaimed.error);
  if (countTokens) {
    const spending = openTokenSpending(
      open('tokens', poolSizes.tokens(), { waitMs: 3000 }),
      warn('could not store the tokens of model calls; retrying in a few seconds'),
    );
    started.push({ stop: () => spending.close() });
    countTokens(spending);
  }
  // Also with the stub: workspaces can have their own engines.
  started.push(
    storeModelRequests(probe, settings, warn('could not store the figures of the models; retrying')),
  );
  log.debug({ settings: redactSettings(settings) }, 'settings');
  const readiness = api?.readiness ?? watchReadiness({ database: probe, storage: given.storage, log });
  readiness.beginStart();
  readiness.watch();
  started.push({ stop: async () => readiness.stop() });
  // Stopped after all other parts except the database, so that its metrics cover the whole drain.
  const operatorServer = await observation.listen(readiness).catch((error: unknown) => {
    const { METRICS: address } = settings;
    throw address ? explainListening(error, ['METRICS', 'METRICS'], address) : error;
  });
  if (operatorServer) started.push(operatorServer);
  // Parts are stopped in reverse order, so this runs after the HTTP server has closed and before the database closes.
  started.push({ stop: () => given.backgroundWork.drain(maxDrainMs) });
  await systemIsolation.follow(({ level, asReader = false }) =>
    log.info(
      { fileIsolation: level, asReader },
      level === 'namespaces'
        ? 'file readers (child processes) are isolated by Linux namespaces'
        : `file readers (child processes) are isolated at level "${level}": npm run doctor prints the remaining risks`,
    ),
  );
  if (ofWorkers) {
    const { startWorkers } = await import('#workers/run.ts');
    const services = { ...given, database: ofWorkers, log };
    const workers = await startWorkers(services, () => home.url, pooler);
    started.push(workers);
    readiness.watchWorkers(() => workers.working());
  }
  let address: string | null = null;
  if (api) {
    started.push({ stop: () => api.http.close() });
    address = await api.http
      .listen({ host: settings.HOST, port: settings.PORT, backlog })
      .catch((error: unknown) => {
        throw explainListening(error, ['HOST', 'PORT'], { host: settings.HOST, port: settings.PORT });
      });
  }

  readiness.endStart();

  const { live } = given.engine;
  if (api) for (const notice of await noticesOf(settings, live)) log.warn({}, notice);
  let stopping: Promise<void> | undefined;
  return {
    address,
    live,
    beginDrain: () => readiness.beginDrain(),
    stop: () => {
      readiness.beginDrain();
      given.backgroundWork.beginStop();
      stopping ??= stopAll(started);
      return stopping;
    },
  };
}

/** The notes for the operator about the settings of the API. */
async function noticesOf(settings: Settings, isLive: boolean): Promise<string[]> {
  const { billingNotice } = await import('./billing/capabilities.ts');
  return [isLive ? null : stubNotice, billingNotice(settings)].filter((notice) => notice !== null);
}

/**
 * Makes V8 run a garbage collection of its old generation each time that this generation has grown by half. By
 * default, the heap of a busy server grows far beyond its live data (docs/performance.md). V8 accepts the flag at run
 * time, so it is set here and not on each command line.
 */
function growHeapSlowly(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/**
 * Runs a command: starts its process, logs the line that `started` returns, and drains on SIGTERM or SIGINT. Exit
 * codes:
 * - A failed start prints one line on stderr and exits with 1.
 * - A stopped start releases its resources and exits with 0.
 * - A second signal, at least a second after the first, ends the process after `patience` with 143 or 130: work in
 *   progress is abandoned, but the database is stopped properly.
 */
export async function runCommand(
  parts: (settings: Settings) => ProcessParts,
  started: (running: RunningProcess, settings: Settings) => string,
  signals: StopSignals = listenForStop(),
): Promise<void> {
  const { stop, force } = signals;
  growHeapSlowly();
  collectWhenIdle();
  redirectOutput();
  let home: DatabaseHome | undefined;
  let running: RunningProcess | undefined;
  let givesUp = false;
  force.addEventListener('abort', async () => {
    // Wait: a start ends at its next safe point, and a drain without work in progress ends at once; both then exit
    // with 0.
    await delay(running ? patience.drain : patience.start);
    givesUp = true;
    await home?.stop().catch(writeFatalLine);
    process.exit(force.reason);
  });
  try {
    const settings = readSettings();
    running = await startProcess(settings, parts(settings), stop, (joined) => {
      home = joined;
    });
    if (!stop.aborted) {
      writeLogLine(process.stdout, 'info', started(running, settings));
      await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
      running.beginDrain();
      // Until the proxies have noticed. A second signal ends the delay.
      if (signals.isSupervised && running.address !== null)
        await delay(settings.DRAIN_DELAY_SECONDS * 1000, undefined, { signal: force }).catch(() => {});
    }
    await running.stop();
    if (!givesUp) process.exit(0);
  } catch (error) {
    if (givesUp) return;
    if (stop.aborted && error === stop.reason) process.exit(0);
    writeFatalLine(error);
    process.exit(1);
  }
}
