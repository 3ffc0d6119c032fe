import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
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

const env = { ...paid(), TRIAL_CHARS: '200' };
const app = useTestApp({ env });
const usual = useTestApp({ env: paid() });
const short = useTestApp({ env: { ...env, TRIAL_DAYS: '0.5' } });
const long = useTestApp({ env: { ...env, TRIAL_DAYS: '100' } });
const free = useTestApp({ env: { ...base, TRIAL_CHARS: '200' } });

const USED_UP = 'free trial used up';
const ENDED = 'free trial ended';

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
