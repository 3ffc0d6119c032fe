import { pgTable } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/**
 * The time of each worker pool's last report. If a pool has not reported for a while, its jobs are unlocked for
 * others.
 */
export const workerHeartbeats = pgTable('worker_heartbeats', {
  workerId: identifier('worker_id').primaryKey(),
  seenAt: moment('seen_at').notNull().defaultNow(),
});
