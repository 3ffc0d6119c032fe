import { and, eq, type SQL, sql } from 'drizzle-orm';
import { prepare, type QueryBuilder, type Tx } from '#db/client.ts';
import { usageTotals, workInFlight } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { AllowanceFigures } from './monthly-allowance.ts';

const value = sql.placeholder;

/** The first day of the current UTC month. */
export const currentMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`;

/** And of the next one. */
export const nextMonth = sql`(date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date`;

/**
 * What a job in flight takes from other work. Of a job that this very work has by its key, what is to follow it is this
 * work's own: it was sent twice, and each key is run once. Of one that was left for too long, all of it: this work runs it
 * again. Looked at where the turn is held: a moment before, somebody else may have been at it.
 */
const reservedByOthers = sql`case
  when ${workInFlight.idempotencyKey} = any(array(select jsonb_array_elements_text(${value('keys')}::jsonb)))
  then case when ${workInFlight.updatedAt} < now() - make_interval(secs => ${value('staleSeconds')})
    then 0 else ${workInFlight.chars} end
  else ${workInFlight.chars} + ${workInFlight.restChars} end`;

const lock = prepare<{ tenantId: string }, unknown>((db) =>
  db
    .select({
      locked: sql`pg_advisory_xact_lock(hashtextextended(${value('tenantId')}, 8202))`,
      commits: sql`set_config('synchronous_commit', 'off', true)`,
    })
    .from(sql`(select) nobody`)
    .prepare('lock_admissions'),
);

/**
 * Submissions of one tenant are admitted one after another (A 8.2 rule 1): holds the tenant's turn until the transaction
 * ends. A statement of its own, before the one that counts, which must see what the turn before it committed. What is
 * locked is no row: the tenant's own is changed by payments meanwhile, and a row lock would be written to disk.
 *
 * Nor does the turn wait for the disk when it ends: a submission is answered when its result is stored, and that commit
 * writes this one out, too. Where the database dies in between, a pending job may be gone, unbilled, as if never sent.
 */
export function lockAdmissions(tx: Tx, tenantId: string): Promise<unknown> {
  return lock(tx, { tenantId });
}

/** What was counted of a tenant: weighted characters; see `AllowanceFigures`. */
export interface CommittedUsage extends Omit<AllowanceFigures, 'ceiling' | 'topUp'> {
  /** What is left of the prepaid balance, and what the window took of it. */
  topUp: number;
  trialUsed: number;
  /** Seconds of failed runs on the tenant's account; null where no run has failed. See `failed-runs.ts`. */
  failedFor: number | null;
}

/** What `committedWork` counts against, beside the tenant's own limit. */
export interface UsageLimits {
  /** Weighted characters of the work to admit. */
  chars: number;
  /** JSON, the idempotency keys of the work: see `reservedByOthers`. */
  keys: string;
  /** From how many seconds on a pending job of these keys may be run again. */
  staleSeconds: number;
  /** What the month may have come to before the work: the ceiling, less its characters. */
  monthBefore: number;
  /** Up to where prepaid characters reach: the ceiling; null where they do not count. */
  topUpCeiling: number | null;
  /** What the trial may have come to before the work; null where that is not paid from it. */
  trialBefore: number | null;
  /** Seconds of failed runs that may be on the account; null where they are not limited. */
  failedBefore: number | null;
  /** From when on trial usage is looked for, ISO 8601: the tenant's creation. Null off trial. */
  trialSince: string | null;
}

/**
 * What a tenant has committed (A 8.2 rules 1 to 4): a common table expression of one row, with placeholders named as
 * `AdmissionBounds` and `tenantId`. It reads totals, not the ledger.
 */
export function committedUsage(db: QueryBuilder) {
  const inMonth = sql`${usageTotals.day} >= ${currentMonth}`;
  const inWindow = sql`${inMonth} and ${usageTotals.allowanceWindow} = ${tenants.allowanceWindow}`;
  const sum = (column: SQL.Aliased | SQL | typeof usageTotals.billableChars, where: SQL) =>
    sql<number>`coalesce(sum(${column}) filter (where ${where}), 0)::float8`;
  return db.$with('committed').as(
    db
      .select({
        monthlyLimit: sql<number>`${tenants.monthlyCharLimit}::float8`.as('monthly_limit'),
        monthUsed: sum(usageTotals.billableChars, inMonth).as('month_used'),
        windowUsed: sum(usageTotals.billableChars, inWindow).as('window_used'),
        topUp: sql<number>`${tenants.topupBalance} + ${sum(usageTotals.topupChars, inWindow)}`.as('top_up'),
        trialUsed: sql<number>`coalesce(sum(${usageTotals.trialChars}), 0)::float8`.as('trial_used'),
        inFlight: sql<number>`(
          select coalesce(sum(${reservedByOthers}), 0)::float8
          from ${workInFlight} where ${workInFlight.tenantId} = ${tenants.tenantId})`.as('in_flight'),
        failedFor: sql<number | null>`extract(epoch from ${tenants.failedRunsUntil} - now())::float8`.as(
          'failed_for',
        ),
      })
      .from(tenants)
      .leftJoin(
        usageTotals,
        and(
          eq(usageTotals.tenantId, tenants.tenantId),
          sql`${usageTotals.day} >= least(${currentMonth}, (${value('trialSince')}::timestamptz at time zone 'UTC')::date)`,
          // Of a transaction that waited past the end of its month, too.
          sql`${usageTotals.day} < ${nextMonth}`,
        ),
      )
      .where(eq(tenants.tenantId, value('tenantId')))
      .groupBy(tenants.tenantId),
  );
}

export type CommittedUsageQuery = ReturnType<typeof committedUsage>;

/**
 * Whether the work fits: what `refuseByAllowance`, `refuseByPayment` and `refuseByFailedRuns` decide, where the turn is held. (A decision made
 * outside the database would hold the turn for a round trip.)
 */
export function fitsLimits(committed: CommittedUsageQuery): SQL {
  const { monthlyLimit, windowUsed, monthUsed, trialUsed, inFlight, failedFor } = committed;
  const headroom = sql`greatest(${value('topUpCeiling')}::float8 - ${monthlyLimit}, 0)`;
  const topUp = sql`least(greatest(${committed.topUp}, 0), ${headroom})`;
  return sql`${windowUsed} + ${inFlight} + ${value('chars')}::float8 <= ${monthlyLimit} + ${topUp}
    and ${monthUsed} + ${inFlight} <= ${value('monthBefore')}::float8
    and coalesce(${trialUsed} + ${inFlight} <= ${value('trialBefore')}::float8, true)
    and coalesce(${failedFor} <= ${value('failedBefore')}::float8, true)`;
}

/** What a tenant has committed, for a report. */
export const selectCommitted = prepare<
  { tenantId: string; keys: string; staleSeconds: number; trialSince: string | null },
  CommittedUsage[]
>((db) => {
  const committed = committedUsage(db);
  return db.with(committed).select().from(committed).prepare('select_committed');
});

const selectBilled = prepare<
  { scope: string },
  { monthlyCharLimit: number; metadata: Record<string, unknown>; createdAt: Date }[]
>((db) =>
  db
    .select({
      monthlyCharLimit: tenants.monthlyCharLimit,
      metadata: tenants.metadata,
      createdAt: tenants.createdAt,
    })
    .from(tenants)
    .where(eq(tenants.tenantId, sql`current_setting(${value('scope')})`))
    .prepare('select_billed_tenant'),
);

/** The tenant of the transaction's scope, as billing knows it: asked before anybody knows which that is. */
export function selectBilledTenant(tx: Tx) {
  // A parameter although it never changes: the driver only prepares statements that have one.
  return selectBilled(tx, { scope: 'lingualoop.tenant_id' });
}
