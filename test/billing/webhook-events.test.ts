import { describe, expect, test } from 'vitest';
import {
  eventOf,
  sessionEvent,
  someTime,
  subscriptionEvent,
  topUpEvent,
  useBillingApp,
} from './billing-app.ts';

const billing = useBillingApp();
const { deliver } = billing;
const taken = { status: 200, body: { received: true } };
const iso = (at: number) => new Date((someTime + at) * 1000).toISOString();

const newTenant = async () => (await billing.app.signUp()).tenantId;
const metadataOf = async (tenantId: string) => (await billing.stored(tenantId)).metadata;
const purchased = async (tenantId: string) => (await metadataOf(tenantId))['topup_chars_purchased'];

/** Delivers an event that must not change the tenant. */
async function expectNothing(tenantId: string, event: unknown) {
  const before = await billing.stored(tenantId);
  expect(await deliver(event)).toMatchObject(taken);
  expect(await billing.stored(tenantId)).toEqual(before);
}

describe('the effect of each type of event (A 6)', () => {
  test('a subscription begins, changes its tier, lapses and ends', async () => {
    const tenantId = await newTenant();
    await billing.note(tenantId, { own: { deep: [1] } });
    const id = `sub_${tenantId}`;
    expect(await deliver(sessionEvent(tenantId, { subscription: id }, 1))).toMatchObject(taken);
    expect(await billing.stored(tenantId)).toMatchObject({
      monthly_char_limit: 500_000,
      metadata: {
        pay_subscription_id: id,
        pay_subscription_status: 'active',
        pay_allowance_from: iso(1),
        pay_allowance_subscription: id,
      },
    });
    expect(await metadataOf(tenantId)).not.toHaveProperty('pay_tier');
    await deliver(subscriptionEvent('created', tenantId, { id }, 2));
    expect(await billing.stored(tenantId)).toMatchObject({
      monthly_char_limit: 1_500_000,
      metadata: { pay_tier: 'pro', pay_subscription_event_at: iso(2), pay_allowance_from: iso(1) },
    });
    await deliver(subscriptionEvent('updated', tenantId, { id, price: 'price_studio' }, 3));
    expect(await billing.stored(tenantId)).toMatchObject({
      monthly_char_limit: 5_000_000,
      metadata: { pay_tier: 'studio', pay_allowance_from: iso(3) },
    });
    await deliver(
      subscriptionEvent('updated', tenantId, { id, status: 'past_due', price: 'price_studio' }, 4),
    );
    expect(await metadataOf(tenantId)).toMatchObject({ pay_subscription_status: 'past_due' });
    await deliver(subscriptionEvent('deleted', tenantId, { id, price: 'price_studio' }, 5));
    expect(await billing.stored(tenantId)).toMatchObject({
      monthly_char_limit: 5_000_000,
      metadata: { pay_subscription_status: 'canceled', pay_subscription_id: id, own: { deep: [1] } },
    });
  });

  test('references may be expanded into objects', async () => {
    const tenantId = await newTenant();
    const id = `sub_${tenantId}`;
    await deliver(sessionEvent(tenantId, { subscription: { id, object: 'subscription' } }));
    expect(await metadataOf(tenantId)).toMatchObject({ pay_subscription_id: id });
    const items = { data: [{ price: 'price_personal' }, { price: null }] };
    await deliver(subscriptionEvent('updated', tenantId, { id, items }, 1));
    expect(await metadataOf(tenantId)).toMatchObject({ pay_tier: 'personal' });
  });

  test('a session without a mode counts for a subscription only if it names one', async () => {
    const tenantId = await newTenant();
    await expectNothing(tenantId, sessionEvent(tenantId, { mode: null, subscription: null }));
    await expectNothing(tenantId, sessionEvent(tenantId, { mode: 'setup' }));
    await deliver(sessionEvent(tenantId, { mode: undefined, subscription: 'sub_1' }));
    expect(await metadataOf(tenantId)).toMatchObject({ pay_subscription_id: 'sub_1' });
  });

  test('a top-up is credited when it is paid, immediately or later, and never writes the subscription', async () => {
    const tenantId = await newTenant();
    await expectNothing(tenantId, topUpEvent(tenantId, { payment_status: 'unpaid' }));
    await expectNothing(tenantId, topUpEvent(tenantId, { payment_status: 'no_payment_required' }));
    await expectNothing(tenantId, topUpEvent(tenantId, {}, 'checkout.session.async_payment_failed'));
    await deliver(topUpEvent(tenantId, { id: 'cs_1', subscription: 'sub_1' }));
    expect(await purchased(tenantId)).toBe(1_000_000);
    const later = { id: 'cs_2', payment_status: 'unpaid', metadata: { topup_chars: '3000000' } };
    await deliver(topUpEvent(tenantId, later, 'checkout.session.async_payment_succeeded'));
    expect(await metadataOf(tenantId)).toEqual({
      ...(await metadataOf(await newTenant())),
      topup_chars_purchased: 4_000_000,
      topup_credited_sessions: ['cs_1', 'cs_2'],
    });
  });

  test('accepts invoice.payment_failed and unknown types without effect', async () => {
    const tenantId = await newTenant();
    for (const type of [
      'invoice.payment_failed',
      'checkout.session.expired',
      'constructor',
      '__proto__',
      'v2.core.event',
    ])
      await expectNothing(tenantId, eventOf(type, { metadata: { tenant_id: tenantId } }));
    expect(await billing.events(tenantId)).toEqual([]);
  });
});

describe('the tenant and the characters of an event', () => {
  test('client_reference_id names the tenant; metadata.tenant_id only if it is absent', async () => {
    const [tenantId, other] = [await newTenant(), await newTenant()];
    await deliver(topUpEvent(tenantId, { metadata: { tenant_id: other, topup_chars: '1000000' } }));
    await expectNothing(tenantId, topUpEvent(tenantId, { client_reference_id: 'someone-else' }));
    expect([await purchased(tenantId), await purchased(other)]).toEqual([1_000_000, undefined]);
    for (const client_reference_id of [null, '', undefined])
      await deliver(topUpEvent(other, { client_reference_id }));
    expect(await purchased(other)).toBe(3_000_000);
  });

  test.each([[undefined], ['f'.repeat(32)], ['*'], [''], [5]])(
    'tenant %j: accepted without effect',
    async (tenant_id) => {
      const [{ count } = {}] = await billing.sql`select count(*)::int from payment_events`;
      const metadata = { tenant_id, topup_chars: '1000000' };
      for (const event of [
        topUpEvent('', { client_reference_id: null, metadata }),
        sessionEvent('', { client_reference_id: null, metadata }),
        subscriptionEvent('created', '', { id: 'sub_1', metadata }),
        subscriptionEvent('deleted', '', { id: 'sub_1', metadata: null }),
      ])
        expect(await deliver(event)).toMatchObject(taken);
      expect((await billing.sql`select count(*)::int from payment_events`)[0]).toEqual({ count });
    },
  );

  test.each([undefined, '', '0', '-1000000', '1.5', '9'.repeat(30), {}])(
    'topup_chars %j: accepted without effect',
    async (topup_chars) => {
      const tenantId = await newTenant();
      await expectNothing(tenantId, topUpEvent(tenantId, { metadata: { tenant_id: tenantId, topup_chars } }));
      expect(await billing.events(tenantId)).toEqual([]);
    },
  );

  test('events without required fields are accepted without effect', async () => {
    const tenantId = await newTenant();
    for (const object of [{}, null, 'text', { id: 5 }, { id: '' }])
      for (const type of ['checkout.session.completed', 'customer.subscription.updated'])
        await expectNothing(tenantId, { ...eventOf(type, {}), data: { object } });
  });
});

describe('redelivery', () => {
  test('of an event has no effect, even if the body differs', async () => {
    const tenantId = await newTenant();
    const event = subscriptionEvent('updated', tenantId, { id: 'sub_1', status: 'past_due' });
    await deliver(event);
    event.data.object['status'] = 'active';
    await expectNothing(tenantId, event);
    expect(await billing.events(tenantId)).toEqual([event.id]);
  });

  test('of a session by another event credits nothing', async () => {
    const tenantId = await newTenant();
    await deliver(topUpEvent(tenantId, { id: 'cs_once' }));
    await deliver(topUpEvent(tenantId, { id: 'cs_once' }, 'checkout.session.async_payment_succeeded'));
    expect(await purchased(tenantId)).toBe(1_000_000);
  });
});

test('changes are in the audit log, once, without a payload', async () => {
  const tenantId = await newTenant();
  const created = subscriptionEvent('created', tenantId, { id: 'sub_1', customer_email: 'ada@example.org' });
  const paid = topUpEvent(tenantId, { id: 'cs_1' });
  for (const event of [created, created, paid, paid]) await deliver(event);
  const lines = await billing.sql`
    select action, actor_kind, actor_id, target, details from audit_log
    where tenant_id = ${tenantId} and actor_kind = 'payment_processor' order by event_id`;
  expect([...lines]).toEqual([
    {
      action: 'subscription_mirrored',
      actor_kind: 'payment_processor',
      actor_id: null,
      target: 'sub_1',
      details: { event_id: created.id, from: null, to: 'active', tier: 'pro', monthly_char_limit: 1_500_000 },
    },
    {
      action: 'topup_credited',
      actor_kind: 'payment_processor',
      actor_id: null,
      target: 'cs_1',
      details: { event_id: paid.id, chars: 1_000_000, purchased: 1_000_000 },
    },
  ]);
});

/** Characters that PostgreSQL cannot store in a text. */
const unstorable = ['a\0b', 'a\ud800b'];

test.each(unstorable)('skips ids that the database cannot store: %j', async (bad) => {
  const { tenantId } = await billing.app.signUp();
  const before = await billing.stored(tenantId);
  const events: Record<string, unknown>[] = [
    subscriptionEvent('created', bad, { id: 'sub_1' }, 1),
    subscriptionEvent('created', tenantId, { id: bad }, 1),
    subscriptionEvent('updated', tenantId, { id: 'sub_1', status: bad }, 1),
    sessionEvent(tenantId, { subscription: bad }, 1),
    topUpEvent(tenantId, { id: bad }),
    { ...topUpEvent(tenantId), id: `evt_${bad}` },
  ];
  for (const event of events) expect(await deliver(event), JSON.stringify(event)).toMatchObject(taken);
  expect(await billing.stored(tenantId)).toEqual(before);
});

test('treats invalid times in metadata as absent', async () => {
  const { tenantId } = await billing.app.signUp();
  await billing.note(tenantId, {
    pay_subscription_id: 'sub_1',
    pay_subscription_status: 'active',
    pay_subscription_event_at: 'yesterday',
    pay_allowance_from: 'the first',
  });
  await deliver(subscriptionEvent('updated', tenantId, { id: 'sub_1', status: 'past_due' }, 100));
  await deliver(subscriptionEvent('updated', tenantId, { id: 'sub_1', status: 'active' }, 50));
  expect((await billing.stored(tenantId)).metadata).toMatchObject({ pay_subscription_status: 'past_due' });
});
