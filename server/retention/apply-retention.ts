import { setTimeout as delay } from 'node:timers/promises';
import { and, asc, eq, gt, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { invites } from '#db/schema/identity.ts';
import { reviewComments } from '#db/schema/reviews.ts';
import { tenantRetention, tenants } from '#db/schema/tenants.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { removeDocument } from '#server/documents/removal.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { serverAdministrator, type WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { deleteCommentsOn } from '#server/review/comments.ts';
import { domainOfJob, withJobs } from '#server/review/usage-by-domain.ts';
import { finishedStatuses, removeOldJobs } from '#server/texts/removal.ts';
import type { DeletionServices } from './deletion-run.ts';
import {
  policyOf,
  policyOfDeployment,
  type Retained,
  type RetentionPolicy,
  retained,
} from './retention-policy.ts';

const dayMs = 86_400_000;
/** Milliseconds of a run. Then the task is queued again, with its position. */
const runMs = 10_000;
/** Tenants per query. */
const tenantsPerPage = 200;
/** Rows per step. A document takes much longer than another row. */
const perStep: Record<Retained, number> = {
  jobs: 200,
  documents: 1,
  audit: 1000,
  usage: 1000,
  invites: 1000,
};

/** Deletes some old data of one kind. Returns the number of deleted rows; 0 if none is left. */
type Step = (
  services: DeletionServices,
  tenantId: string,
  page: { before: Date; limit: number },
) => Promise<number>;

const steps: Record<Retained, Step> = {
  jobs: (services, tenantId, page) =>
    removeOldJobs(services, tenantId, page, async (tx, ids) => {
      const { tenantId: tenant, itemKind, itemId } = reviewComments;
      await tx
        .delete(reviewComments)
        .where(and(eq(tenant, tenantId), eq(itemKind, 'job'), inArray(itemId, [...ids])));
    }),
  documents: removeOldDocument,
  async audit({ database }, tenantId, { before, limit }) {
    return database.inTenant(tenantId, async (tx) => {
      const { eventId, recordedAt, tenantId: tenant } = auditLog;
      const old = tx
        .select({ eventId })
        .from(auditLog)
        .where(and(eq(tenant, tenantId), lt(recordedAt, before)))
        .orderBy(recordedAt)
        .limit(limit);
      const { count } = await tx.delete(auditLog).where(and(eq(tenant, tenantId), inArray(eventId, old)));
      return count;
    });
  },
  usage: ({ database }, tenantId, { before, limit }) =>
    database.inTenant(tenantId, (tx) => removeOldUsage(tx, tenantId, { before, limit })),
  async invites({ database }, tenantId, { before, limit }) {
    return database.inTenant(tenantId, async (tx) => {
      const { inviteId, tenantId: tenant, redeemedAt, withdrawnAt, expiresAt } = invites;
      const endedAt = sql`coalesce(${redeemedAt}, ${withdrawnAt}, ${expiresAt})`;
      const old = tx
        .select({ inviteId })
        .from(invites)
        .where(and(eq(tenant, tenantId), sql`${endedAt} < ${before.toISOString()}::timestamptz`))
        .orderBy(endedAt)
        .limit(limit);
      const { count } = await tx.delete(invites).where(and(eq(tenant, tenantId), inArray(inviteId, old)));
      return count;
    });
  },
};

/**
 * Deletes the data that is older than the retention of its tenant, in short steps with pauses.
 * @param position `after`: the ID of the last tenant that is done
 */
export async function applyRetention(
  services: DeletionServices,
  position: { after?: string },
): Promise<void> {
  const { database, log } = services;
  const end = Date.now() + runMs;
  let after = position.after ?? '';
  for (;;) {
    const page = await selectPolicies(services, after);
    for (const tenant of page) {
      const { tenantId } = tenant;
      const deleted = await applyPolicy(services, tenant, end).catch((error: unknown) => {
        // The storage of one tenant must not keep the data of others.
        log.warn({ tenant_id: tenantId, error: describeForLog(error) }, 'old data was not deleted yet');
        return 0;
      });
      if (deleted > 0) log.info({ tenant_id: tenantId, deleted }, 'old data deleted');
      if (Date.now() > end) {
        await database.inPlatform((tx) =>
          addJob(tx, 'apply_retention', { after }, { key: 'apply_retention', queue: 'apply_retention' }),
        );
        return;
      }
      after = tenantId;
    }
    if (page.length < tenantsPerPage) return removeOldAttempts(services, end);
  }
}

/**
 * Deletes old attempts to sign in that belong to no tenant: they have the addresses of people who may not even have an
 * account. Other events without a tenant stay, such as the deletion of a tenant.
 */
async function removeOldAttempts({ database, settings }: DeletionServices, end: number): Promise<void> {
  const { audit: days } = policyOfDeployment(settings);
  while (days !== null && Date.now() <= end) {
    const deleted = await database.inPlatform((tx) =>
      tx.execute(sql`
        delete from audit_log where tenant_id = '' and event_id = any(array(
          select event_id from audit_log
          where tenant_id = '' and action in ('sign_in_failed', 'login_candidates_capped')
            and recorded_at < now() - make_interval(days => ${days}::int)
          order by recorded_at limit ${perStep.audit}::int))
        returning 1`),
    );
    if (deleted.length < perStep.audit) return;
  }
}

/** A tenant, how long its data is kept, and the age of its data. */
interface TenantPolicy {
  tenantId: string;
  policy: RetentionPolicy;
  /**
   * The time of the oldest row of a kind; null without rows. A document may have a state in which it is not deleted. Not
   * read for kinds of which there are few rows, or no index by time.
   */
  oldest: Partial<Record<Retained, Date | null>>;
}

/**
 * Returns the next tenants, without those that keep everything. One statement reads the age of the data of a page of
 * tenants. Otherwise, each tenant would need a transaction for each kind of data.
 */
async function selectPolicies(
  { database, settings }: DeletionServices,
  after: string,
): Promise<TenantPolicy[]> {
  const deploymentKeepsAll = Object.values(policyOfDeployment(settings)).every((days) => days === null);
  const rows = await database.inPlatform((tx) =>
    tx
      .select({
        tenantId: tenants.tenantId,
        own: tenantRetention,
        jobs: oldestFinished,
        documents: oldestOf(documentJobs, documentJobs.updatedAt),
        audit: oldestOf(auditLog, auditLog.recordedAt),
      })
      .from(tenants)
      .leftJoin(tenantRetention, eq(tenantRetention.tenantId, tenants.tenantId))
      .where(
        and(
          gt(tenants.tenantId, after),
          deploymentKeepsAll ? isNotNull(tenantRetention.tenantId) : undefined,
        ),
      )
      .orderBy(asc(tenants.tenantId))
      .limit(tenantsPerPage),
  );
  return rows.map(({ tenantId, own, ...oldest }) => ({ tenantId, policy: policyOf(settings, own), oldest }));
}

/** The time of a tenant's oldest row, from the index of tenant and time. */
function oldestOf(table: PgTable & { tenantId: PgColumn }, time: PgColumn): SQL<Date | null> {
  const oldest = sql`(select ${time} from ${table} where ${table.tenantId} = ${tenants.tenantId}
    order by ${time} limit 1)`;
  return oldest.mapWith(time) as SQL<Date | null>;
}

/** The time of a tenant's oldest finished job, from the index of statuses. */
const oldestFinished = sql<Date | null>`(select min(first) from
  unnest(array[${sql.join(
    finishedStatuses.map((status) => sql.raw(`'${status}'`)),
    sql`, `,
  )}]) finished(status),
  lateral (select ${translationJobs.updatedAt} as first from ${translationJobs}
    where ${translationJobs.tenantId} = ${tenants.tenantId} and ${translationJobs.status} = finished.status
    order by ${translationJobs.updatedAt} limit 1) job)`.mapWith(translationJobs.updatedAt);

/** @returns the number of deleted rows */
async function applyPolicy(
  services: DeletionServices,
  { tenantId, policy, oldest }: TenantPolicy,
  end: number,
): Promise<number> {
  let deleted = 0;
  for (const kind of retained) {
    const days = policy[kind];
    if (days === null) continue;
    const before = new Date(Date.now() - days * dayMs);
    const first = oldest[kind];
    if (first === null || (first && first >= before)) continue;
    const page = { before, limit: perStep[kind] };
    while (Date.now() <= end) {
      const begun = Date.now();
      const count = await steps[kind](services, tenantId, page);
      deleted += count;
      if (count === 0) break;
      // Leave at least as much time to others.
      await delay(Math.min(Date.now() - begun, 1000));
    }
  }
  return deleted;
}

/** Deletes the oldest finished document. Its TM segments stay. */
async function removeOldDocument(
  services: DeletionServices,
  tenantId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const [old] = await services.database.inTenant(tenantId, (tx) =>
    tx
      .select({ id: documentJobs.documentId })
      .from(documentJobs)
      .where(
        and(
          eq(documentJobs.tenantId, tenantId),
          inArray(documentJobs.status, ['translated', 'failed']),
          lt(documentJobs.updatedAt, before),
        ),
      )
      .orderBy(documentJobs.updatedAt, sql`${documentJobs.documentId}`)
      .limit(limit),
  );
  if (!old) return 0;
  const { id } = old;
  const withOwningTenant: WithOwningTenant = (work) =>
    services.database.inTenant(tenantId, (tx) => work(tx, tenantId, serverAdministrator));
  try {
    await removeDocument(
      services,
      withOwningTenant,
      id,
      (tx) => deleteCommentsOn(tx, tenantId, { kind: 'document', id }),
      { keepsMemory: true },
    );
  } catch (error) {
    // It was deleted in the meantime.
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
  return 1;
}

/**
 * Removes the oldest usage records of a tenant, and adds them to the daily totals in `usage_day_groups`. One statement
 * does both, and counts only what it removes. So a record is in the ledger or in the totals, and never in both, if a
 * process dies, if two processes do this at the same time, or if a record of an old day is added later.
 *
 * `usage_totals`, from which allowances, daily usage and the sums of billing periods are read, does not change.
 * @param page `before`: only days that ended before this moment (UTC) count, so that no day is left half removed
 * @returns the number of removed records
 */
export async function removeOldUsage(
  tx: Tx,
  tenantId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  // The rows are sorted, so that two processes lock them in the same order.
  const [row] = await tx.execute<{ removed: number }>(sql`
    with old as materialized (
      select job_id from usage_records
      where tenant_id = ${tenantId}
        and recorded_at < date_trunc('day', ${before.toISOString()}::timestamptz, 'UTC')
      order by recorded_at, job_id limit ${limit}::int for update skip locked),
    u as (
      delete from usage_records where tenant_id = ${tenantId} and job_id in (select job_id from old) returning *),
    day_groups as (
      select (u.recorded_at at time zone 'UTC')::date as day, u.kind, u.source_lang, u.target_lang,
        coalesce(u.fast_path, '') as served_from, coalesce(u.submitted_by, '') as submitted_by,
        ${domainOfJob} as domain, u.source_chars, u.billable_chars
      from ${withJobs(tenantId)}),
    added as (
      insert into usage_day_groups as total (tenant_id, day, kind, source_lang, target_lang, served_from, submitted_by,
        domain, jobs, source_chars, billable_chars)
      select ${tenantId}, day, kind, source_lang, target_lang, served_from, submitted_by, domain,
        count(*), sum(source_chars), sum(billable_chars)
      from day_groups group by 2, 3, 4, 5, 6, 7, 8 order by 2, 3, 4, 5, 6, 7, 8
      on conflict (tenant_id, day, kind, source_lang, target_lang, served_from, submitted_by, domain) do update
        set jobs = total.jobs + excluded.jobs, source_chars = total.source_chars + excluded.source_chars,
          billable_chars = total.billable_chars + excluded.billable_chars)
    select count(*)::int as removed from u`);
  return row?.removed ?? 0;
}
