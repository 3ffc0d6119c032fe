import { type Database, openDatabase, type PoolOptions, type PoolState } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { Models } from '#server/platform/engines/select.ts';
import { isObserved, sendMeasurements, traceIfRegistered } from '#server/platform/telemetry.ts';
import type { Settings } from '#server/settings.ts';
import type { Metrics } from './metrics.ts';
import { observeDatabase, observeServices } from './observed-services.ts';
import { type OperatorServer, startOperatorServer } from './operator-server.ts';
import { watchQueue } from './queue-state.ts';
import type { Readiness } from './readiness.ts';

type Observable = Pick<Services, 'engine' | 'embedder' | 'storage' | 'fileWork'>;

/** Functions that observe a process with metrics and traces. */
export interface Observation {
  /** Null without METRICS_PORT. */
  metrics: Metrics | null;
  /**
   * Opens a database with a connection pool, and reports on the pool under the name `pool`. The caller must close the
   * database.
   */
  openDatabase(pool: string, options: PoolOptions): Database;
  /** Returns the same services, wrapped if the process has metrics or traces. */
  wrap<S extends Observable>(services: S): S;
  /** Serves the metrics at METRICS_PORT. Resolves to null if METRICS_PORT is not set. */
  listen(readiness: Readiness): Promise<OperatorServer | null>;
}

/**
 * Prepares metrics if METRICS_PORT is set, and traces if the process was started with an OpenTelemetry SDK. Without
 * either, services are not wrapped.
 */
export async function observeProcess(
  settings: Settings,
  databaseUrl: () => string,
  { concurrencyLimit }: Pick<Models, 'concurrencyLimit'>,
  { fileWork }: Pick<Services, 'fileWork'>,
): Promise<Observation> {
  const { METRICS_HOST: host, METRICS_PORT: port } = settings;
  const pools = new Map<string, () => PoolState>();
  const probes = new Map<string, Database>();
  let metrics: Metrics | null = null;
  traceIfRegistered();
  if (port !== undefined) {
    const { openMetrics } = await import('./metrics.ts');
    let readQueue: ReturnType<typeof watchQueue> | undefined;
    metrics = openMetrics({
      pools,
      engineCalls: concurrencyLimit && (() => concurrencyLimit.counts()),
      files: () => ({ queues: fileWork.counts, processes: fileWork.processIds.length }),
      queue: async () => {
        const probe = probes.get('probe');
        if (!probe) throw new Error("no connection for the queue's state");
        readQueue ??= watchQueue(probe);
        return readQueue();
      },
    });
    sendMeasurements(metrics.meter);
  }
  return {
    metrics,
    openDatabase(pool, options) {
      const database = openDatabase(databaseUrl, options);
      pools.set(pool, () => database.connections());
      probes.set(pool, database);
      // The readiness probe is not traced: its query every five seconds would be most of the traces of an idle
      // process.
      return isObserved() && pool !== 'probe' ? observeDatabase(database, pool) : database;
    },
    wrap: (services) => (isObserved() ? { ...services, ...observeServices(services) } : services),
    listen: async (readiness) =>
      port === undefined || metrics === null
        ? null
        : startOperatorServer({ host, port }, { readiness, metrics: metrics.print }),
  };
}
