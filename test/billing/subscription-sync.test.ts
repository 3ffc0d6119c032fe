import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { type Customer, provision } from './customers.ts';
import { deliver, deliverAll, paid, prices, subscribed, subscriptionEvent, toppedUp } from './payments.ts';

const app = useTestApp({ env: paid() });
/** Unix seconds, one minute apart. */
const start = Math.floor(Date.now() / 1000) - 3600;
const minute = (at: number) => start + at * 60;

let mine: Customer;
let id: string;
beforeEach(async () => {
  mine = await provision(app, { monthly_char_limit: 1000 });
  id = `sub_${mine.tenantId}`;
});

type About = Omit<Parameters<typeof subscriptionEvent>[1], 'tenantId' | 'id'> & { id?: string };
const updated = (about: About = {}) =>
  subscriptionEvent('updated', { tenantId: mine.tenantId, id, ...about });
const created = (about: About = {}) =>
  subscriptionEvent('created', { tenantId: mine.tenantId, id, ...about });
const deleted = (about: About = {}) =>
  subscriptionEvent('deleted', { tenantId: mine.tenantId, id, ...about });
const completed = (at?: number, of = id) => subscribed(mine.tenantId, of, {}, at);

async function storedSubscription() {
  const { monthly_char_limit, metadata } = await mine.account();
  const { pay_subscription_id, pay_subscription_status, pay_tier, pay_allowance_subscription } = metadata;
  return {
    id: pay_subscription_id,
    status: pay_subscription_status,
    tier: pay_tier,
    limit: monthly_char_limit,
    window: pay_allowance_subscription,
  };
}

describe('A 3.1: a session of mode subscription that completed', () => {
  test('sets active and the id, opens the window, and neither tier nor allowance', async () => {
    await deliverAll(app, completed(minute(1)));
    expect(await storedSubscription()).toEqual({
      id,
      status: 'active',
      tier: undefined,
      limit: 1000,
      window: id,
    });
    const { pay_allowance_from } = await mine.metadata();
    expect(Number.isNaN(Date.parse(pay_allowance_from))).toBe(false);
  });

  test('A 6: without a mode, if it carries a subscription id', async () => {
    await deliverAll(app, subscribed(mine.tenantId, id, { mode: null }));
    expect(await storedSubscription()).toMatchObject({ id, status: 'active' });
  });

  test('A 6: without a mode and without a subscription id nothing is written', async () => {
    const before = await mine.account();
    await deliverAll(app, subscribed(mine.tenantId, id, { mode: undefined, subscription: null }));
    expect(await mine.account()).toEqual(before);
  });

  test('the tenant is metadata.tenant_id where it has no client_reference_id', async () => {
    await deliverAll(app, subscribed(mine.tenantId, id, { client_reference_id: null }));
    expect(await storedSubscription()).toMatchObject({ id, status: 'active' });
  });
});

describe('A 3.1: subscription created and updated', () => {
  test.each([
    'active',
    'trialing',
    'past_due',
    'unpaid',
    'incomplete',
    'paused',
    'canceled',
    'incomplete_expired',
  ])('carry their status: %s', async (status) => {
    await deliverAll(app, created({ status }));
    expect(await storedSubscription()).toMatchObject({ id, status });
  });

  test.each([
    ['personal', 500_000],
    ['pro', 1_500_000],
    ['studio', 5_000_000],
  ] as const)('the Price of %s writes its tier and its %i characters', async (tier, limit) => {
    await deliverAll(app, created({ price: prices[tier], created: minute(1) }));
    expect(await storedSubscription()).toEqual({ id, status: 'active', tier, limit, window: id });
    const { pay_subscription_event_at } = await mine.metadata();
    expect(JSON.stringify(pay_subscription_event_at)).toMatch(/\d/);
  });

  test('an unrecognized Price leaves the allowance unchanged, and updates the status', async () => {
    await deliverAll(app, created({ price: prices.pro, created: minute(1) }));
    await deliverAll(app, updated({ price: 'price_unknown', status: 'past_due', created: minute(2) }));
    expect(await storedSubscription()).toMatchObject({ status: 'past_due', tier: 'pro', limit: 1_500_000 });
    await deliverAll(app, updated({ price: prices.topup, status: 'active', created: minute(3) }));
    expect(await storedSubscription()).toMatchObject({ status: 'active', tier: 'pro', limit: 1_500_000 });
  });

  test('an older event than the newest applied is ignored; one of the same moment is applied', async () => {
    await deliverAll(app, updated({ status: 'past_due', price: prices.pro, created: minute(5) }));
    await deliverAll(app, updated({ status: 'active', price: prices.studio, created: minute(4) }));
    expect(await storedSubscription()).toMatchObject({ status: 'past_due', tier: 'pro' });
    await deliverAll(app, updated({ status: 'active', price: prices.studio, created: minute(5) }));
    expect(await storedSubscription()).toMatchObject({ status: 'active', tier: 'studio' });
  });

  test('incomplete is ignored once a later status is recorded', async () => {
    await deliverAll(app, completed(minute(1)));
    await deliverAll(app, created({ status: 'incomplete', created: minute(2) }));
    expect(await storedSubscription()).toMatchObject({ id, status: 'active' });
    await deliverAll(app, updated({ status: 'past_due', created: minute(3) }));
    await deliverAll(app, updated({ status: 'incomplete', created: minute(4) }));
    expect(await storedSubscription()).toMatchObject({ status: 'past_due' });
  });

  test('A 6: the tenant is metadata.tenant_id; without it nothing is written', async () => {
    const one = created();
    one.data.object['metadata'] = {};
    const before = await mine.account();
    expect((await deliver(app, one)).status).toBe(200);
    expect(await mine.account()).toEqual(before);
  });

  test('incomplete and then active: the window opens once it is current', async () => {
    await deliverAll(app, created({ status: 'incomplete', created: minute(1) }));
    expect(await mine.metadata()).not.toHaveProperty('pay_allowance_from');
    await deliverAll(app, updated({ status: 'active', created: minute(2) }));
    expect(await storedSubscription()).toMatchObject({ status: 'active', window: id });
  });

  test('completed after created, as it usually comes: one window', async () => {
    await deliverAll(app, created({ price: prices.pro, created: minute(1) }));
    const { pay_allowance_from } = await mine.metadata();
    await deliverAll(app, completed(minute(2)), updated({ price: prices.pro, created: minute(3) }));
    expect(await mine.metadata()).toMatchObject({
      pay_allowance_from,
      pay_allowance_subscription: id,
      pay_tier: 'pro',
    });
  });
});

describe('A 3.1: subscription deleted', () => {
  test('canceled, the allowance unchanged', async () => {
    await deliverAll(
      app,
      created({ price: prices.pro, created: minute(1) }),
      deleted({ created: minute(2) }),
    );
    expect(await storedSubscription()).toMatchObject({
      id,
      status: 'canceled',
      tier: 'pro',
      limit: 1_500_000,
    });
  });

  test('records the deleted id if none was recorded', async () => {
    await deliverAll(app, deleted());
    expect(await storedSubscription()).toMatchObject({ id, status: 'canceled' });
  });

  test('is final for that id: late events are ignored', async () => {
    await deliverAll(
      app,
      created({ price: prices.pro, created: minute(1) }),
      deleted({ created: minute(2) }),
    );
    const before = await mine.account();
    await deliverAll(
      app,
      updated({ status: 'active', price: prices.studio, created: minute(3) }),
      created({ status: 'active', price: prices.studio, created: minute(4) }),
      completed(minute(5)),
      updated({ status: 'past_due', created: minute(6) }),
    );
    expect(await mine.account()).toEqual(before);
  });

  test('incomplete_expired is an end as well', async () => {
    await deliverAll(app, created({ status: 'incomplete_expired', created: minute(1) }));
    await deliverAll(app, updated({ status: 'active', created: minute(2) }), completed(minute(3)));
    expect(await storedSubscription()).toMatchObject({ id, status: 'incomplete_expired' });
  });

  test('is ignored while the recorded subscription is a different live one', async () => {
    for (const status of ['active', 'past_due', 'paused']) {
      const theirs = await provision(app);
      const tenantId = theirs.tenantId;
      await deliverAll(
        app,
        subscriptionEvent('created', { tenantId, id: 'sub_live', status, created: minute(1) }),
        subscriptionEvent('deleted', { tenantId, id: 'sub_other', created: minute(2) }),
      );
      expect(await theirs.metadata()).toMatchObject({
        pay_subscription_id: 'sub_live',
        pay_subscription_status: status,
      });
    }
  });

  test('subscribing again makes a new id, which is current', async () => {
    await deliverAll(
      app,
      completed(minute(1)),
      deleted({ created: minute(2) }),
      completed(minute(3), 'sub_new'),
    );
    expect(await storedSubscription()).toMatchObject({ id: 'sub_new', status: 'active', window: 'sub_new' });
  });
});

describe('A 6 rule 4: redelivery and events at one time', () => {
  test('an event that is delivered again after a later one does nothing', async () => {
    const first = created({ price: prices.pro, created: minute(1) });
    await deliverAll(
      app,
      first,
      updated({ status: 'past_due', price: prices.pro, created: minute(1) }),
      first,
    );
    expect(await storedSubscription()).toMatchObject({ status: 'past_due' });
  });

  test('a concurrent top-up and subscription are both kept', async () => {
    const all = [
      completed(minute(1)),
      ...Array.from({ length: 8 }, () => toppedUp(mine.tenantId, 1000)),
      created({ price: prices.pro, created: minute(1) }),
    ];
    const answers = await Promise.all(all.map((one) => deliver(app, one)));
    for (const { status } of answers) expect(status).toBe(200);
    expect(await storedSubscription()).toEqual({
      id,
      status: 'active',
      tier: 'pro',
      limit: 1_500_000,
      window: id,
    });
    expect((await mine.billing()).topup.purchased).toBe(8000);
  });
});
