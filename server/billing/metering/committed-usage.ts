import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { prepare, type QueryBuilder, type Tx } from '#db/client.ts';
import { tokenSpending, usageTotals, workInFlight } from '#db/schema/metering.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { AllowanceFigures } from './monthly-allowance.ts';
import { expectedTokens, type TokenUsage } from './token-limit.ts';

const value = sql.placeholder;

/** The first day of the current month in UTC. */
const currentMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`;

/** The first day of the next month in UTC. */
const nextMonth = sql`(date_trunc('month', now() at time zone 'UTC') + interval '1 month')::date`;

const lock = prepare<{ tenantId: string; isDurable: boolean }, unknown>((db) =>
  db
    .select({
      locked: sql`pg_advisory_xact_lock(hashtextextended(${value('tenantId')}, 8202))`,
      commits: sql`set_config('synchronous_commit',
        case when ${value('isDurable')}::boolean then current_setting('synchronous_commit') else 'off' end, true)`,
    })
    .from(sql`(select) one_row`)
    .prepare('lock_admissions'),
);

/**
 * Takes the tenant's admission lock and keeps it until the transaction ends: submissions of one tenant are admitted one
 * after another.
 *
 * Send this as a separate statement, before the statement that counts: the count must include what the previous holder
 * of the lock committed. No row is locked, because payments change the tenant's row at the same time, and a row lock
 * would be written to disk.
 *
 * The commit of this transaction returns before it is on disk. The client gets its response only after the result is
 * stored, and the commit that stores the result also writes this one to disk. If the database crashes in between, a
 * pending job may be lost, unbilled, as if the client had never sent it.
 * @param isDurable for a client that gets its response before the result is stored: the commit then returns as usual,
 * when it is on disk
 */
export function lockAdmissions(tx: Tx, tenantId: string, { isDurable = false } = {}): Promise<unknown> {
  return lock(tx, { tenantId, isDurable });
}

/** A tenant's used and reserved weighted characters; see `AllowanceFigures`. */
export interface CommittedUsage extends Omit<AllowanceFigures, 'ceiling' | 'topUp'>, TokenUsage {
  /** The remaining prepaid balance plus the prepaid characters that the current window has already taken. */
  topUp: number;
  trialUsed: number;
  /**
   * Seconds that failed runs have added to the tenant's account and that have not expired yet; null if no run has
   * failed. See `failed-run-rate.ts`.
   */
  failedFor: number | null;
}

/** The limits for new work, in addition to the tenant's own monthly limit. */
export interface UsageLimits {
  /** The work starts only if at least this many weighted characters of the allowance remain. */
  chars: number;
  /** The idempotency keys of the work, as a JSON array; see `reservedByOthers`. */
  keys: string;
  /** Seconds after which a pending job with one of these keys may run again. */
  staleSeconds: number;
  /**
   * The highest usage of the month with which this work still fits: the ceiling minus the weighted characters of the
   * work.
   */
  monthBefore: number;
  /** The ceiling, up to which prepaid characters extend the monthly limit; null if prepaid characters do not count. */
  topUpCeiling: number | null;
  /** The highest trial usage with which this work still fits; null if the trial does not pay for the work. */
  trialBefore: number | null;
  /**
   * The highest number of seconds on the account of failed runs with which work may start; null if failed runs are not
   * limited.
   */
  failedBefore: number | null;
  /** Tokens that the tenant's model calls may use today; null if tokens are not limited. See `token-limit.ts`. */
  tokenLimit: number | null;
  /**
   * The time from which usage counts for the trial, ISO 8601: the tenant's creation. Null if the trial does not pay.
   */
  trialSince: string | null;
}

/**
 * The part of the admission statement that checks usage. The caller adds the row to insert or update:
 *
 *     const { committed, withinLimits, usage } = usageCheck(db);
 *     const job = db.$with('admitted').as(db.insert(jobs).select(db.select(…).from(committed).where(withinLimits))…);
 *     db.with(committed, job).select({ usage, … }).from(committed).leftJoin(job, sql`true`);
 *
 * Such a statement returns one row: the tenant's usage, and the job if it fits. One statement counts, decides and
 * inserts, because the caller holds the admission lock: deciding outside the database would hold the lock for another
 * round trip. If the job is missing, `EntitlementCheck.refusal(usage)` returns the reason.
 *
 * The placeholders of the statement are the fields of `UsageLimits`, `tenantId`, and those that the caller adds.
 */
export function usageCheck(db: QueryBuilder) {
  const committed = committedUsage(db);
  const { monthlyLimit, monthUsed, windowUsed, inFlight, topUp, trialUsed, failedFor } = committed;
  const { tokensSpent, tokensExpected } = committed;
  const tokens = { tokensSpent, tokensExpected };
  return {
    /** The common table expression with the counts; it has one row. */
    committed,
    /** The condition under which the work fits. */
    withinLimits: withinLimits(committed),
    /** The counts as columns to select; they have the fields of `CommittedUsage`. */
    usage: { monthlyLimit, monthUsed, windowUsed, inFlight, topUp, trialUsed, failedFor, ...tokens },
  };
}

/**
 * Sums the amounts that jobs in progress reserve and that count against the new work.
 *
 * A job in progress with one of the new work's idempotency keys is the same submission, sent twice, and each key runs
 * once. If the job is stale, the new work runs it again, so the job counts 0. The rows are read while the admission lock
 * is held, because until then another submission may change them.
 * @param amount the amount of one job
 */
const reservedByOthers = (amount: SQLWrapper) => sql`(
  select coalesce(sum(case
    when ${workInFlight.idempotencyKey} = any(array(select jsonb_array_elements_text(${value('keys')}::jsonb)))
      and ${workInFlight.updatedAt} < now() - make_interval(secs => ${value('staleSeconds')})
    then 0 else ${amount} end), 0)::float8
  from ${workInFlight} where ${workInFlight.tenantId} = ${value('tenantId')})`;

/** SQL: the tokens that the tenant has used today, in UTC. */
const tokensOfToday = sql`coalesce((select ${tokenSpending.tokens} from ${tokenSpending}
  where ${tokenSpending.tenantId} = ${tenants.tenantId} and ${tokenSpending.day} = (now() at time zone 'UTC')::date), 0)::float8`;

/** If tokens are not limited, nothing is read. */
const ifTokensAreLimited = (amount: SQL) =>
  sql<number | null>`case when ${value('tokenLimit')}::float8 is not null then ${amount} end`;

/** A tenant's used and reserved characters, read from the running totals, not from the usage records. */
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
        inFlight: sql<number>`${reservedByOthers(workInFlight.chars)}`.as('in_flight'),
        tokensSpent: ifTokensAreLimited(tokensOfToday).as('tokens_spent'),
        tokensExpected: ifTokensAreLimited(
          reservedByOthers(expectedTokens(workInFlight.chars, sql`(${workInFlight.chars} > 0)::int`)),
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
          // A transaction that began in this month may last until the next month has begun.
          sql`${usageTotals.day} < ${nextMonth}`,
        ),
      )
      .where(eq(tenants.tenantId, value('tenantId')))
      .groupBy(tenants.tenantId),
  );
}

/**
 * Makes in SQL the decision that `refuseByAllowance`, `refuseByPayment`, `refuseByTokens` and `refuseByFailedRuns` make
 * in TypeScript. A test checks that both agree.
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

/** Counts as `usageCheck` does, for a report. */
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

/**
 * Reads the billing data of the tenant to which the transaction is limited. The caller can send this statement before
 * the tenant's id is known.
 */
export function selectBilledTenant(tx: Tx) {
  // The value is always the same, but the driver prepares only statements with a parameter.
  return selectBilled(tx, { scope: 'lingualoop.tenant_id' });
}

const lockTenant = prepare<{ tenantId: string }, unknown>((db) =>
  db
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .where(eq(tenants.tenantId, sql.placeholder('tenantId')))
    .for('no key update')
    .prepare('lock_tenant_to_settle'),
);

/**
 * A separate row of the day's totals. The other rows cannot be used: jobs that wait for the tenant's lock hold locks on
 * them.
 */
const settledSlot = -1;

/**
 * Takes the usage of the current window that exceeds the monthly allowance from the prepaid balance, as far as the
 * balance suffices. Subtracts what was already taken, so that repeating the call changes nothing; call this after each
 * job. The tenant's row is locked by a separate statement: if two jobs finish at the same time, the second call sees
 * the first job's usage.
 * @param send sends the last statement; `tx.last` if this statement ends the transaction
 */
export async function settleTopUp(
  tx: Tx,
  tenantId: string,
  send: <T>(statement: PromiseLike<T>) => PromiseLike<T> = (statement) => statement,
): Promise<void> {
  const held = lockTenant(tx, { tenantId });
  const settled = send(
    tx.execute(sql`
    with used as (
      select t.tenant_id, t.allowance_window, t.topup_balance,
        coalesce(sum(u.billable_chars), 0) - coalesce(sum(u.topup_chars), 0) - t.monthly_char_limit as beyond
      from tenants t left join usage_totals u on u.tenant_id = t.tenant_id
        and u.allowance_window = t.allowance_window and u.day >= ${currentMonth} and u.day < ${nextMonth}
      where t.tenant_id = ${tenantId} group by t.tenant_id),
    draw as (
      select tenant_id, allowance_window, least(beyond, topup_balance)::bigint as chars from used
      where beyond > 0 and topup_balance > 0),
    noted as (
      insert into usage_totals as u (tenant_id, day, allowance_window, slot, topup_chars)
      select tenant_id, (now() at time zone 'UTC')::date, allowance_window, ${settledSlot}::smallint, chars from draw
      on conflict (tenant_id, day, allowance_window, slot) do update
        set topup_chars = u.topup_chars + excluded.topup_chars)
    update tenants t set metadata = t.metadata || jsonb_build_object(
      'topup_chars_used', metadata_count(t.metadata, 'topup_chars_used') + draw.chars)
    from draw where t.tenant_id = draw.tenant_id`),
  );
  await Promise.all([held, settled]);
}
