import type { Fields } from '#test/factories.ts';
import { signPayload } from '#test/fakes/stripe.ts';
import { found, type Person } from '../../factories.ts';
import type { Ask } from '../call.ts';
import { type ContractFixture, webhookSecret } from '../fixture.ts';
import type { Cases } from './case.ts';

const noSubscription = 'top-ups require an active subscription';

let addresses = 0;

/**
 * A call by the creator of a new workspace from a new client address, because payment attempts are limited for each
 * workspace and for each address.
 */
const asFounder =
  (input: Fields = {}, prepare?: (fixture: ContractFixture, founder: Person) => Promise<void>) =>
  async (fixture: ContractFixture): Promise<Ask> => {
    const founder = await found(fixture.app);
    await prepare?.(fixture, founder);
    addresses += 1;
    return { input, headers: { ...founder.bearer, 'x-forwarded-for': `192.0.2.${addresses}` } };
  };

async function checkOut({ app }: ContractFixture, { bearer: headers }: Person): Promise<void> {
  await app.json('POST', '/api/billing/checkout', { headers, body: { tier: 'pro' } });
}

/** Subscribes at Stripe without a webhook event, so the service does not know of the subscription yet. */
const subscribeAs = (status: string) => async (fixture: ContractFixture, founder: Person) => {
  await checkOut(fixture, founder);
  const customer = [...fixture.stripe.customers.keys()].at(-1) as string;
  fixture.stripe.subscribe(customer, { status });
};

const event = JSON.stringify({
  id: 'evt_1',
  object: 'event',
  type: 'customer.created',
  created: 1_790_000_000,
  data: { object: {} },
});

export const billingCases: Cases = {
  'billing.checkout': [
    { name: 'opens', status: 200, ask: asFounder({ tier: 'pro' }) },
    {
      name: 'somebody has not paid',
      status: 409,
      detail: 'your subscription needs attention; update the payment method in the billing portal',
      ask: asFounder({ tier: 'pro' }, subscribeAs('past_due')),
    },
  ],
  'billing.topup': [
    { name: 'opens', status: 200, ask: asFounder({ packs: 2 }, subscribeAs('active')) },
    { name: 'nobody has subscribed', status: 402, detail: noSubscription, ask: asFounder() },
  ],
  'billing.portal': [{ name: 'opens', status: 200, ask: asFounder({}, checkOut) }],
  'billing.webhook': [
    {
      name: 'an event',
      status: 200,
      ask: () => ({ input: { body: event, stripe_signature: signPayload(event, webhookSecret) } }),
    },
    {
      name: 'an event, signed in the other header',
      status: 200,
      ask: () => ({ input: { body: event, payment_signature: signPayload(event, webhookSecret) } }),
    },
  ],
};
