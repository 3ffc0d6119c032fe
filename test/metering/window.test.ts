import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Customer, expectOverLimit, subscriber, text, trialist } from '../billing/customers.ts';
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

test('trial usage does not count against a plan that took effect in this month (A 8.2 rule 3)', async () => {
  const founder = await trialist(app);
  expect((await spend(founder, 400_000)).status).toBe(200);
  const about = { tenantId: founder.tenantId, id: `sub_${founder.tenantId}` };
  await deliverAll(app, subscriptionEvent('updated', { ...about, price: prices.personal }));
  await expectRoom(founder, 500_000);
  expect(await founder.billed()).toBe(900_000);
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
