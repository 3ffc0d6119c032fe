import { describe, expect, test } from 'vitest';
import type { Signup } from '#test/setup/app.ts';
import { ask, type BillingApp, useBillingApp } from './billing-app.ts';

const billing = useBillingApp({ TRUST_PROXY: '1' });
const off = useBillingApp({ BILLING_ENABLED: 'false', STRIPE_PRICE_TOPUP: '' });
const unsold = useBillingApp({ STRIPE_PRICE_TOPUP: '' });

const topUp = (at: BillingApp, person: Pick<Signup, 'headers'> | null, body: unknown, address: string) =>
  ask(at, 'topup', person, body, { 'x-forwarded-for': address });
const said = ({ status, body }: { status: number; body: { detail?: unknown } }) => [status, body.detail];

let addresses = 0;
const freshAddress = () => `198.51.${Math.floor(++addresses / 250)}.${addresses % 250}`;

/**
 * A caller whose request passes all checks before the check number `check`, and would fail this check and all later
 * ones.
 */
async function failingFrom(check: number) {
  const founder = await billing.app.signUp();
  const { tenantId } = founder;
  if (check > 5) await billing.note(tenantId, { pay_subscription_status: 'active' });
  if (check <= 6)
    await billing.sql`update tenants set monthly_char_limit = 10000000 where tenant_id = ${tenantId}`;
  await billing.note(tenantId, { topup_chars_purchased: 10_000_000 });
  const address = freshAddress();
  if (check <= 4)
    await billing.sql`
      insert into rate_windows (bucket, subject, attempts, ends_at)
      values ('topup_address', ${address}, 5, now() + interval '30 minutes')`;
  return { founder, address };
}

describe('the first check that fails decides (A 4.5)', () => {
  const tooMany = { packs: 6 };

  test.each([
    ['check 1, nobody asking', off, 'billing is not enabled'],
    ['check 2, nobody asking', unsold, 'top-ups are not configured'],
  ])('%s: 503', async (_what, at, detail) => {
    expect(said(await topUp(at, null, '{', freshAddress()))).toEqual([503, detail]);
    const founder = await at.app.signUp();
    expect(said(await topUp(at, founder, tooMany, freshAddress()))).toEqual([503, detail]);
  });

  test('check 3: 401, and no attempt is counted', async () => {
    const { address } = await failingFrom(4);
    for (const headers of [{}, { 'x-api-key': 'nobody-was-ever-issued-this' }])
      expect(said(await topUp(billing, { headers }, '{', address))).toEqual([
        401,
        'missing or invalid tenant credentials',
      ]);
    const [row] = await billing.sql`select attempts from rate_windows where subject = ${address}`;
    expect(row?.['attempts']).toBe(5);
  });

  test.each([
    [4, 429, 'too many top-up attempts', tooMany],
    [5, 402, 'top-ups require an active subscription', tooMany],
    [6, 409, 'the allowance already reaches the monthly ceiling', tooMany],
    [7, 400, 'at most 5 packs per purchase', tooMany],
    [7, 422, 'packs must be a whole number of at least 1', { packs: 0 }],
    [7, 400, expect.stringMatching(/^invalid JSON body: /), '{'],
    [8, 409, expect.stringMatching(/would exceed the ceiling; use the balance first/), { packs: 1 }],
  ])('check %i: %i %s', async (check, status, detail, body) => {
    const { founder, address } = await failingFrom(check);
    expect(said(await topUp(billing, founder, body, address))).toEqual([status, detail]);
  });
});

describe('five attempts an hour, by address and by tenant (A 4.5 check 4)', () => {
  const attemptsOf = async (subject: string) => {
    const rows = await billing.sql`select attempts from rate_windows where subject = ${subject}`;
    return rows[0]?.['attempts'];
  };

  test('limits one tenant at many addresses', async () => {
    const founder = await billing.app.signUp();
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await topUp(billing, founder, {}, freshAddress())).status);
    expect(statuses).toEqual([402, 402, 402, 402, 402, 429]);
  });

  test('limits many tenants at one IPv6 network', async () => {
    const statuses = [];
    for (let n = 0; n < 6; n++)
      statuses.push((await topUp(billing, await billing.app.signUp(), {}, `2001:db8:0:1::${n}`)).status);
    expect(statuses).toEqual([402, 402, 402, 402, 402, 429]);
  });

  test('counts rejected attempts for both, and Retry-After is the longer time', async () => {
    const founder = await billing.app.signUp();
    const address = freshAddress();
    await billing.sql`
      insert into rate_windows (bucket, subject, attempts, ends_at) values
      ('topup_address', ${address}, 5, now() + interval '100 seconds'),
      ('topup_tenant', ${founder.tenantId}, 5, now() + interval '2000 seconds')`;
    const requests = billing.stripe.requests.length;
    const { status, headers } = await topUp(billing, founder, {}, address);
    expect(status).toBe(429);
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeGreaterThan(1990);
    expect(wait).toBeLessThanOrEqual(2000);
    expect([await attemptsOf(address), await attemptsOf(founder.tenantId)]).toEqual([6, 6]);
    expect(billing.stripe.requests).toHaveLength(requests);
  });

  test('admits five of ten concurrent attempts', async () => {
    const founder = await billing.app.signUp();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => topUp(billing, founder, {}, freshAddress())),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(402),
      ...Array(5).fill(429),
    ]);
  });

  test('does not count checkout and portal', async () => {
    const founder = await billing.app.signUp();
    for (let n = 0; n < 7; n++) expect((await ask(billing, 'portal', founder)).status).toBe(409);
    expect(await attemptsOf(founder.tenantId)).toBeUndefined();
  });
});
