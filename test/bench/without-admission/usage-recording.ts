import type { WithSubquery } from 'drizzle-orm';
import type { QueryBuilder } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import { recordsOf } from '#server/billing/metering/usage-recording.ts';

export * from '#server/billing/metering/usage-recording.ts';

/** Inserts the usage records without adding to the totals. */
export function recordUsage(
  db: QueryBuilder,
  kind: 'text',
  finished: Parameters<typeof recordsOf>[1] & WithSubquery,
) {
  return db
    .with(finished)
    .insert(usageRecords)
    .select(recordsOf(kind, finished))
    .returning({ updatedAt: usageRecords.recordedAt });
}
