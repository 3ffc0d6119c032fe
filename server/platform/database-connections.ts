import type { Settings } from '#server/settings.ts';

/**
 * Sizes of a process's connection pools for PostgreSQL. The tasks of workers and reports have separate pools, so that
 * a busy API cannot block them.
 */
export const poolSizes = {
  probe: () => 1,
  tokens: () => 1,
  api: ({ DATABASE_POOLS }: Settings) => DATABASE_POOLS.requests,
  workers: ({ DATABASE_POOLS }: Settings) => DATABASE_POOLS.jobs,
};

/** Maximum concurrent jobs in one process, for each worker pool. */
export const concurrentJobs = {
  housekeeping: () => 2,
  texts: ({ WORKER_CONCURRENCY }: Settings) => WORKER_CONCURRENCY,
  documents: ({ WORKER_CONCURRENCY }: Settings) => WORKER_CONCURRENCY,
  work: ({ WORKER_CONCURRENCY }: Settings) => WORKER_CONCURRENCY,
  /** Without MAIL_SERVER, the pool does not exist. */
  mail: ({ MAIL_SERVER }: Settings) => (MAIL_SERVER === undefined ? 0 : 2),
};

/** Returns the number of connections of a worker pool: one to listen, and one per job to update the queue. */
const connectionsOfQueue = (concurrency: number): number => (concurrency === 0 ? 0 : concurrency + 1);

/**
 * Returns the maximum number of connections to PostgreSQL of a process with these parts. docs/scaling.md explains the
 * sums. With a pooler, only the connections that listen do not go through it.
 */
export function maxConnections(settings: Settings, parts: { api: boolean; workers: boolean }): number {
  const { probe, tokens, api, workers } = poolSizes;
  const queues = Object.values(concurrentJobs).map((jobs) => connectionsOfQueue(jobs(settings)));
  if (settings.DATABASE_POOLS.pooler !== undefined)
    return parts.workers ? queues.filter((connections) => connections > 0).length : 0;
  const ofWorkers = queues.reduce((sum, connections) => sum + connections, workers(settings));
  return probe() + tokens() + (parts.api ? api(settings) : 0) + (parts.workers ? ofWorkers : 0);
}

/** SQL for the number of connections that ordinary roles, such as the service's, may use on the server. */
export const connectionsForService = `current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
  - coalesce(current_setting('reserved_connections', true)::int, 0)`;
