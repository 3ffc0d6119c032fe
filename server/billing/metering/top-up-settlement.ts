import { eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import { currentMonth, nextMonth } from './committed-usage.ts';

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
