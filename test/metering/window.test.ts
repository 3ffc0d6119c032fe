import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  type Customer,
  expectOverLimit,
  provision,
  subscriber,
  text,
  trialist,
} from '../billing/customers.ts';
import { deliverAll, nextSecond, paid, prices, subscribed, subscriptionEvent } from '../billing/payments.ts';

// The allowances of plans are large. A Japanese character therefore counts as 100 characters, so that a text of a few
// thousand characters uses up an allowance.
const app = useTestApp({ env: { ...paid(), DENSE_SCRIPT_WEIGHT: '100', TRIAL_CHARS: '400000' } });
const low = useTestApp({ env: { ...paid(), MONTHLY_CHAR_CEILING: '1000' } });

/** Uses this many weighted characters, a multiple of 100. */
const spend = async (by: Customer, chars: number) => by.translate(text(chars / 100), { target_lang: 'ja' });

const windowOf = async (of: Customer) => (await of.billing()).allowance;
const monthStart = () => `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`;

/** Expects that exactly this many weighted characters, a multiple of 100, are admitted. */
async function expectRoom(by: Customer, chars: number): Promise<void> {
  expect((await windowOf(by)).remaining).toBe(chars);
  expectOverLimit(await by.translate(`${text(chars / 100)}a`, { target_lang: 'ja' }));
  expect((await spend(by, chars)).status).toBe(200);
  expectOverLimit(await by.translate('a', { target_lang: 'ja' }));
}

describe('the window is the current UTC month (A 8.2 rule 3)', () => {
  test('starts with the month, even if the plan is older', async () => {
    const theirs = await subscriber(low, 100, { pay_allowance_from: '2026-01-17T10:00:00.000Z' });
    const { window_start } = await windowOf(theirs);
    expect(new Date(window_start).toISOString()).toBe(monthStart());
  });

  test('counts usage from the first moment of the month on, and none before', async () => {
    const theirs = await subscriber(low, 100);
    expect((await theirs.translate(text(60))).status).toBe(200);
    const sql = openSuperuser(low.superuserUrl);
    const move = async (at: string) => {
      await sql`update usage_totals set day = ${at.slice(0, 10)} where tenant_id = ${theirs.tenantId}`;
      await sql`update usage_records set recorded_at = ${at} where tenant_id = ${theirs.tenantId}`;
    };
    await move(monthStart());
    expect(await windowOf(theirs)).toMatchObject({ used: 60, remaining: 40 });
    await move(new Date(Date.parse(monthStart()) - 1).toISOString());
    expect(await windowOf(theirs)).toMatchObject({ used: 0, remaining: 100 });
    expect((await theirs.translate(text(100))).status).toBe(200);
    expectOverLimit(await theirs.translate('a'));
  });
});

describe('a plan that took effect in this month starts its own window (A 8.2 rule 3)', () => {
  let mine: Customer;
  beforeEach(async () => {
    mine = await provision(app);
  });
  const plan = (tier: keyof typeof prices, at: Customer = mine) =>
    subscriptionEvent('updated', { tenantId: at.tenantId, id: `sub_${at.tenantId}`, price: prices[tier] });

  test('a tier change counts from its own moment, up or down', async () => {
    await deliverAll(app, plan('personal'));
    await expectRoom(mine, 500_000);
    for (const [tier, chars] of [
      ['pro', 1_500_000],
      ['personal', 500_000],
    ] as const) {
      await nextSecond();
      await deliverAll(app, plan(tier));
      await expectRoom(mine, chars);
    }
    expect(await mine.billed()).toBe(2_500_000);
  });

  test('an update of the same tier, an unknown Price and a lapse keep it', async () => {
    await deliverAll(app, plan('personal'));
    expect((await spend(mine, 400_000)).status).toBe(200);
    const { window_start } = await windowOf(mine);
    const about = { tenantId: mine.tenantId, id: `sub_${mine.tenantId}` };
    await deliverAll(
      app,
      plan('personal'),
      subscriptionEvent('updated', { ...about, price: 'price_?' }),
      subscriptionEvent('updated', { ...about, status: 'past_due' }),
      subscriptionEvent('updated', { ...about, status: 'active' }),
    );
    expect(await windowOf(mine)).toMatchObject({ window_start, used: 400_000 });
    await expectRoom(mine, 100_000);
  });

  test('trial usage does not count against the plan', async () => {
    const founder = await trialist(app);
    expect((await spend(founder, 400_000)).status).toBe(200);
    await deliverAll(app, plan('personal', founder));
    await expectRoom(founder, 500_000);
    expect(await founder.billed()).toBe(900_000);
  });
});

test('usage under all plans of a month, and the trial’s, count against the ceiling', async () => {
  const theirs = await trialist(low, { monthly_char_limit: 400 });
  const { tenantId } = theirs;
  expect((await theirs.translate(text(200))).status).toBe(200);
  for (const [at, admitted] of [400, 400].entries()) {
    await deliverAll(low, subscribed(tenantId, `sub_${at}_${tenantId}`));
    expectOverLimit(await theirs.translate(text(admitted + 1)));
    expect((await theirs.translate(text(admitted))).status).toBe(200);
    expect(expectOverLimit(await theirs.translate('a')).includes('operator')).toBe(at === 1);
    await nextSecond();
    await deliverAll(low, subscriptionEvent('deleted', { tenantId, id: `sub_${at}_${tenantId}` }));
  }
  expect(await theirs.billed()).toBe(1000);
});
