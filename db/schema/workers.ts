import { integer, pgTable } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/**
 * The time of each worker pool's last report. If a pool has not reported for a while, its jobs are unlocked for
 * others.
 */
export const workerHeartbeats = pgTable('worker_heartbeats', {
  workerId: identifier('worker_id').primaryKey(),
  seenAt: moment('seen_at').notNull().defaultNow(),
});

/** The last completed run of each recurring task, and of the backup. Metrics report its age. */
export const maintenanceRuns = pgTable('maintenance_runs', {
  /** The name of a recurring task, or `backup`. */
  name: identifier('name').primaryKey(),
  finishedAt: moment('finished_at').notNull().defaultNow(),
  /** Seconds between two runs. Null if the operator decides when it runs. */
  everySeconds: integer('every_seconds'),
});
