import { expect, test } from 'vitest';
import { sessionEvent, subscriptionEvent, topUpEvent, useBillingApp } from './billing-app.ts';

const billing = useBillingApp();
const taken = { status: 200, body: { received: true } };

/** Characters that PostgreSQL's text does not hold. */
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
  for (const event of events)
    expect(await billing.deliver(event), JSON.stringify(event)).toMatchObject(taken);
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
  await billing.deliver(subscriptionEvent('updated', tenantId, { id: 'sub_1', status: 'past_due' }, 100));
  await billing.deliver(subscriptionEvent('updated', tenantId, { id: 'sub_1', status: 'active' }, 50));
  expect((await billing.stored(tenantId)).metadata).toMatchObject({ pay_subscription_status: 'past_due' });
});
