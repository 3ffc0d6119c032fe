import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  bearer,
  type Customer,
  customer,
  expectOverLimit,
  provision,
  subscriber,
  text,
  trialist,
} from '../billing/customers.ts';
import { deliverAll, nextSecond, paid, prices, subscribed, subscriptionEvent } from '../billing/payments.ts';

// Tier allowances are large: a Japanese character counts 100 here, so that a text of a few thousand spends one.
const app = useTestApp({ env: { ...paid(), DENSE_SCRIPT_WEIGHT: '100', TRIAL_CHARS: '400000' } });
const low = useTestApp({ env: { ...paid(), MONTHLY_CHAR_CEILING: '1000' } });

let mine: Customer;
beforeEach(async () => {
  mine = await provision(app);
});

/** Uses this many weighted characters, in whole hundreds. */
const spend = async (by: Customer, chars: number) => by.translate(text(chars / 100), { target_lang: 'ja' });

const plan = (tier: keyof typeof prices, at: Customer = mine, kind: 'created' | 'updated' = 'updated') =>
  subscriptionEvent(kind, { tenantId: at.tenantId, id: `sub_${at.tenantId}`, price: prices[tier] });
const windowOf = async (of: Customer) => (await of.billing()).allowance;
const monthStart = () => new Date().toISOString().slice(0, 7);

/** Expects that exactly this many weighted characters are admitted, in whole hundreds. */
async function expectRoom(by: Customer, chars: number): Promise<void> {
  expect((await windowOf(by)).remaining).toBe(chars);
  expectOverLimit(await by.translate(`${text(chars / 100)}a`, { target_lang: 'ja' }));
  expect((await spend(by, chars)).status).toBe(200);
  expectOverLimit(await by.translate('a', { target_lang: 'ja' }));
}

describe('A 8.2 rule 3: the window is the current UTC month', () => {
  test('without a plan it starts with the month', async () => {
    const { window_start } = await windowOf(await provision(low, { monthly_char_limit: 100 }));
    expect(new Date(window_start).toISOString()).toBe(`${monthStart()}-01T00:00:00.000Z`);
  });

  test('usage of an earlier month does not count', async () => {
    const theirs = await subscriber(low, 100);
    expect((await theirs.translate(text(100))).status).toBe(200);
    expectOverLimit(await theirs.translate('a'));
    await theirs.moveUsageBack();
    expect(await windowOf(theirs)).toMatchObject({ used: 0, remaining: 100 });
    expect((await theirs.translate(text(100))).status).toBe(200);
    expectOverLimit(await theirs.translate('a'));
  });

  test('a plan from an earlier month does not move it: it starts with this month', async () => {
    const theirs = await subscriber(low, 100, { pay_allowance_from: '2026-01-17T10:00:00.000Z' });
    const { window_start } = await windowOf(theirs);
    expect(new Date(window_start).toISOString()).toBe(`${monthStart()}-01T00:00:00.000Z`);
    expect((await theirs.translate(text(100))).status).toBe(200);
    await theirs.moveUsageBack();
    expect((await theirs.translate(text(100))).status).toBe(200);
  });

  test('usage of the last moment of the month before does not count; usage of this month’s first does', async () => {
    const theirs = await subscriber(low, 100);
    expect((await theirs.translate(text(60))).status).toBe(200);
    const sql = openSuperuser(low.superuserUrl);
    const move = async (day: string, at: string) => {
      await sql`update usage_totals set day = ${day} where tenant_id = ${theirs.tenantId}`;
      await sql`update usage_records set recorded_at = ${at} where tenant_id = ${theirs.tenantId}`;
    };
    const first = `${monthStart()}-01`;
    await move(first, `${first}T00:00:00.000Z`);
    expect(await windowOf(theirs)).toMatchObject({ used: 60, remaining: 40 });
    const before = new Date(Date.parse(first) - 1).toISOString();
    await move(before.slice(0, 10), before);
    expect(await windowOf(theirs)).toMatchObject({ used: 0, remaining: 100 });
  });
});

describe('A 8.2 rule 3: or the moment the current plan took effect, where that is later', () => {
  test('A 8: each tier brings its allowance', async () => {
    await deliverAll(app, plan('personal', mine, 'created'));
    expect((await mine.account()).monthly_char_limit).toBe(500_000);
    await expectRoom(mine, 500_000);
    for (const [tier, limit] of [
      ['pro', 1_500_000],
      ['studio', 5_000_000],
    ] as const) {
      await nextSecond();
      await deliverAll(app, plan(tier));
      expect((await mine.account()).monthly_char_limit).toBe(limit);
      expect(await windowOf(mine)).toMatchObject({ used: 0, remaining: limit });
    }
  });

  test('usage under the previous tier does not count against the new one', async () => {
    await deliverAll(app, plan('personal', mine, 'created'));
    await expectRoom(mine, 500_000);
    await nextSecond();
    const before = Date.now();
    await deliverAll(app, plan('pro'));
    const { window_start } = await windowOf(mine);
    // An event's time is in whole seconds.
    expect(Date.parse(window_start)).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(window_start)).toBeLessThanOrEqual(Date.now());
    await expectRoom(mine, 1_500_000);
    expect(await mine.billed()).toBe(2_000_000);
  });

  test('a downgrade restarts it too', async () => {
    await deliverAll(app, plan('pro', mine, 'created'));
    await expectRoom(mine, 1_500_000);
    await nextSecond();
    await deliverAll(app, plan('personal'));
    await expectRoom(mine, 500_000);
  });

  test('an update within the same tier does not restart it, nor does one with an unknown Price', async () => {
    await deliverAll(app, plan('personal', mine, 'created'));
    expect((await spend(mine, 400_000)).status).toBe(200);
    const { window_start } = await windowOf(mine);
    await deliverAll(app, plan('personal'), {
      ...subscriptionEvent('updated', {
        tenantId: mine.tenantId,
        id: `sub_${mine.tenantId}`,
        price: 'price_?',
      }),
    });
    expect(await windowOf(mine)).toMatchObject({ window_start, used: 400_000, remaining: 100_000 });
    expect((await mine.metadata()).pay_tier).toBe('personal');
    await expectRoom(mine, 100_000);
  });

  test('A 3.1: past_due and current again resumes the same window', async () => {
    await deliverAll(app, plan('personal', mine, 'created'));
    expect((await spend(mine, 400_000)).status).toBe(200);
    const { pay_allowance_from, pay_allowance_subscription } = await mine.metadata();
    for (const status of ['past_due', 'unpaid', 'paused', 'active'])
      await deliverAll(
        app,
        subscriptionEvent('updated', { tenantId: mine.tenantId, id: `sub_${mine.tenantId}`, status }),
      );
    expect(await mine.metadata()).toMatchObject({ pay_allowance_from, pay_allowance_subscription });
    await expectRoom(mine, 100_000);
  });

  test('a new subscription after an ended one opens a new window', async () => {
    await deliverAll(app, plan('personal', mine, 'created'));
    await expectRoom(mine, 500_000);
    const { tenantId } = mine;
    await nextSecond();
    await deliverAll(
      app,
      subscriptionEvent('deleted', { tenantId, id: `sub_${tenantId}` }),
      subscriptionEvent('created', { tenantId, id: `sub_again_${tenantId}` }),
    );
    await expectRoom(mine, 500_000);
  });

  test('trial usage does not count against the plan', async () => {
    const founder = await trialist(app);
    expect((await spend(founder, 400_000)).status).toBe(200);
    expect((await spend(founder, 100)).status).toBe(402);
    await deliverAll(app, plan('personal', founder, 'created'));
    await expectRoom(customer(app, founder.tenantId, bearer(founder.accessToken)), 500_000);
    expect(await founder.billed()).toBe(900_000);
  });
});

describe('A 8.2 rule 4: a plan change restarts the allowance, never the ceiling', () => {
  test('the calendar month’s usage under all plans may not pass it', async () => {
    const theirs = await provision(low, { monthly_char_limit: 400 });
    const { tenantId } = theirs;
    for (const [at, admitted] of [400, 400, 200].entries()) {
      await deliverAll(low, subscribed(tenantId, `sub_${at}_${tenantId}`));
      expectOverLimit(await theirs.translate(text(admitted + 1)));
      expect((await theirs.translate(text(admitted))).status).toBe(200);
      expect(expectOverLimit(await theirs.translate('a')).includes('operator')).toBe(at === 2);
      await nextSecond();
      await deliverAll(low, subscriptionEvent('deleted', { tenantId, id: `sub_${at}_${tenantId}` }));
    }
    expect(await theirs.billed()).toBe(1000);
  });

  test('trial usage counts against the ceiling', async () => {
    const founder = await trialist(low, { monthly_char_limit: 800 });
    expect((await founder.translate(text(500))).status).toBe(200);
    await deliverAll(low, subscribed(founder.tenantId, `sub_${founder.tenantId}`));
    expectOverLimit(await founder.translate(text(501)));
    expect((await founder.translate(text(500))).status).toBe(200);
    expectOverLimit(await founder.translate('a'));
  });
});
