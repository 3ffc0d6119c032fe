import { bigint, integer, pgTable, primaryKey } from 'drizzle-orm/pg-core';
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
  /** The name of a recurring task, `backup` or `verify_backup`. */
  name: identifier('name').primaryKey(),
  finishedAt: moment('finished_at').notNull().defaultNow(),
  /** Seconds between two runs. Null if the operator decides when it runs. */
  everySeconds: integer('every_seconds'),
});

/**
 * The requests to models by hour, over all processes and tenants. The rows of an hour differ in model, mode, outcome
 * and class of durations (`server/platform/model-requests.ts`).
 */
export const modelRequests = pgTable(
  'model_requests',
  {
    hour: moment('hour').notNull(),
    /** A model that the settings name, or `other`. */
    model: identifier('model').notNull(),
    mode: identifier('mode').notNull(),
    outcome: identifier('outcome').notNull(),
    duration: integer('duration').notNull(),
    requests: bigint('requests', { mode: 'number' }).notNull(),
    inputTokens: bigint('input_tokens', { mode: 'number' }).notNull(),
    outputTokens: bigint('output_tokens', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.hour, t.model, t.mode, t.outcome, t.duration] })],
);
