import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { poll } from '#test/setup/poll.ts';
import { base, type Customer, expectOverLimit, keyed, provision, text } from '../billing/customers.ts';

const runs = holdRuns();
const app = useTestApp({ env: { ...base, MONTHLY_CHAR_CEILING: '1000000' }, engine: runs.engine });
afterEach(() => runs.release());

let mine: Customer;
beforeEach(async () => {
  mine = await provision(app, { monthly_char_limit: 300 });
});

/** Starts a job of `length` characters that stays in progress. */
async function inFlight(length: number, headers = {}) {
  const answer = mine.translate(text(length, 'held'), {}, headers);
  return { answer, run: await runs.next() };
}

describe('committed + request is compared to the allowance (A 8.2 rule 1)', () => {
  test('a text that just fits is translated, one character more is rejected', async () => {
    expectOverLimit(await mine.translate(text(301)));
    expect((await mine.translate(text(300))).status).toBe(200);
    expectOverLimit(await mine.translate('a'));
    expect(await mine.billed()).toBe(300);
  });

  test('a rejected submission does not take its key', async () => {
    const body = { source_text: text(200), target_lang: 'fr' };
    const { answer, run } = await inFlight(200);
    expectOverLimit(await mine.submit(body, keyed('k')));
    run.fail(new Error('as told'));
    await answer;
    const again = await mine.submit(body, keyed('k'));
    expect([again.status, again.body.status]).toEqual([200, 'published']);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
  });
});

describe('characters in progress are committed (A 8.2 rule 1)', () => {
  test('a text in progress counts until it ends', async () => {
    const { answer, run } = await inFlight(200);
    expectOverLimit(await mine.translate(text(101)));
    expect((await mine.billing()).allowance).toMatchObject({ used: 0, reserved: 200, remaining: 100 });
    expect((await mine.translate(text(100))).status).toBe(200);
    run.succeed();
    expect((await answer).status).toBe(200);
    expect((await mine.billing()).allowance).toMatchObject({ used: 300, reserved: 0, remaining: 0 });
    expectOverLimit(await mine.translate('a'));
  });

  test('a run that fails frees its reservation, and bills nothing', async () => {
    const { answer, run } = await inFlight(300);
    expectOverLimit(await mine.translate('a'));
    run.fail(new Error('as told'));
    expect((await answer).status).toBeGreaterThanOrEqual(500);
    expect((await mine.billing()).allowance).toMatchObject({ used: 0, reserved: 0, remaining: 300 });
    expect((await mine.translate(text(300))).status).toBe(200);
    expect(await mine.billed()).toBe(300);
  });

  test('a caller who hangs up leaks no reservation', async () => {
    const caller = new AbortController();
    const answer = app.request('/api/translations', {
      method: 'POST',
      signal: caller.signal,
      headers: { ...mine.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        inputs: [text(100, 'held'), text(100)].map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })),
      }),
    });
    const run = await runs.next();
    caller.abort();
    await expect(answer).rejects.toThrow();
    run.succeed();
    await poll(async () => (await mine.billing()).allowance.reserved === 0);
    const summary = await mine.billing();
    expect(summary.allowance.remaining).toBe(300 - summary.allowance.used);
    expect(summary.records).toHaveLength(summary.allowance.used / 100);
    expect((await mine.translate(text(summary.allowance.remaining))).status).toBe(200);
    expectOverLimit(await mine.translate('a'));
  });

  test('of 20 at one time only as many are admitted as fit', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => mine.translate(text(40))));
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted).toHaveLength(7);
    for (const answer of answers.filter((one) => !admitted.includes(one))) expectOverLimit(answer);
    expect(await mine.billed()).toBe(280);
    expect(await mine.list()).toHaveLength(7);
  });
});

describe('a batch is admitted whole, by the sum of its items’ weights (C 7)', () => {
  test('one character more, and no job is made, run or billed', async () => {
    expectOverLimit(await mine.batch([text(100), text(100), text(101)]));
    expect(await mine.list()).toEqual([]);
    expect(await mine.billing()).toMatchObject({ jobs: 0, billable_chars: 0 });
    expect((await mine.batch([text(150), text(150)])).status).toBe(200);
  });

  test('its unfinished part is committed from its first item on', async () => {
    const whole = mine.batch([text(60, 'held'), text(120), text(60)]);
    const first = await runs.next();
    expectOverLimit(await mine.translate(text(61)));
    expect((await mine.billing()).allowance).toMatchObject({ reserved: 240, remaining: 60 });
    expect((await mine.translate(text(60))).status).toBe(200);
    first.succeed();
    expect((await whole).status).toBe(200);
    expect((await mine.billing()).allowance).toMatchObject({ used: 300, reserved: 0, remaining: 0 });
  });

  test('an item that fails frees its own part and that of the items which never run', async () => {
    const whole = mine.batch([text(100), text(100, 'held'), text(100)]);
    const second = await runs.next();
    await expect
      .poll(async () => (await mine.billing()).allowance)
      .toMatchObject({ used: 100, reserved: 200, remaining: 0 });
    expectOverLimit(await mine.translate('a'));
    second.fail(new Error('as told'));
    expect((await whole).status).toBeGreaterThanOrEqual(500);
    expect((await mine.billing()).allowance).toMatchObject({ used: 100, reserved: 0, remaining: 200 });
    expect((await mine.translate(text(200))).status).toBe(200);
  });
});
