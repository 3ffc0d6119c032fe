import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import type { PageEnd } from '#server/paging.ts';
import type { BillingPeriod } from '../reports/billing-period.ts';
import type { UsageRecord } from '../schema.ts';
import { recordFields } from './record-fields.ts';

/** Where a record stands in the ledger, which is in the order of `recorded_at` and then of `job_id`. */
export interface RecordKey {
  recordedAt: Date;
  jobId: string;
}

export interface RecordListing {
  tenantId: string;
  period: BillingPeriod;
  operator: boolean;
  limit: number;
  /** The last record of the page before. */
  after: PageEnd | undefined;
}

/**
 * A billing period's records, the newest first, `limit` of them, and whether there are more. `billing_period` is made from
 * the moment that they are found by (A 2.5), which is what the index has.
 */
export async function selectRecords(
  tx: Tx,
  { tenantId, period, operator, limit, after }: RecordListing,
): Promise<{ records: UsageRecord[]; more: boolean }> {
  const { recordedAt, jobId } = usageRecords;
  // A cursor from behind the period's end bounds nothing.
  const older =
    after && after.updatedAt.toISOString().slice(0, 7) <= period.name
      ? sql`(${recordedAt}, ${jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`
      : sql`${recordedAt} < ${period.before}::timestamptz`;
  // The rows are what the select list makes them.
  const found = await tx.execute<UsageRecord>(sql`
    select ${recordFields(operator).list} from ${usageRecords}
    where ${eq(usageRecords.tenantId, tenantId)} and ${recordedAt} >= ${period.from}::timestamptz and ${older}
    order by ${desc(recordedAt)}, ${desc(jobId)} limit ${limit + 1}`);
  return { records: found.slice(0, limit), more: found.length > limit };
}

/** The newest record of a period; undefined where there is none. */
export async function selectNewestKey(
  tx: Tx,
  tenantId: string,
  period: BillingPeriod,
): Promise<RecordKey | undefined> {
  const [key] = await tx
    .select({ recordedAt: usageRecords.recordedAt, jobId: usageRecords.jobId })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.tenantId, tenantId),
        sql`${usageRecords.recordedAt} >= ${period.from}::timestamptz`,
        sql`${usageRecords.recordedAt} < ${period.before}::timestamptz`,
      ),
    )
    .orderBy(desc(usageRecords.recordedAt), desc(usageRecords.jobId))
    .limit(1);
  return key;
}
