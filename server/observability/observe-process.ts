import { type Database, openDatabase, type PoolOptions, type PoolState } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { Models } from '#server/platform/engines/select.ts';
import { serviceVersion } from '#server/platform/service-version.ts';
import { isObserved, sendMeasurements, traceIfRegistered } from '#server/platform/telemetry.ts';
import { fallbackEndpoint, modelsOfEngines, type Settings } from '#server/settings.ts';
import { watchDeployment } from './deployment-state.ts';
import type { Metrics } from './metrics.ts';
import { observeDatabase, observeServices } from './observed-services.ts';
import { type OperatorServer, startOperatorServer } from './operator-server.ts';
import { watchQueue } from './queue-state.ts';
import type { Readiness } from './readiness.ts';
import { watchReviews } from './review-backlog.ts';
import type { StateReaders } from './state-gauges.ts';
import { watchStorage } from './storage-state.ts';
import { watchWorkspaces } from './top-workspaces.ts';

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
  const second = fallbackEndpoint(settings);
  return [
    ...[OPENAI_MODEL, OPENAI_REFINER_MODEL, OPENAI_EMBEDDING_MODEL],
    ...(second ? [second.OPENAI_MODEL, second.OPENAI_REFINER_MODEL] : []),
    ...modelsOfEngines(settings).map(({ model }) => model),
    ...ALLOWED_MODELS,
    ...Object.keys(MODEL_PRICES),
  ];
}
