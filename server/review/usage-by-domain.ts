import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { translationJobs } from '#db/schema/translations.ts';
import {
  breakDown,
  type ReportRange,
  type UsageBreakdown,
} from '#server/billing/metering/usage-breakdown.ts';

/**
 * Reports the billed characters of a tenant by day and by the domain that the submitter named, in lower case; empty
 * without a domain, and for jobs that were deleted since then.
 * @throws AppError 422, 400
 */
export async function breakDownByDomain(
  tx: Tx,
  tenantId: string,
  asked: ReportRange,
): Promise<UsageBreakdown> {
  const named = sql`select u.*, ${domainOfJob} as name from ${withJobs(tenantId)}`;
  return breakDown(tx, tenantId, asked, { named, field: sql.identifier('domain') });
}

/** SQL: the domain of a row of `withJobs`. */
export const domainOfJob = sql`lower(trim(left(coalesce(${translationJobs.request} ->> 'domain',
  ${documentJobs.request} ->> 'domain', ''), 100)))`;

/** SQL: usage records `u` with their jobs, as far as these exist. */
export const withJobs = (tenantId: string) => sql`
  u left join ${translationJobs} on u.kind = 'text' and ${translationJobs.tenantId} = ${tenantId}
      and ${translationJobs.jobId} = u.job_id
    left join ${documentJobs} on u.kind = 'document' and ${documentJobs.tenantId} = ${tenantId}
      and ${documentJobs.documentId} = u.job_id`;
