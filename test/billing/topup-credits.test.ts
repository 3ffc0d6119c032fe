import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { type Customer, provision } from './customers.ts';
import { deliver, deliverAll, event, type PaymentEvent, paid, toppedUp } from './payments.ts';

const app = useTestApp({ env: paid() });
const COMPLETED = 'checkout.session.completed';
const SUCCEEDED = 'checkout.session.async_payment_succeeded';

let mine: Customer;
beforeEach(async () => {
  mine = await provision(app);
});

const purchased = async (of = mine): Promise<number> => (await of.billing()).topup.purchased;
const sessionOf = ({ data }: PaymentEvent) => String(data.object['id']);

describe('A 6 rule 3: crediting a top-up', () => {
  test('adds to topup_chars_purchased and keeps the session’s id', async () => {
    const [first, second] = [toppedUp(mine.tenantId, 1_000_000), toppedUp(mine.tenantId, 3_000_000)];
    await deliverAll(app, first, second);
    const metadata = await mine.metadata();
    expect(metadata.topup_chars_purchased).toBe(4_000_000);
    expect(metadata.topup_credited_sessions).toEqual([sessionOf(first), sessionOf(second)]);
    expect((await mine.billing()).topup).toEqual({ purchased: 4_000_000, used: 0, balance: 4_000_000 });
  });

  test('keeps whatever else the metadata holds', async () => {
    const metadata = { colour: 'red', topup_chars_purchased: 500, topup_chars_used: 200, pay_tier: 'pro' };
    const theirs = await provision(app, { metadata });
    await deliverAll(app, toppedUp(theirs.tenantId, 1000));
    expect(await theirs.metadata()).toMatchObject({ ...metadata, topup_chars_purchased: 1500 });
  });

  test('A 3.1: a session of mode payment never writes the subscription', async () => {
    await deliverAll(app, toppedUp(mine.tenantId, 1000, { subscription: 'sub_odd' }));
    expect(Object.keys(await mine.metadata()).filter((key) => key.startsWith('pay_subscription'))).toEqual(
      [],
    );
    expect(await purchased()).toBe(1000);
  });

  test('completed: only when payment_status is paid', async () => {
    for (const payment_status of ['unpaid', 'no_payment_required', undefined])
      await deliverAll(app, toppedUp(mine.tenantId, 1000, { payment_status }));
    expect(await purchased()).toBe(0);
    await deliverAll(app, toppedUp(mine.tenantId, 1000, { payment_status: 'paid' }));
    expect(await purchased()).toBe(1000);
  });

  test('async_payment_succeeded: whatever payment_status says', async () => {
    await deliverAll(
      app,
      toppedUp(mine.tenantId, 1000, { payment_status: 'unpaid' }, SUCCEEDED),
      toppedUp(mine.tenantId, 500, {}, SUCCEEDED),
    );
    expect(await purchased()).toBe(1500);
  });

  test('the tenant is client_reference_id, else metadata.tenant_id', async () => {
    const other = await provision(app);
    const chars = '1000';
    await deliverAll(
      app,
      toppedUp(mine.tenantId, chars, { metadata: { tenant_id: other.tenantId, topup_chars: chars } }),
    );
    expect([await purchased(), await purchased(other)]).toEqual([1000, 0]);
    await deliverAll(app, toppedUp(other.tenantId, chars, { client_reference_id: null }));
    await deliverAll(app, toppedUp(other.tenantId, chars, { client_reference_id: undefined }));
    expect([await purchased(), await purchased(other)]).toEqual([1000, 2000]);
    const nobody = { client_reference_id: null, metadata: { topup_chars: chars } };
    expect((await deliver(app, toppedUp('', chars, nobody))).status).toBe(200);
  });

  test('a missing or non-positive count is skipped, and the session can still be credited', async () => {
    for (const chars of ['0', '-1000', '', 'many', 'NaN', 'Infinity', '1e400', ' '])
      expect([chars, (await deliver(app, toppedUp(mine.tenantId, chars))).status]).toEqual([chars, 200]);
    for (const metadata of [{}, null, undefined, { topup_chars: null }])
      expect((await deliver(app, toppedUp(mine.tenantId, 1000, { metadata }))).status).toBe(200);
    expect(await purchased()).toBe(0);
    expect((await mine.metadata()).topup_credited_sessions ?? []).toEqual([]);
  });

  test('the count comes only from the stamped metadata, never from amounts', async () => {
    const odd = { amount_total: 5000, quantity: 5, metadata: {}, line_items: { data: [{ quantity: 5 }] } };
    await deliverAll(app, toppedUp(mine.tenantId, 1000, odd));
    expect(await purchased()).toBe(0);
  });
});

describe('A 6 rule 3: idempotent per session id', () => {
  test('the same event again and again', async () => {
    const one = toppedUp(mine.tenantId, 1000);
    await deliverAll(app, one, one, one);
    expect(await purchased()).toBe(1000);
  });

  test('another event of the same session', async () => {
    const one = toppedUp(mine.tenantId, 1000);
    const { object } = one.data;
    await deliverAll(app, one, event(COMPLETED, object), event(SUCCEEDED, object));
    expect(await purchased()).toBe(1000);
  });

  test('unpaid first, succeeded later: once, at the success', async () => {
    const object = { ...toppedUp(mine.tenantId, 1000).data.object, payment_status: 'unpaid' };
    await deliverAll(app, event(COMPLETED, object));
    expect(await purchased()).toBe(0);
    await deliverAll(app, event(SUCCEEDED, object), event(SUCCEEDED, object));
    expect(await purchased()).toBe(1000);
    // Stripe’s retry of the first one, by now paid.
    await deliverAll(app, event(COMPLETED, { ...object, payment_status: 'paid' }));
    expect(await purchased()).toBe(1000);
  });

  test('20 deliveries of one event at one time', async () => {
    const one = toppedUp(mine.tenantId, 1000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(app, one)));
    // Stripe redelivers an event whose response was not 200.
    for (const { status } of answers) expect(status).toBe(200);
    expect(await purchased()).toBe(1000);
    expect((await mine.metadata()).topup_credited_sessions).toEqual([sessionOf(one)]);
  });

  test('20 sessions at one time: none is lost', async () => {
    const all = Array.from({ length: 20 }, () => toppedUp(mine.tenantId, 1000));
    const answers = await Promise.all(all.map((one) => deliver(app, one)));
    for (const { status } of answers) expect(status).toBe(200);
    expect(await purchased()).toBe(20_000);
    const { topup_credited_sessions } = await mine.metadata();
    expect(topup_credited_sessions.toSorted()).toEqual(all.map(sessionOf).toSorted());
  });
});
