import type { Fields } from '#test/factories.ts';
import { signPayload } from '#test/fakes/stripe.ts';
import { found, type Person } from '../../factories.ts';
import type { Ask } from '../call.ts';
import { type ContractFixture, webhookSecret } from '../fixture.ts';
import { asCookie, asKey, asNobody, type Cases } from './case.ts';

const noTenant = 'missing or invalid tenant credentials';
const noSubscription = 'top-ups require an active subscription';
const noPacks = 'packs must be a whole number of at least 1';
const tiers = 'personal, pro, studio';

let addresses = 0;

/** A new founder with a new client address: payment attempts are counted by both. */
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

/** Subscribes at Stripe; no event has arrived yet. */
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
    { name: 'the key opens it', status: 200, ask: asKey({ tier: 'pro' }) },
    {
      name: 'the tier is missing',
      status: 422,
      detail: `tier is required: one of ${tiers}`,
      ask: asKey(),
    },
    {
      name: 'the tier is none',
      status: 422,
      detail: `unknown tier "gold"; choose one of ${tiers}`,
      ask: asKey({ tier: 'gold' }),
    },
    {
      name: 'the tier is no string',
      status: 422,
      detail: `tier must be a string: one of ${tiers}`,
      ask: asKey({ tier: 5 }),
    },
    {
      name: 'the tier is not sold',
      status: 503,
      detail: 'this plan is not available on this deployment',
      ask: asKey({ tier: 'studio' }),
    },
    {
      name: 'somebody has subscribed',
      status: 409,
      detail: 'already subscribed; change the plan in the billing portal',
      ask: asFounder({ tier: 'pro' }, subscribeAs('active')),
    },
    {
      name: 'somebody has not paid',
      status: 409,
      detail: 'your subscription needs attention; update the payment method in the billing portal',
      ask: asFounder({ tier: 'pro' }, subscribeAs('past_due')),
    },
    { name: 'nobody asks', status: 401, detail: noTenant, ask: asNobody({ tier: 'pro' }) },
    { name: 'the cookie asks', status: 401, detail: noTenant, ask: asCookie({ tier: 'pro' }) },
    {
      name: 'it is no JSON',
      status: 400,
      ask: asKey(),
      raw: { contentType: 'application/json', body: '{"tier": ' },
    },
  ],
  'billing.topup': [
    { name: 'opens', status: 200, ask: asFounder({ packs: 2 }, subscribeAs('active')) },
    { name: 'one pack', status: 200, ask: asFounder({}, subscribeAs('trialing')) },
    { name: 'nobody has subscribed', status: 402, detail: noSubscription, ask: asFounder() },
    {
      name: 'too many packs',
      status: 400,
      detail: 'at most 5 packs per purchase',
      ask: asFounder({ packs: 6 }, subscribeAs('active')),
    },
    { name: 'no packs', status: 422, detail: noPacks, ask: asFounder({ packs: 0 }, subscribeAs('active')) },
    {
      name: 'packs are no number',
      status: 422,
      detail: noPacks,
      ask: asFounder({ packs: '2' }, subscribeAs('active')),
    },
    { name: 'nobody asks', status: 401, detail: noTenant, ask: asNobody({ packs: 6 }) },
    { name: 'the cookie asks', status: 401, detail: noTenant, ask: asCookie({ packs: 6 }) },
  ],
  'billing.portal': [
    { name: 'opens', status: 200, ask: asFounder({}, checkOut) },
    {
      name: 'before any checkout',
      status: 409,
      detail: 'no Stripe customer for this workspace yet; run checkout first',
      ask: asFounder(),
    },
    { name: 'nobody asks', status: 401, detail: noTenant, ask: asNobody() },
    { name: 'the cookie asks', status: 401, detail: noTenant, ask: asCookie() },
  ],
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
    {
      name: 'nobody has signed it',
      status: 400,
      detail: 'invalid webhook signature',
      ask: () => ({ input: { body: event } }),
    },
  ],
};
