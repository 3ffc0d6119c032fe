import { beforeEach, describe, expect, test } from 'vitest';
import { signEvent, signPayload } from '#test/fakes/stripe.ts';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import { base, type Customer, provision, refusal } from './customers.ts';
import { deliver, event, paid, subscribed, toppedUp, webhookSecret } from './payments.ts';

const env = paid();
const { STRIPE_WEBHOOK_SECRET: _secret, ...withoutSecret } = env;
const app = useTestApp({ env });
const deaf = useTestApp({ env: withoutSecret });
const off = useTestApp({ env: { ...base, STRIPE_WEBHOOK_SECRET: webhookSecret } });

const PATH = '/api/stripe/webhook';
const INVALID = [400, 'invalid webhook signature'];
const json = { 'content-type': 'application/json' };
const seconds = () => Math.floor(Date.now() / 1000);

const post = (body: string, headers: Record<string, string>, at: TestApp = app, query = '') =>
  at.json('POST', `${PATH}${query}`, { body, headers: { ...json, ...headers } });
const purchased = async (of: Customer) => (await of.billing()).topup.purchased;

let mine: Customer;
let body: string;
beforeEach(async () => {
  mine = await provision(app);
  body = JSON.stringify(toppedUp(mine.tenantId, 1000));
});

describe('A 4.5 and C 3: the signature of an event', () => {
  test.each(['payment-signature', 'Payment-Signature', 'stripe-signature', 'Stripe-Signature'])(
    'is read from %s',
    async (name) => {
      expect((await post(body, { [name]: signPayload(body, webhookSecret) })).status).toBe(200);
      expect(await purchased(mine)).toBe(1000);
    },
  );

  test('none, an empty one, garbage, another secret’s, another body’s: 400, nothing done', async () => {
    const signature = signPayload(body, webhookSecret);
    const of = signature.split(',v1=')[1]!;
    const wrong: Record<string, string>[] = [
      {},
      { 'stripe-signature': '' },
      { 'payment-signature': 'garbage' },
      { 'payment-signature': `t=${seconds()}` },
      { 'payment-signature': `v1=${of}` },
      { 'payment-signature': `t=${seconds() + 1},v1=${of}` },
      { 'payment-signature': signature.replace('v1=', 'v0=') },
      { 'payment-signature': `t=,v1=${of}` },
      { 'payment-signature': signPayload(body, 'whsec_another') },
      { 'payment-signature': signPayload(`${body} `, webhookSecret) },
      { 'x-api-key': base.OPERATOR_API_KEY },
      { ...mine.headers },
    ];
    for (const headers of wrong)
      expect([headers, ...refusal(await post(body, headers))]).toEqual([headers, ...INVALID]);
    expect(await purchased(mine)).toBe(0);
  });

  test('is over the raw bytes: the same JSON, written otherwise, is another body', async () => {
    const signature = { 'stripe-signature': signPayload(body, webhookSecret) };
    const otherwise = JSON.stringify(JSON.parse(body), null, 2);
    expect(refusal(await post(otherwise, signature))).toEqual(INVALID);
    const spaced = { 'stripe-signature': signPayload(otherwise, webhookSecret) };
    expect((await post(otherwise, spaced)).status).toBe(200);
    expect(await purchased(mine)).toBe(1000);
  });

  test('a second signature of a rolled secret beside it does no harm', async () => {
    const old = signPayload(body, 'whsec_old').split(',')[1];
    const [at, current] = signPayload(body, webhookSecret).split(',');
    expect((await post(body, { 'stripe-signature': `${at},${old},${current}` })).status).toBe(200);
    expect(await purchased(mine)).toBe(1000);
  });

  test('5 minutes’ tolerance', async () => {
    const at = (offset: number) => ({
      'payment-signature': signPayload(body, webhookSecret, seconds() + offset),
    });
    expect(refusal(await post(body, at(-310)))).toEqual(INVALID);
    expect(refusal(await post(body, at(-86_400)))).toEqual(INVALID);
    expect(await purchased(mine)).toBe(0);
    expect((await post(body, at(-290))).status).toBe(200);
    expect(await purchased(mine)).toBe(1000);
  });

  test.each(['text/plain', 'application/octet-stream', 'application/json; charset=utf-8'])(
    'whatever the content type says of the bytes: %s',
    async (type) => {
      const headers = { 'stripe-signature': signPayload(body, webhookSecret), 'content-type': type };
      expect((await post(body, headers)).status).toBe(200);
      expect(await purchased(mine)).toBe(1000);
    },
  );

  test('a signed body that is not an event is refused, not a fault', async () => {
    for (const odd of ['', 'null', '[]', '{', '{}', '"x"', '{"type":1}']) {
      const { status } = await post(odd, { 'stripe-signature': signPayload(odd, webhookSecret) });
      expect([odd, status < 500]).toEqual([odd, true]);
    }
  });
});

describe('A 4.5 and C 7: when the webhook works', () => {
  test('503 where no signing secret is configured, signed or not', async () => {
    expect((await deliver(deaf, toppedUp('nobody', 1000))).status).toBe(503);
    expect((await post('{}', {}, deaf)).status).toBe(503);
  });

  test('whenever its secret is set, with billing off and no secret key', async () => {
    const theirs = await provision(off);
    expect((await deliver(off, subscribed(theirs.tenantId, 'sub_of_theirs'))).status).toBe(200);
    expect(await theirs.metadata()).toMatchObject({
      pay_subscription_id: 'sub_of_theirs',
      pay_subscription_status: 'active',
    });
    expect((await deliver(off, toppedUp(theirs.tenantId, 1000))).status).toBe(200);
    expect(await purchased(theirs)).toBe(1000);
    expect(refusal(await post('{}', {}, off))).toEqual(INVALID);
  });

  test('A 9 rule 5: not versioned: no X-Api-Version, and the parameter is ignored', async () => {
    const { headers } = signEvent(JSON.parse(body), webhookSecret);
    const { status, headers: answered } = await post(
      body,
      { ...headers, 'x-api-version': 'never' },
      app,
      '?api-version=x',
    );
    expect([status, answered.get('x-api-version')]).toEqual([200, null]);
    expect(answered.get('x-request-id')).toMatch(/./);
    expect(await purchased(mine)).toBe(1000);
  });
});

describe('A 6: events that are accepted and ignored', () => {
  const harmless = (): [string, ReturnType<typeof event>][] => {
    const of = { id: 'x', customer: 'cus_x', metadata: { tenant_id: mine.tenantId, topup_chars: '1000' } };
    return [
      ['invoice.payment_failed', event('invoice.payment_failed', { ...of, object: 'invoice' })],
      ['invoice.paid', event('invoice.paid', { ...of, object: 'invoice' })],
      ['customer.created', event('customer.created', { ...of, object: 'customer' })],
      ['checkout.session.expired', toppedUp(mine.tenantId, 1000, {}, 'checkout.session.expired')],
      [
        'async_payment_failed',
        toppedUp(mine.tenantId, 1000, { payment_status: 'unpaid' }, 'checkout.session.async_payment_failed'),
      ],
      ['a type to come', event('somebody.some.thing', { ...of, object: 'thing' })],
      ['a session of mode setup', toppedUp(mine.tenantId, 1000, { mode: 'setup' })],
    ];
  };

  test('other types, and those that are only logged: 200, nothing written', async () => {
    const before = await mine.account();
    for (const [name, one] of harmless())
      expect([name, (await deliver(app, one)).status]).toEqual([name, 200]);
    expect(await mine.account()).toEqual(before);
  });

  test('an event of an unknown tenant', async () => {
    const before = await mine.account();
    for (const id of ['f'.repeat(32), 'nobody', '', "' or 1=1 --"]) {
      expect((await deliver(app, toppedUp(id, 1000))).status).toBe(200);
      expect((await deliver(app, subscribed(id, 'sub_x'))).status).toBe(200);
    }
    expect(await mine.account()).toEqual(before);
  });
});
