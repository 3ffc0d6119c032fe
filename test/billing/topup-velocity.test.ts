import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { startFakeStripe } from '#test/fakes/stripe.ts';
import { useTestApp } from '#test/setup/app.ts';
import { type Customer, provision } from './customers.ts';
import { paid, prices } from './payments.ts';

const stripe = await startFakeStripe();
afterAll(() => stripe.close());

const env = { ...paid(stripe.url, stripe.secretKey), TRUST_PROXY: '1' };
const app = useTestApp({ env });
const direct = useTestApp({ env: { ...env, TRUST_PROXY: '0' } });

let hosts = 0;
const address = () => `203.0.113.${++hosts}`;

const attempt = (by: Pick<Customer, 'headers'>, from: string, body: unknown = {}, at = app) =>
  at.json('POST', '/api/billing/topup', { headers: { ...by.headers, 'x-forwarded-for': from }, body });

async function subscribedTenant(at = app): Promise<Customer> {
  const pay_customer_id = `cus_${Math.random().toString(36).slice(2, 12)}`;
  const sub = stripe.subscribe(pay_customer_id, { price: prices.pro });
  return provision(at, {
    metadata: { pay_customer_id, pay_subscription_id: sub.id, pay_subscription_status: 'active' },
  });
}

/** The statuses of `count` attempts in sequence. */
async function attempts(count: number, ask: () => ReturnType<typeof attempt>): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at++) statuses.push((await ask()).status);
  return statuses;
}

let mine: Customer;
beforeEach(async () => {
  mine = await subscribedTenant();
});

describe('A 4.5 check 4: 5 attempts per 3600 seconds', () => {
  test('the sixth is 429 with Retry-After in seconds, and asks nothing of the processor', async () => {
    const from = address();
    expect(await attempts(5, () => attempt(mine, from))).toEqual([200, 200, 200, 200, 200]);
    stripe.requests.length = 0;
    const { status, body, headers } = await attempt(mine, from);
    expect(status).toBe(429);
    expect(body.detail).toMatch(/^too many top-up attempts/);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600);
    expect(stripe.requests).toEqual([]);
  });

  test('counted by tenant, from any address', async () => {
    expect(await attempts(6, () => attempt(mine, address()))).toEqual([200, 200, 200, 200, 200, 429]);
    const other = await subscribedTenant();
    expect((await attempt(other, address())).status).toBe(200);
  });

  test('counted by address, for any tenant', async () => {
    const from = address();
    const tenants = await Promise.all(Array.from({ length: 6 }, () => subscribedTenant()));
    const statuses: number[] = [];
    for (const one of tenants) statuses.push((await attempt(one, from)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await attempt(mine, address())).status).toBe(200);
  });

  test('C 2: the address is the socket’s, whatever header a caller sends, where no proxy is trusted', async () => {
    const tenants = await Promise.all(Array.from({ length: 6 }, () => subscribedTenant(direct)));
    const statuses: number[] = [];
    for (const one of tenants) statuses.push((await attempt(one, address(), {}, direct)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test('both are consumed on every attempt: one that the address limit refuses counts for the tenant too', async () => {
    const from = address();
    const others = await Promise.all(Array.from({ length: 5 }, () => subscribedTenant()));
    for (const one of others) expect((await attempt(one, from)).status).toBe(200);
    expect(await attempts(5, () => attempt(mine, from))).toEqual([429, 429, 429, 429, 429]);
    expect((await attempt(mine, address())).status).toBe(429);
  });

  test('an attempt that a later check refuses counts', async () => {
    const from = address();
    expect(await attempts(5, () => attempt(mine, from, { packs: 6 }))).toEqual([400, 400, 400, 400, 400]);
    expect((await attempt(mine, from)).status).toBe(429);
    const unpaid = await provision(app);
    expect(await attempts(6, () => attempt(unpaid, address()))).toEqual([402, 402, 402, 402, 402, 429]);
  });

  test('4 before 5 to 8: once spent, it is 429 whatever else is wrong', async () => {
    const from = address();
    await attempts(5, () => attempt(mine, from));
    for (const body of [{ packs: 6 }, { packs: 0 }, '{'])
      expect((await attempt(mine, from, body)).status).toBe(429);
  });

  test('C 7: an attempt that fails before check 4 does not count', async () => {
    const from = address();
    const nobody = { headers: { 'x-api-key': 'wrong' } };
    expect(await attempts(8, () => attempt(nobody, from))).toEqual(Array(8).fill(401));
    expect((await attempt(mine, from)).status).toBe(200);
  });

  test('of 12 at one time no more than 5 pass', async () => {
    const from = address();
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt(mine, from)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
  });
});
