import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { type Customer, expectOverLimit, provision, subscriber, text } from '../billing/customers.ts';
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

/** Expects that this many characters are admitted, and one more is not. */
async function expectRoom(mine: Customer, room: number): Promise<void> {
  expect((await mine.billing()).allowance.remaining).toBe(room);
  expectOverLimit(await mine.translate(text(room + 1)));
  if (room > 0) expect((await mine.translate(text(room))).status).toBe(200);
  expectOverLimit(await mine.translate('a'));
}

const balanceOf = async (mine: Customer) => {
  const { purchased, used, balance } = (await mine.billing()).topup;
  return [purchased, used, balance];
};

test('a limit above the ceiling is not clamped, but the month is; it takes nothing from the balance (A 8.2 rule 2)', async () => {
  const mine = await subscriber(app, 2000, { topup_chars_purchased: 500 });
  expectOverLimit(await mine.translate(text(1001)));
  expect((await mine.translate(text(1000))).status).toBe(200);
  expectOverLimit(await mine.translate('a'));
  expect(await balanceOf(mine)).toEqual([500, 0, 500]);
});

describe('the prepaid balance', () => {
  let mine: Customer;
  beforeEach(async () => {
    mine = await subscriber(app, 300, { topup_chars_purchased: 500 });
  });
  const spend = async (...lengths: number[]) => {
    for (const length of lengths) expect((await mine.translate(text(length))).status).toBe(200);
  };

  test('pays only for characters past the limit, and the month’s allowance does not shrink', async () => {
    await spend(250, 50);
    expect(await balanceOf(mine)).toEqual([500, 0, 500]);
    await spend(50);
    expect(await balanceOf(mine)).toEqual([500, 50, 450]);
    expect((await mine.metadata()).topup_chars_used).toBe(50);
    await expectRoom(mine, 450);
    expect(await balanceOf(mine)).toEqual([500, 500, 0]);
    await deliverAll(app, toppedUp(mine.tenantId, 100));
    await expectRoom(mine, 100);
  });

  test('is taken once for each character of concurrent texts', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => mine.translate(text(40))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await balanceOf(mine)).toEqual([500, 500, 0]);
    expect(await mine.billed()).toBe(800);
  });

  test('that the month left counts in the next one', async () => {
    await spend(300, 200);
    await mine.moveUsageBack();
    await expectRoom(mine, 600);
    await mine.moveUsageBack(2);
    await expectRoom(mine, 300);
  });

  test('does not count while the subscription is lapsed, and counts again after', async () => {
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
    await become('active');
    await expectRoom({ tenantId, ...theirs }, 400);
  });

  test('that one window of a month used is not granted again in the next', async () => {
    const theirs = await provision(app, { monthly_char_limit: 300 });
    const { tenantId } = theirs;
    await deliverAll(app, subscribed(tenantId, `sub_a_${tenantId}`), toppedUp(tenantId, 500));
    expect((await theirs.translate(text(400))).status).toBe(200);
    await nextSecond();
    await deliverAll(
      app,
      subscriptionEvent('deleted', { tenantId, id: `sub_a_${tenantId}` }),
      subscribed(tenantId, `sub_b_${tenantId}`),
    );
    expect((await theirs.billing()).allowance).toMatchObject({ limit: 700, used: 0, remaining: 600 });
    await expectRoom(theirs, 600);
    expect(await balanceOf(theirs)).toEqual([500, 400, 100]);
  });
});
