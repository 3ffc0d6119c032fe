import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import {
  type Customer,
  expectOverLimit,
  expectPaymentRequired,
  keyed,
  subscriber,
  text,
  UPDATE,
} from '../billing/customers.ts';
import { deliverAll, paid, subscriptionEvent } from '../billing/payments.ts';

const runs = holdRuns();
const app = useTestApp({ env: paid(), engine: runs.engine });
afterEach(() => runs.release());

const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true';

/** Changes the status of a tenant's subscription. */
async function become(mine: Customer, status: string): Promise<void> {
  const { pay_subscription_id: id } = await mine.metadata();
  await deliverAll(
    app,
    subscriptionEvent('updated', { tenantId: mine.tenantId, id, status, price: 'price_x' }),
  );
}

/**
 * Creates a tenant with an allowance of 300 characters, and a failed job with the key `k` whose text would have used
 * 200.
 */
async function withFailedJob() {
  const mine = await subscriber(app, 300);
  const source_text = text(200, 'held');
  const again = () => mine.translate(source_text, {}, keyed('k'));
  const answer = again();
  (await runs.next()).fail(new Error('as told'));
  expect((await answer).status).toBeGreaterThanOrEqual(500);
  const [job] = await mine.list();
  expect(job!.status).toBe('failed');
  return { mine, id: job!.id, again, stored: () => mine.read(job!.id) };
}

describe('a replay that starts no work is served before the gates (A 8.2 rule 6, B 4.2 rule 3)', () => {
  test('with the allowance spent: the job in its current state, and nothing metered', async () => {
    const mine = await subscriber(app, 100);
    const source_text = text(100);
    const first = await mine.translate(source_text, {}, keyed('k'));
    expectOverLimit(await mine.translate('a'));
    const replay = await mine.translate(source_text, {}, keyed('k'));
    expect([replay.status, replay.body, isReplay(replay)]).toEqual([200, first.body, true]);
    expect(await mine.billing()).toMatchObject({ jobs: 1, billable_chars: 100 });
  });

  test.each(['past_due', 'canceled'])('with a subscription that is %s', async (status) => {
    const mine = await subscriber(app, 100);
    const source_text = text(50);
    const first = await mine.translate(source_text, {}, keyed('k'));
    await become(mine, status);
    expect((await mine.translate('a')).status).toBe(402);
    const replay = await mine.translate(source_text, {}, keyed('k'));
    expect([replay.status, replay.body.id, isReplay(replay)]).toEqual([200, first.body.id, true]);
  });
});

describe('a replay that must run work again passes all gates first (B 4.2 rule 3)', () => {
  test('no allowance left: 429, nothing metered, the stored job untouched', async () => {
    const { mine, again, stored } = await withFailedJob();
    expect((await mine.translate(text(101))).status).toBe(200);
    const before = await stored();
    expectOverLimit(await again());
    expect(await stored()).toEqual(before);
    expect(await mine.billing()).toMatchObject({ jobs: 1, billable_chars: 101 });
    expect((await mine.billing()).allowance).toMatchObject({ used: 101, reserved: 0 });
  });

  test('no subscription: 402, nothing metered, the stored job untouched', async () => {
    const { mine, again, stored } = await withFailedJob();
    const before = await stored();
    await become(mine, 'past_due');
    expectPaymentRequired(await again(), 'subscription is not current', UPDATE);
    expect(await stored()).toEqual(before);
    expect(await mine.billing()).toMatchObject({ jobs: 0, billable_chars: 0 });
  });

  test('just enough allowance: it runs under the same id, and is billed once', async () => {
    const { mine, id, again } = await withFailedJob();
    expect((await mine.translate(text(100))).status).toBe(200);
    const answer = again();
    (await runs.next()).succeed();
    expect((await answer).body).toMatchObject({ id, status: 'published' });
    expect((await again()).status).toBe(200);
    expect(await mine.billing()).toMatchObject({ jobs: 2, billable_chars: 300 });
  });

  test('a job left pending for 10 minutes or more counts as one that must run again', async () => {
    const { mine, id, again, stored } = await withFailedJob();
    const leave = (minutes: number) =>
      openSuperuser(app.superuserUrl)`
        update translation_jobs set status = 'pending', updated_at = now() - make_interval(mins => ${minutes})
        where job_id = ${id}`;
    expect((await mine.translate(text(101))).status).toBe(200);
    await leave(9);
    expect((await again()).body).toMatchObject({ id, status: 'pending' });
    await leave(11);
    const before = await stored();
    expectOverLimit(await again());
    expect(await stored()).toEqual(before);
  });
});

describe('replayed items of a batch weigh nothing (C 7)', () => {
  test('a retry weighs the items that failed or never ran', async () => {
    const mine = await subscriber(app, 300);
    const texts = [text(100), text(100, 'held'), text(100)];
    const first = mine.batch(texts, keyed('b'));
    (await runs.next()).fail(new Error('as told'));
    expect((await first).status).toBeGreaterThanOrEqual(500);
    expect(await mine.billed()).toBe(100);
    // 200 characters remain, which is the weight of the two other texts.
    const retry = mine.batch(texts, keyed('b'));
    (await runs.next()).succeed();
    const { status, body } = await retry;
    expect([status, body.map((job: { status: string }) => job.status)]).toEqual([
      200,
      ['published', 'published', 'published'],
    ]);
    expect(await mine.billing()).toMatchObject({ jobs: 3, billable_chars: 300 });
  });

  test('a longer batch under a known key weighs only the added items', async () => {
    const mine = await subscriber(app, 100);
    const texts = [text(60), text(40), 'a'];
    expect((await mine.batch(texts.slice(0, 1), keyed('b'))).status).toBe(200);
    expectOverLimit(await mine.batch(texts, keyed('b')));
    const { status, body } = await mine.batch(texts.slice(0, 2), keyed('b'));
    expect([status, body.length]).toEqual([200, 2]);
    expect(await mine.billed()).toBe(100);
  });
});
