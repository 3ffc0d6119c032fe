import type { Settings } from '#server/settings.ts';

/**
 * Sizes of a process's pools of connections to PostgreSQL. Its workers' tasks and reports have separate pools, so
 * that a busy API cannot block them.
 */
export const poolSizes = {
  probe: () => 1,
  tokens: () => 1,
  api: ({ DATABASE_POOL_SIZE }: Settings) => DATABASE_POOL_SIZE,
  workers: ({ DATABASE_WORKER_POOL_SIZE }: Settings) => DATABASE_WORKER_POOL_SIZE,
};

/** Concurrent jobs of each pool of workers in one process. */
export const concurrentJobs = {
  housekeeping: () => 2,
  documents: ({ WORKER_CONCURRENCY }: Settings) => WORKER_CONCURRENCY,
  work: ({ WORKER_CONCURRENCY }: Settings) => WORKER_CONCURRENCY,
};

/** A pool of workers uses one connection to listen, and one per job for its bookkeeping. */
export const connectionsOfQueue = (concurrency: number): number => concurrency + 1;

/** The most connections that a process with these parts opens; docs/scaling.md has the sums. */
export function maxConnections(settings: Settings, parts: { api: boolean; workers: boolean }): number {
  const { probe, tokens, api, workers } = poolSizes;
  const queues = Object.values(concurrentJobs).map((jobs) => connectionsOfQueue(jobs(settings)));
  const ofWorkers = queues.reduce((sum, connections) => sum + connections, workers(settings));
  return probe() + tokens() + (parts.api ? api(settings) : 0) + (parts.workers ? ofWorkers : 0);
}

/** The connections that the server leaves to roles like the service's; an expression of SQL. */
export const connectionsForService = `current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
  - coalesce(current_setting('reserved_connections', true)::int, 0)`;
