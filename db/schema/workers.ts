import { pgTable } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';

/** When each job worker was last seen alive. A worker that is not seen for a while loses its jobs to others. */
export const workerHeartbeats = pgTable('worker_heartbeats', {
  workerId: identifier('worker_id').primaryKey(),
  seenAt: moment('seen_at').notNull().defaultNow(),
});
