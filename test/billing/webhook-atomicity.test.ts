import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { prunePaymentEvents } from '#server/billing/webhook.ts';
import { holdOpen, waitingOr } from '#test/access/held-transactions.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { startWorkers } from '#workers/run.ts';
import { sessionEvent, subscriptionEvent, topUpEvent, useBillingApp } from './billing-app.ts';

const billing = useBillingApp({ SWEEP_INTERVAL_SECONDS: '1' });
const { app, deliver } = billing;

const newTenant = async () => (await app.signUp()).tenantId;
const metadataOf = async (tenantId: string) => (await billing.stored(tenantId)).metadata;
const purchased = async (tenantId: string) => (await metadataOf(tenantId))['topup_chars_purchased'];
const auditLines = async (tenantId: string) =>
  (
    await billing.sql`select from audit_log where tenant_id = ${tenantId} and actor_kind = 'payment_processor'`
  ).length;

async function deliverAll(events: unknown[]) {
  const answers = await Promise.all(events.map((event) => deliver(event)));
  expect(answers.map(({ status }) => status)).toEqual(events.map(() => 200));
}

describe('concurrent deliveries', () => {
  test('of one event count once', async () => {
    const tenantId = await newTenant();
    const event = topUpEvent(tenantId);
    await deliverAll(Array.from({ length: 50 }, () => event));
    expect(await purchased(tenantId)).toBe(1_000_000);
    expect(await auditLines(tenantId)).toBe(1);
  });

  test('of two kinds of events lose and double nothing', async () => {
    const tenantId = await newTenant();
    const id = `sub_${tenantId}`;
    const topUps = Array.from({ length: 23 }, () => topUpEvent(tenantId));
    const life = [
      sessionEvent(tenantId, { subscription: id }, 0),
      subscriptionEvent('created', tenantId, { id, status: 'incomplete' }, 1),
      subscriptionEvent('updated', tenantId, { id, price: 'price_studio' }, 2),
      subscriptionEvent('deleted', tenantId, { id }, 3),
    ];
    await deliverAll([...topUps, ...life, ...topUps]);
    expect(await billing.stored(tenantId)).toMatchObject({
      metadata: {
        topup_chars_purchased: 23_000_000,
        pay_subscription_status: 'canceled',
        pay_subscription_id: id,
      },
    });
    expect(await billing.events(tenantId)).toHaveLength(27);
  });
});

describe('an effect that could not be stored returns 500, and is applied on redelivery', () => {
  const failed = {
    status: 500,
    body: { detail: 'internal error', error_code: 'internal_error', request_id: expect.any(String) },
  };

  /** Makes all inserts into a table fail until the test ends, or the returned function is called. */
  async function close(table: string): Promise<() => Promise<void>> {
    const sql = openSuperuser(app.superuserUrl);
    await sql.unsafe(`
      create or replace function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'no room' using errcode = 'disk_full'; end $$;
      create trigger closed before insert or update on ${table} for each row execute function refuse_row()`);
    const open = async () => void (await sql.unsafe(`drop trigger if exists closed on ${table}`));
    onTestFinished(open);
    return open;
  }

  test.each(['payment_events', 'tenants', 'audit_log'])('a failure at %s', async (table) => {
    const tenantId = await newTenant();
    const events = [topUpEvent(tenantId), subscriptionEvent('created', tenantId, { id: 'sub_1' })];
    const before = await billing.stored(tenantId);
    const open = await close(table);
    for (const event of events) expect(await deliver(event)).toMatchObject(failed);
    expect(await billing.stored(tenantId)).toEqual(before);
    expect(await billing.events(tenantId)).toEqual([]);
    await open();
    for (const event of events) expect((await deliver(event)).status).toBe(200);
    expect(await billing.stored(tenantId)).toMatchObject({
      monthly_char_limit: 1_500_000,
      metadata: { topup_chars_purchased: 1_000_000, pay_subscription_status: 'active' },
    });
    expect(await auditLines(tenantId)).toBe(2);
  });

  test('a connection lost in the middle', async () => {
    const tenantId = await newTenant();
    const event = topUpEvent(tenantId);
    // A separate pool, so that only the connection of this delivery is cut.
    const database = openDatabase(app.databaseUrl, { size: 1 });
    onTestFinished(() => database.close());
    const held = await holdOpen({ ...app, database }, tenantId, (tx) =>
      tx.execute(`select from tenants where tenant_id = '${tenantId}' for no key update`),
    );
    const answer = deliver(event);
    await waitingOr(app, 1, answer);
    await billing.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    expect(await answer).toMatchObject(failed);
    await held.letGo();
    expect(await purchased(tenantId)).toBeUndefined();
    expect((await deliver(event)).status).toBe(200);
    expect(await purchased(tenantId)).toBe(1_000_000);
  });
});

describe('events are remembered for 90 days', () => {
  async function age(eventId: string, days: number) {
    await billing.sql`
      update payment_events set applied_at = now() - make_interval(days => ${days}) where event_id = ${eventId}`;
  }

  test('older ones are deleted in bounded statements, and their effects stay', async () => {
    const tenantId = await newTenant();
    const events = [topUpEvent(tenantId), topUpEvent(tenantId)];
    for (const event of events) await deliver(event);
    const [old, young] = events.map(({ id }) => id) as [string, string];
    await age(old, 91);
    await age(young, 89);
    await billing.sql`
      insert into payment_events (tenant_id, event_id, type, created_at, applied_at)
      select ${tenantId}, 'evt_' || n, 'x', now(), now() - interval '1 year' from generate_series(1, 12000) n`;
    expect(await prunePaymentEvents(app.database)).toBe(12_001);
    expect(await billing.events(tenantId)).toEqual([young]);
    await deliver(events[0]);
    expect(await purchased(tenantId)).toBe(2_000_000);
    expect(await prunePaymentEvents(app.database)).toBe(0);
  });

  test('the workers do it on a schedule', async () => {
    const tenantId = await newTenant();
    const event = topUpEvent(tenantId);
    await deliver(event);
    await age(event.id, 91);
    const workers = await startWorkers(app.services, () => app.databaseUrl);
    try {
      await poll(async () => (await billing.events(tenantId)).length === 0);
    } finally {
      await workers.stop();
    }
  });
});
