import { pgTable } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/** When each worker pool last reported. The jobs of a pool that has not reported for a while are unlocked for others. */
export const workerHeartbeats = pgTable('worker_heartbeats', {
  workerId: identifier('worker_id').primaryKey(),
  seenAt: moment('seen_at').notNull().defaultNow(),
});
