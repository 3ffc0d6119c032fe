import { type Database, openDatabase, type PoolOptions, type PoolState } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { Embedder, Engine, EngineResult } from '#server/platform/engines/engine.ts';
import type { Models } from '#server/platform/engines/select.ts';
import type { FileWork } from '#server/platform/sandbox/file-work.ts';
import { serviceVersion } from '#server/platform/service-version.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { isObserved, observe, sendMeasurements, traceIfRegistered } from '#server/platform/telemetry.ts';
import { modelsOfEngines } from '#server/settings/environment.ts';
import type { Settings } from '#server/settings.ts';
import { watchDeployment, watchStorage, watchWorkspaces } from './deployment-state.ts';
import type { Metrics } from './metrics.ts';
import { type OperatorServer, startOperatorServer } from './operator-server.ts';
import { watchQueue } from './queue-state.ts';
import type { Readiness } from './readiness.ts';
import { watchReviews } from './review-backlog.ts';
import type { StateReaders } from './state-gauges.ts';

type Observable = Pick<Services, 'engine' | 'embedder' | 'storage' | 'fileWork'>;

/** Functions that observe a process with metrics and traces. */
export interface Observation {
  /** Null without METRICS. */
  metrics: Metrics | null;
  /**
   * Opens a database with a connection pool, and reports on the pool under the name `pool`. The caller must close the
   * database.
   */
  openDatabase(pool: string, options: PoolOptions): Database;
  /** Returns the same services, wrapped if the process has metrics or traces. */
  wrap<S extends Observable>(services: S): S;
  /** Serves the metrics at the address of METRICS. Resolves to null if METRICS is not set. */
  listen(readiness: Readiness): Promise<OperatorServer | null>;
}

/**
 * Prepares metrics if METRICS is set, and traces if the process was started with an OpenTelemetry SDK. Without
 * either, services are not wrapped.
 */
export async function observeProcess(
  settings: Settings,
  { url, pooler }: { url(): string; pooler: PoolOptions['pooler'] },
  { concurrencyLimit }: Pick<Models, 'concurrencyLimit'>,
  { fileWork, storage }: Pick<Services, 'fileWork' | 'storage'>,
): Promise<Observation> {
  const { METRICS: address } = settings;
  const pools = new Map<string, () => PoolState>();
  let probe: Database | undefined;
  let metrics: Metrics | null = null;
  traceIfRegistered();
  if (address !== undefined) {
    const { openMetrics } = await import('./metrics.ts');
    metrics = openMetrics({
      version: await serviceVersion(),
      models: modelsOf(settings),
      prices: settings.MODEL_PRICES,
      process: {
        pools,
        engineCalls: concurrencyLimit && (() => concurrencyLimit.counts()),
        files: () => ({ queues: fileWork.counts, processes: fileWork.processIds.length }),
      },
    });
    sendMeasurements(metrics.meter);
  }
  return {
    metrics,
    openDatabase(pool, options) {
      const database = openDatabase(url, { ...options, pooler });
      pools.set(pool, () => database.connections());
      if (pool === 'probe') probe = database;
      // The readiness probe is not traced: its query every five seconds would be most of the traces of an idle
      // process.
      return isObserved() && pool !== 'probe' ? observeDatabase(database, pool) : database;
    },
    wrap: (services) => (isObserved() ? { ...services, ...observeServices(services) } : services),
    async listen(readiness) {
      if (address === undefined || metrics === null) return null;
      if (probe) metrics.watchStates(stateReaders(probe, storage, readiness, address));
      return startOperatorServer(address, { readiness, metrics: metrics.print });
    },
  };
}

function stateReaders(
  database: Database,
  storage: Services['storage'],
  readiness: Readiness,
  { top_workspaces: workspaces }: NonNullable<Settings['METRICS']>,
): StateReaders {
  return {
    deployment: watchDeployment(database),
    queue: watchQueue(database),
    reviews: watchReviews(database),
    storage: watchStorage(storage, readiness.isStorageUp),
    workspaces: workspaces > 0 ? watchWorkspaces(database, workspaces) : undefined,
  };
}

/** The models that the settings name. */
function modelsOf(settings: Settings): string[] {
  const { OPENAI_MODEL, OPENAI_REFINER_MODEL, OPENAI_EMBEDDING_MODEL, ALLOWED_MODELS, MODEL_PRICES } =
    settings;
  return [
    ...[OPENAI_MODEL, OPENAI_REFINER_MODEL, OPENAI_EMBEDDING_MODEL],
    ...modelsOfEngines(settings).map(({ model }) => model),
    ...ALLOWED_MODELS,
    ...Object.keys(MODEL_PRICES),
  ];
}

/** Returns services that behave in the same way, and whose calls are measured and traced. */
function observeServices(services: Observable): Observable {
  return {
    engine: observeEngine(services.engine),
    embedder: services.embedder && observeEmbedder(services.embedder),
    storage: observeStorage(services.storage),
    fileWork: observeFileWork(services.fileWork),
  };
}

function observeEngine(engine: Engine): Engine {
  const call = <T>(name: string, tenantId: string, ask: () => Promise<EngineResult<T>>) =>
    observe('engine', name, ask, { 'lingualoop.tenant_id': tenantId });
  return {
    ...engine,
    translate: (task, scope, model) =>
      call('translate', scope.tenantId, () => engine.translate(task, scope, model)),
    assess: (task, candidate, scope) =>
      call('assess', scope.tenantId, () => engine.assess(task, candidate, scope)),
    assessEach: (task, candidate, scope) =>
      call('assess_each', scope.tenantId, () => engine.assessEach(task, candidate, scope)),
    repair: (task, candidate, issues, scope) =>
      call('repair', scope.tenantId, () => engine.repair(task, candidate, issues, scope)),
    compare: (task, candidates, scope) =>
      call('compare', scope.tenantId, () => engine.compare(task, candidates, scope)),
    verify: (task, candidate, scope) =>
      call('verify', scope.tenantId, () => engine.verify(task, candidate, scope)),
  };
}

function observeEmbedder(embedder: Embedder): Embedder {
  return {
    model: embedder.model,
    embed: (texts, scope) =>
      observe('engine', 'embed', () => embedder.embed(texts, scope), {
        'lingualoop.tenant_id': scope.tenantId,
      }),
  };
}

/** Observes only calls that transfer bytes. Reading a directory needs no separate metric. */
function observeStorage(store: PlatformStore): PlatformStore {
  return {
    ...store,
    put: (...given) => observe('storage', 'put', () => store.put(...given)),
    addLine: (...given) => observe('storage', 'add_line', () => store.addLine(...given)),
    read: (...given) => observe('storage', 'read', () => store.read(...given)),
    stream: (...given) => observe('storage', 'stream', () => store.stream(...given)),
    remove: (...given) => observe('storage', 'remove', () => store.remove(...given)),
  };
}

function observeFileWork(fileWork: FileWork): FileWork {
  return {
    run: (task, payload, scope) => observe('file', task, () => fileWork.run(task, payload, scope)),
    stream: (task, payload, scope, take) =>
      observe('file', task, () => fileWork.stream(task, payload, scope, take)),
    turn: (scope, work) => fileWork.turn(scope, work),
    close: () => fileWork.close(),
    get counts() {
      return fileWork.counts;
    },
    get processIds() {
      return fileWork.processIds;
    },
  };
}

/**
 * Returns a database that behaves in the same way, and whose transactions are measured and traced.
 * @param pool name of the database's connection pool, used as a label
 */
function observeDatabase(database: Database, pool: string): Database {
  const observed =
    (open: Database['inTenant']): Database['inTenant'] =>
    (tenantId, work) =>
      observe('transaction', pool, () => open(tenantId, work), { 'lingualoop.tenant_id': tenantId });
  return {
    inTenant: observed(database.inTenant),
    readInTenant: observed(database.readInTenant),
    inTenantOfCredential: (presented, work) =>
      observe('transaction', pool, () => database.inTenantOfCredential(presented, work)),
    inTenantOfToken: (hash, work) => observe('transaction', pool, () => database.inTenantOfToken(hash, work)),
    inPlatform: (work) => observe('transaction', pool, () => database.inPlatform(work)),
    connections: () => database.connections(),
    close: () => database.close(),
  };
}
