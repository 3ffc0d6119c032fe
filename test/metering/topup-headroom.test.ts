import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import {
  base,
  type Customer,
  expectOverLimit,
  provision,
  subscriber,
  subscription,
  text,
} from '../billing/customers.ts';
import {
  deliverAll,
  nextSecond,
  paid,
  subscribed,
  subscriptionEvent,
  toppedUp,
} from '../billing/payments.ts';

const ceiling = { MONTHLY_CHAR_CEILING: '1000' };
const app = useTestApp({ env: { ...paid(), ...ceiling } });
const roomy = useTestApp({ env: paid() });
const off = useTestApp({ env: { ...base, ...ceiling } });

/** Expects that exactly this many characters are admitted. */
async function expectRoom(mine: Customer, room: number): Promise<void> {
  expect((await mine.billing()).allowance.remaining).toBe(room);
  expectOverLimit(await mine.translate(text(room + 1)));
  if (room > 0) expect((await mine.translate(text(room))).status).toBe(200);
  expectOverLimit(await mine.translate('a'));
}

const topupOf = async (mine: Customer) => (await mine.billing()).topup;

describe('A 8.2 rule 2: allowance = monthly_char_limit + min(balance, max(0, ceiling - limit))', () => {
  test.each([
    ['no balance', 300, 0, 300],
    ['a balance below the headroom', 300, 250, 550],
    ['a balance of just the headroom', 300, 700, 1000],
    ['a balance above the headroom', 300, 701, 1000],
    ['a balance far above', 300, 10_000_000, 1000],
    ['a limit just below the ceiling', 999, 500, 1000],
    ['a limit at the ceiling', 1000, 500, 1000],
    // Rule 4: not clamped, but the calendar month's usage may not pass the ceiling.
    ['a limit above the ceiling', 2000, 500, 1000],
  ])('%s', async (_, limit, topup_chars_purchased, room) => {
    const mine = await subscriber(app, limit, { topup_chars_purchased });
    expect((await mine.account()).monthly_char_limit).toBe(limit);
    if (limit > 1000) {
      expectOverLimit(await mine.translate(text(room + 1)));
      expect((await mine.translate(text(room))).status).toBe(200);
      expectOverLimit(await mine.translate('a'));
    } else await expectRoom(mine, room);
  });

  test('the balance is purchased minus used', async () => {
    const metadata = { topup_chars_purchased: 500, topup_chars_used: 350 };
    const mine = await subscriber(app, 300, metadata);
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 350, balance: 150 });
    await expectRoom(mine, 450);
  });

  test.each(['past_due', 'unpaid', 'paused', 'incomplete', 'canceled', 'incomplete_expired'])(
    'without headroom while the subscription is %s',
    async (status) => {
      const metadata = subscription(status, { topup_chars_purchased: 500 });
      const mine = await provision(app, { monthly_char_limit: 300, metadata });
      expect((await mine.billing()).allowance.remaining).toBe(300);
      expect((await topupOf(mine)).balance).toBe(500);
    },
  );

  test('with billing off there is none', async () => {
    const metadata = subscription('active', { topup_chars_purchased: 500 });
    const mine = await provision(off, { monthly_char_limit: 300, metadata });
    expect((await mine.billing()).allowance.remaining).toBe(300);
    expectOverLimit(await mine.translate(text(301)));
    expect((await mine.translate(text(300))).status).toBe(200);
  });

  test('a top-up bought while the allowance is spent takes effect at once', async () => {
    const mine = await subscriber(app, 300);
    await expectRoom(mine, 300);
    await deliverAll(app, toppedUp(mine.tenantId, 200));
    await expectRoom(mine, 200);
    expect(await topupOf(mine)).toEqual({ purchased: 200, used: 200, balance: 0 });
  });
});

describe('A 8.2 rule 2: the month’s total allowance does not shrink as the prepaid balance is spent', () => {
  let mine: Customer;
  beforeEach(async () => {
    mine = await subscriber(app, 300, { topup_chars_purchased: 500 });
  });
  const spend = async (...lengths: number[]) => {
    for (const length of lengths) expect((await mine.translate(text(length))).status).toBe(200);
  };

  test('only usage past the monthly limit is taken from the balance', async () => {
    await spend(300);
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 0, balance: 500 });
    await spend(50);
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 50, balance: 450 });
    expect((await mine.metadata()).topup_chars_used).toBe(50);
  });

  test('a text across the limit takes only its part past it', async () => {
    await spend(250, 100);
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 50, balance: 450 });
  });

  test('in small pieces all 800 characters can be used, and not one more', async () => {
    await spend(290, 60, 150, 150, 100, 50);
    expectOverLimit(await mine.translate('a'));
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 500, balance: 0 });
    expect((await mine.metadata()).topup_chars_used).toBe(500);
    expect((await mine.billing()).allowance).toMatchObject({ used: 800, remaining: 0 });
  });

  test('in many pieces at one time too', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => mine.translate(text(40))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 500, balance: 0 });
    expect(await mine.billed()).toBe(800);
  });

  test('the next month’s does: it starts with the limit and the rest of the balance', async () => {
    await spend(300, 200);
    await mine.moveUsageBack();
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 200, balance: 300 });
    expect((await mine.billing()).allowance).toMatchObject({ used: 0, remaining: 600 });
    await expectRoom(mine, 600);
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 500, balance: 0 });
    await mine.moveUsageBack(2);
    await expectRoom(mine, 300);
  });

  test('a further top-up in the same month adds to the total', async () => {
    await spend(300, 500);
    await deliverAll(app, toppedUp(mine.tenantId, 100));
    await expectRoom(mine, 100);
    expect(await topupOf(mine)).toEqual({ purchased: 600, used: 600, balance: 0 });
  });

  test('A 3.1: a subscription that lapses removes the headroom; a current one restores it with the balance', async () => {
    const { tenantId, ...theirs } = await provision(app, { monthly_char_limit: 300 });
    await deliverAll(app, subscribed(tenantId, `sub_${tenantId}`), toppedUp(tenantId, 500));
    const become = (status: string) =>
      deliverAll(
        app,
        subscriptionEvent('updated', { tenantId, id: `sub_${tenantId}`, status, price: 'price_x' }),
      );
    expect((await theirs.translate(text(400))).status).toBe(200);
    await become('past_due');
    expect((await theirs.billing()).allowance.remaining).toBe(0);
    expect((await theirs.translate('a')).status).toBe(402);
    await become('active');
    await expectRoom({ tenantId, ...theirs }, 400);
    expect(await topupOf({ tenantId, ...theirs })).toEqual({ purchased: 500, used: 500, balance: 0 });
  });

  test('balance used in an earlier window of the month is not granted again', async () => {
    const theirs = await provision(roomy, { monthly_char_limit: 300 });
    const { tenantId } = theirs;
    const ids = ['first', 'second'].map((which) => `sub_${which}_${tenantId}`);
    await deliverAll(roomy, subscribed(tenantId, ids[0]!), toppedUp(tenantId, 500));
    expect((await theirs.translate(text(400))).status).toBe(200);
    expect(await topupOf(theirs)).toEqual({ purchased: 500, used: 100, balance: 400 });
    await nextSecond();
    await deliverAll(
      roomy,
      subscriptionEvent('deleted', { tenantId, id: ids[0]! }),
      subscribed(tenantId, ids[1]!),
    );
    expect((await theirs.billing()).allowance).toMatchObject({ used: 0, remaining: 700 });
    await expectRoom(theirs, 700);
    expect(await topupOf(theirs)).toEqual({ purchased: 500, used: 500, balance: 0 });
  });
});

describe('A 8.2 rule 4: the calendar month may not pass the ceiling', () => {
  test('the balance past the headroom is kept for another month', async () => {
    const mine = await subscriber(app, 300, { topup_chars_purchased: 5000 });
    await expectRoom(mine, 1000);
    expect(await topupOf(mine)).toEqual({ purchased: 5000, used: 700, balance: 4300 });
    await mine.moveUsageBack();
    await expectRoom(mine, 1000);
    expect(await topupOf(mine)).toEqual({ purchased: 5000, used: 1400, balance: 3600 });
  });

  test('a limit above it takes nothing from a balance', async () => {
    const mine = await subscriber(app, 2000, { topup_chars_purchased: 500 });
    expect((await mine.translate(text(1000))).status).toBe(200);
    expectOverLimit(await mine.translate('a'));
    expect(await topupOf(mine)).toEqual({ purchased: 500, used: 0, balance: 500 });
  });
});
