import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { DocumentSummary } from './schema.ts';

/** Counts a tenant's documents. */
export async function summarizeDocuments(tx: Tx, tenantId: string): Promise<DocumentSummary> {
  const [row] = await tx.execute<DocumentSummary & Record<string, unknown>>(sql`
    select count(*)::int as total,
      coalesce((select jsonb_object_agg(status, n) from (select status, count(*)::int as n from document_jobs
        where tenant_id = ${tenantId} group by status) s), '{}') as by_status,
      coalesce((select jsonb_object_agg(source_format, n) from (select source_format, count(*)::int as n from document_jobs
        where tenant_id = ${tenantId} group by source_format) f), '{}') as by_format,
      count(approved_at)::int as approved,
      count(*) filter (where status = 'translated' and exists (select from document_segments s
        where s.tenant_id = ${tenantId} and s.document_id = document_jobs.document_id and s.needs_review))::int as needs_review,
      coalesce(sum(source_chars) filter (where status = 'translated'
        or failure #> '{metadata,delivered_to}' is not null), 0)::float8 as billable_chars
    from document_jobs where tenant_id = ${tenantId}`);
  if (!row) throw new Error('the database returned no count');
  return row;
}

/** Counts the documents of each tenant by status (operators only). Platform scope. */
export async function summarizeByTenant(tx: Tx): Promise<Record<string, unknown>[]> {
  const rows = await tx.execute(sql`
    select tenant_id, count(*)::int as total,
      count(*) filter (where status in ('queued', 'extracted'))::int as in_flight,
      count(*) filter (where status = 'translated')::int as translated,
      count(*) filter (where status = 'failed')::int as failed
    from document_jobs group by tenant_id order by total desc, tenant_id limit 1000`);
  return [...rows] as Record<string, unknown>[];
}

/**
 * Returns the durations of each stage, over all tenants: median and maximum in milliseconds (operators only). Platform
 * scope.
 */
export async function summarizeStages(tx: Tx): Promise<Record<string, unknown>> {
  const rows = await tx.execute<{ stage: string; jobs: number; median_ms: number; max_ms: number }>(sql`
    select t.key as stage, count(*)::int as jobs,
      percentile_cont(0.5) within group (order by t.value::float8) as median_ms, max(t.value::float8) as max_ms
    from document_jobs, jsonb_each_text(stage_timings) t group by t.key`);
  return Object.fromEntries(rows.map(({ stage, ...figures }) => [stage, figures]));
}

/** Returns the latest failed documents of a tenant, with the code of each failure. */
export async function selectLatestFailures(
  tx: Tx,
  tenantId: string,
  limit: number,
): Promise<{ id: string; failedAt: Date; code: string | null }[]> {
  const rows = await tx.execute<{ id: string; failedAt: string; code: string | null }>(sql`
    select document_id as id, updated_at as "failedAt", failure ->> 'code' as code from document_jobs
    where tenant_id = ${tenantId} and status = 'failed' order by updated_at desc, document_id desc limit ${limit}`);
  return rows.map(({ failedAt, ...row }) => ({ ...row, failedAt: new Date(failedAt) }));
}

/** The documents that wait for an outage to pass, by reason. */
export interface WaitingDocuments {
  /** The error code of the last try. */
  reason: string;
  documents: number;
  longestSeconds: number;
}

/** Maximum number of unfinished documents that are read, so that counting a backlog does not take long. */
const maxWaiting = 10_000;

/** Counts the documents that wait for an outage to pass: those of a tenant, or by default of all. Platform scope. */
export async function countWaiting(tx: Tx, tenantId?: string): Promise<WaitingDocuments[]> {
  const ofTenant = tenantId === undefined ? sql`` : sql`and tenant_id = ${tenantId}`;
  const rows = await tx.execute<WaitingDocuments & Record<string, unknown>>(sql`
    select waiting_reason as reason, count(*)::int as documents,
      extract(epoch from now() - min(waiting_since))::float8 as "longestSeconds"
    from (select waiting_reason, waiting_since from document_jobs
      where status in ('queued', 'extracted') and waiting_since is not null ${ofTenant} limit ${maxWaiting}) w
    group by 1 order by 1`);
  return [...rows];
}
