import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import {
  base,
  customer,
  expectPaymentRequired,
  keyed,
  refusal,
  text,
  trialist,
  WORKSPACE_ONLY,
} from './customers.ts';
import { deliverAll, paid, subscribed } from './payments.ts';

const runs = holdRuns();
const env = { ...paid(), TRIAL_CHARS: '200' };
const app = useTestApp({ env, engine: runs.engine });
const usual = useTestApp({ env: paid() });
const short = useTestApp({ env: { ...env, TRIAL_DAYS: '0.5' } });
const long = useTestApp({ env: { ...env, TRIAL_DAYS: '100' } });
const free = useTestApp({ env: { ...base, TRIAL_CHARS: '200' } });
afterEach(() => runs.release());

const USED_UP = 'free trial used up';
const ENDED = 'free trial ended';
const TOO_FEW = 'free trial has too few characters left';

describe('the grant of a new workspace (A 8.3)', () => {
  test('has 150000 characters by default', async () => {
    expect(await (await trialist(usual)).metadata()).toMatchObject({ trial_chars_granted: 150_000 });
    expect(await (await trialist(app)).metadata()).toMatchObject({ trial_chars_granted: 200 });
  });

  test('is shown to the creator, and cannot be set by a signup', async () => {
    const metadata = { trial_chars_granted: 9_000_000, TRIAL_extra: 1, pay_tier: 'pro', colour: 'red' };
    const founder = await trialist(app, { metadata });
    const me = await app.json('GET', '/api/auth/me', { headers: founder.headers });
    expect(me.body.tenant.metadata).toMatchObject({ trial_chars_granted: 200, colour: 'red' });
    expect(Object.keys(me.body.tenant.metadata).filter((key) => /^trial_extra|^pay_/i.test(key))).toEqual([]);
  });

  test('does not exist with billing off', async () => {
    expect(await (await trialist(free)).metadata()).not.toHaveProperty('trial_chars_granted');
  });

  test('ends TRIAL_DAYS after the creation, which may be a fraction', async () => {
    for (const [at, days] of [
      [usual, 14],
      [short, 0.5],
    ] as const) {
      const founder = await trialist(at);
      await founder.age(days - 1 / 1440);
      expect((await founder.translate(text(10))).status).toBe(200);
      await founder.age(2 / 1440);
      expectPaymentRequired(await founder.translate(text(10)), ENDED);
    }
  });
});

describe('the characters of the grant', () => {
  test('are spent to the last one', async () => {
    const founder = await trialist(app);
    expectPaymentRequired(await founder.translate(text(201)), TOO_FEW);
    expect((await founder.translate(text(150))).status).toBe(200);
    expectPaymentRequired(await founder.translate(text(51)), TOO_FEW);
    expect((await founder.translate(text(50))).status).toBe(200);
    // The message does not depend on the length of the text.
    for (const chars of [1, 201]) expectPaymentRequired(await founder.translate(text(chars)), USED_UP);
    expect(await founder.billed()).toBe(200);
    expect(await founder.list()).toHaveLength(2);
  });

  test('admit a batch whole or not at all', async () => {
    const founder = await trialist(app);
    expectPaymentRequired(await founder.batch([text(100), text(50), text(51)]), TOO_FEW);
    expect(await founder.list()).toEqual([]);
    expect((await founder.batch([text(100), text(50), text(50)])).status).toBe(200);
    expectPaymentRequired(await founder.batch(['a', 'b']), USED_UP);
  });

  test('are spent while a job is in progress, and free again if it fails', async () => {
    const founder = await trialist(app);
    const answer = founder.translate(text(150, 'held'));
    const run = await runs.next();
    expectPaymentRequired(await founder.translate(text(51)), TOO_FEW);
    expect((await founder.translate(text(50))).status).toBe(200);
    expectPaymentRequired(await founder.translate('a'), 'free trial');
    run.fail(new Error('as told'));
    expect((await answer).status).toBeGreaterThanOrEqual(500);
    expect((await founder.translate(text(150))).status).toBe(200);
    expectPaymentRequired(await founder.translate('a'), USED_UP);
  });

  test('admit as many concurrent texts as fit', async () => {
    const founder = await trialist(app);
    const answers = await Promise.all(Array.from({ length: 20 }, () => founder.translate(text(30))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(14);
    expect(await founder.billed()).toBe(180);
  });

  test('are granted once: another month adds none', async () => {
    const founder = await trialist(long);
    expect((await founder.translate(text(200))).status).toBe(200);
    await founder.age(70);
    await founder.moveUsageBack();
    expectPaymentRequired(await founder.translate('a'), USED_UP);
  });
});

describe('the trial is for sessions of the workspace', () => {
  test('rejects an API key, even with characters and days left', async () => {
    const { withKey, tenantId, headers } = await trialist(app);
    const bearerKey = { authorization: `Bearer ${withKey.headers['x-api-key']}` };
    for (const by of [withKey, customer(app, tenantId, bearerKey)]) {
      expect(refusal(await by.translate('a'))).toEqual([402, WORKSPACE_ONLY]);
      expect(refusal(await by.batch(['a', 'b']))).toEqual([402, WORKSPACE_ONLY]);
    }
    expect(await customer(app, tenantId, headers).list()).toEqual([]);
  });

  test('accepts a session next to a key', async () => {
    const { withKey, accessToken } = await trialist(app);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await withKey.translate(text(10), {}, headers)).status).toBe(200);
  });

  test('serves a replay by key, which starts no work', async () => {
    const founder = await trialist(app);
    const source_text = text(10);
    const first = await founder.translate(source_text, {}, keyed('k'));
    const replay = await founder.withKey.translate(source_text, {}, keyed('k'));
    expect([replay.status, replay.body.id]).toEqual([200, first.body.id]);
  });

  test('accepts a key, and texts beyond the grant, after a subscription', async () => {
    const founder = await trialist(app);
    expect((await founder.translate(text(200))).status).toBe(200);
    await deliverAll(app, subscribed(founder.tenantId, `sub_${founder.tenantId}`));
    expect((await founder.withKey.translate(text(500))).status).toBe(200);
    expect((await founder.translate(text(500))).status).toBe(200);
  });
});

test('with billing off neither sessions nor keys need a grant', async () => {
  const founder = await trialist(free);
  await founder.age(400);
  expect((await founder.translate(text(500))).status).toBe(200);
  expect((await founder.withKey.translate(text(500))).status).toBe(200);
});
