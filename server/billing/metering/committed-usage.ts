import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { prepare, type QueryBuilder, type Tx } from '#db/client.ts';
import { tokenSpending, usageTotals, workInFlight } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { AllowanceFigures } from './monthly-allowance.ts';
import { expectedTokens, type TokenUsage } from './token-limit.ts';

const value = sql.placeholder;

/** The first day of the current month in UTC. */
export const currentMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`;

/** The first day of the next month in UTC. */
export const nextMonth = sql`(date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date`;

const lock = prepare<{ tenantId: string }, unknown>((db) =>
  db
    .select({
      locked: sql`pg_advisory_xact_lock(hashtextextended(${value('tenantId')}, 8202))`,
      commits: sql`set_config('synchronous_commit', 'off', true)`,
    })
    .from(sql`(select) one_row`)
    .prepare('lock_admissions'),
);

/**
 * Holds the tenant's admission lock until the transaction ends: submissions of one tenant are admitted one after
 * another. Send it as a separate statement, before the one that counts, which must see what the previous holder
 * committed. It locks no row: payments change the tenant's own row at the same time, and a row lock would be written
 * to disk.
 *
 * The transaction does not wait for the disk when it commits. The client gets its response only when the result is
 * stored, and that commit writes this one too. If the database crashes in between, a pending job may be lost,
 * unbilled, as if it had never been sent.
 */
export function lockAdmissions(tx: Tx, tenantId: string): Promise<unknown> {
  return lock(tx, { tenantId });
}

/** A tenant's used and reserved weighted characters; see `AllowanceFigures`. */
export interface CommittedUsage extends Omit<AllowanceFigures, 'ceiling' | 'topUp'>, TokenUsage {
  /** The rest of the prepaid balance, and what the current window took of it. */
  topUp: number;
  trialUsed: number;
  /** Seconds of failed runs in the tenant's account; null if no run has failed. See `failed-run-rate.ts`. */
  failedFor: number | null;
}

/** The limits for new work, besides the tenant's own monthly limit. */
export interface UsageLimits {
  /** Weighted characters that must be left of the allowance. */
  chars: number;
  /** The idempotency keys of the work, a JSON array: see `reservedByOthers`. */
  keys: string;
  /** Seconds after which a pending job with one of these keys may run again. */
  staleSeconds: number;
  /** The highest usage of the month with which this work still fits: the ceiling less `chars`. */
  monthBefore: number;
  /** The limit up to which prepaid characters extend the month: the ceiling; null if they do not count. */
  topUpCeiling: number | null;
  /** The highest usage of the trial with which this work still fits; null if the trial does not pay for it. */
  trialBefore: number | null;
  /** Seconds of failed runs that the account may have; null if they are not limited. */
  failedBefore: number | null;
  /** Tokens that the tenant's models may cost today; null if they are not limited. See `token-limit.ts`. */
  tokenLimit: number | null;
  /** The start of the trial's usage, ISO 8601: the tenant's creation. Null if the trial does not pay. */
  trialSince: string | null;
}

/**
 * Metering's part of the statement that admits work. The caller adds the row that it inserts or updates:
 *
 *     const { committed, withinLimits, usage } = usageCheck(db);
 *     const job = db.$with('admitted').as(db.insert(jobs).select(db.select(…).from(committed).where(withinLimits))…);
 *     db.with(committed, job).select({ usage, … }).from(committed).leftJoin(job, sql`true`);
 *
 * Such a statement returns one row: the tenant's usage, and the job if it fits. Counting, deciding and inserting are
 * one statement because the caller holds the admission lock: a decision made outside the database would hold the lock
 * for another round trip. If the job is missing, `EntitlementCheck.refusal(usage)` returns the reason.
 *
 * The statement's placeholders are the fields of `UsageLimits`, `tenantId`, and the caller's own.
 */
export function usageCheck(db: QueryBuilder) {
  const committed = committedUsage(db);
  const { monthlyLimit, monthUsed, windowUsed, inFlight, topUp, trialUsed, failedFor } = committed;
  const { tokensSpent, tokensExpected } = committed;
  const tokens = { tokensSpent, tokensExpected };
  return {
    /** The common table expression that counts, of one row. */
    committed,
    /** The condition that the work fits. */
    withinLimits: withinLimits(committed),
    /** The counts, as columns to select: `CommittedUsage`. */
    usage: { monthlyLimit, monthUsed, windowUsed, inFlight, topUp, trialUsed, failedFor, ...tokens },
  };
}

/**
 * The reservation of a job in progress, as it counts against new work. If the new work has the same idempotency key,
 * it is the same submission sent twice: the jobs that follow that one are the new work's own, and each key runs once.
 * If such a job is stale, the new work runs it again, and it reserves nothing. Read while the lock is held, because
 * another submission may change it until then.
 * @param own of the job itself
 * @param rest of the jobs that follow it in its series */
const reservedByOthers = (own: SQLWrapper, rest: SQLWrapper) => sql`(
  select coalesce(sum(case
    when ${workInFlight.idempotencyKey} = any(array(select jsonb_array_elements_text(${value('keys')}::jsonb)))
    then case when ${workInFlight.updatedAt} < now() - make_interval(secs => ${value('staleSeconds')})
      then 0 else ${own} end
    else ${own} + ${rest} end), 0)::float8
  from ${workInFlight} where ${workInFlight.tenantId} = ${tenants.tenantId})`;

/** Today's tokens, in UTC. */
const tokensOfToday = sql`coalesce((select ${tokenSpending.tokens} from ${tokenSpending}
  where ${tokenSpending.tenantId} = ${tenants.tenantId} and ${tokenSpending.day} = (now() at time zone 'UTC')::date), 0)::float8`;

/** A limit that is not set reads nothing. */
const ifTokensAreLimited = (amount: SQL) =>
  sql<number | null>`case when ${value('tokenLimit')}::float8 is not null then ${amount} end`;

/** A tenant's used and reserved characters. Reads the running totals, not the usage records. */
function committedUsage(db: QueryBuilder) {
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
        inFlight: sql<number>`${reservedByOthers(workInFlight.chars, workInFlight.restChars)}`.as(
          'in_flight',
        ),
        tokensSpent: ifTokensAreLimited(tokensOfToday).as('tokens_spent'),
        tokensExpected: ifTokensAreLimited(
          reservedByOthers(
            expectedTokens(workInFlight.chars, sql`(${workInFlight.chars} > 0)::int`),
            expectedTokens(workInFlight.restChars, workInFlight.restJobs),
          ),
        ).as('tokens_expected'),
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
          // A transaction may have waited beyond the end of its month.
          sql`${usageTotals.day} < ${nextMonth}`,
        ),
      )
      .where(eq(tenants.tenantId, value('tenantId')))
      .groupBy(tenants.tenantId),
  );
}

/**
 * The decision of `refuseByAllowance`, `refuseByPayment`, `refuseByTokens` and `refuseByFailedRuns`, in SQL. A test
 * checks that both agree.
 */
function withinLimits(committed: ReturnType<typeof committedUsage>): SQL {
  const { monthlyLimit, windowUsed, monthUsed, trialUsed, inFlight, failedFor } = committed;
  const { tokensSpent, tokensExpected } = committed;
  const headroom = sql`greatest(${value('topUpCeiling')}::float8 - ${monthlyLimit}, 0)`;
  const topUp = sql`least(greatest(${committed.topUp}, 0), ${headroom})`;
  return sql`${windowUsed} + ${inFlight} + ${value('chars')}::float8 <= ${monthlyLimit} + ${topUp}
    and ${monthUsed} + ${inFlight} <= ${value('monthBefore')}::float8
    and coalesce(${trialUsed} + ${inFlight} <= ${value('trialBefore')}::float8, true)
    and coalesce(${tokensSpent} + ${tokensExpected} < ${value('tokenLimit')}::float8, true)
    and coalesce(${failedFor} <= ${value('failedBefore')}::float8, true)`;
}

/** The same, for a report. */
export const selectCommittedUsage = prepare<
  Pick<UsageLimits, 'keys' | 'staleSeconds' | 'trialSince' | 'tokenLimit'> & { tenantId: string },
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

/** The billed tenant of the transaction's scope. The caller may send this before the tenant is known. */
export function selectBilledTenant(tx: Tx) {
  // The value never changes, but the driver prepares only statements with a parameter.
  return selectBilled(tx, { scope: 'lingualoop.tenant_id' });
}
