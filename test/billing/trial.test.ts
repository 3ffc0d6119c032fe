import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { holdRuns } from '#test/setup/held-runs.ts';
import { poll } from '#test/setup/poll.ts';
import {
  base,
  customer,
  expectPaymentRequired,
  keyed,
  refusal,
  subscription,
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
const instant = useTestApp({ env: { ...env, TRIAL_DAYS: '0.00001' } });
const long = useTestApp({ env: { ...env, TRIAL_DAYS: '100' } });
const free = useTestApp({ env: { ...base, TRIAL_CHARS: '200' } });
afterEach(() => runs.release());

const USED_UP = 'free trial used up';
const ENDED = 'free trial ended';
const TOO_FEW = 'free trial has too few characters left';

describe('A 8.3 rule 1: a new tenant gets a one-time grant', () => {
  test('A 8: of 150000 characters, unless the deployment says otherwise', async () => {
    expect(await (await trialist(usual)).metadata()).toMatchObject({ trial_chars_granted: 150_000 });
    expect(await (await trialist(app)).metadata()).toMatchObject({ trial_chars_granted: 200 });
  });

  test('A 4.2: the founder sees it, and a caller of signup cannot set it', async () => {
    const metadata = { trial_chars_granted: 9_000_000, TRIAL_extra: 1, pay_tier: 'pro', colour: 'red' };
    const founder = await trialist(app, { metadata });
    const me = await app.json('GET', '/api/auth/me', { headers: founder.headers });
    expect(me.body.tenant.metadata).toMatchObject({ trial_chars_granted: 200, colour: 'red' });
    expect(Object.keys(me.body.tenant.metadata).filter((key) => /^trial_extra|^pay_/i.test(key))).toEqual([]);
  });

  test('with billing off it is not stamped', async () => {
    expect(await (await trialist(free)).metadata()).not.toHaveProperty('trial_chars_granted');
  });

  test('usable for 14 days from creation, to the minute', async () => {
    const founder = await trialist(usual);
    await founder.age(14 - 1 / 1440);
    expect((await founder.translate(text(10))).status).toBe(200);
    await founder.age(2 / 1440);
    expectPaymentRequired(await founder.translate(text(10)), ENDED);
  });

  test('C 7: TRIAL_DAYS may be a fraction', async () => {
    const founder = await trialist(short);
    await founder.age(0.49);
    expect((await founder.translate(text(10))).status).toBe(200);
    await founder.age(0.02);
    expectPaymentRequired(await founder.translate(text(10)), ENDED);
    const brief = await trialist(instant);
    await poll(async () => (await brief.translate(text(1))).status === 402);
    expectPaymentRequired(await brief.translate(text(1)), ENDED);
  });
});

describe('A 8.3 rules 1 and 4: to the character', () => {
  test('a text that just fits is translated, one character more is refused', async () => {
    const founder = await trialist(app);
    expectPaymentRequired(await founder.translate(text(201)), TOO_FEW);
    expect((await founder.translate(text(150))).status).toBe(200);
    expectPaymentRequired(await founder.translate(text(51)), TOO_FEW);
    expect((await founder.translate(text(50))).status).toBe(200);
    // However large the text is.
    for (const chars of [1, 201]) expectPaymentRequired(await founder.translate(text(chars)), USED_UP);
    expect(await founder.billed()).toBe(200);
    expect(await founder.list()).toHaveLength(2);
  });

  test('A 8.1: a dense script takes its weight', async () => {
    const founder = await trialist(app);
    expectPaymentRequired(await founder.translate(text(58), { target_lang: 'ja' }), TOO_FEW);
    // 56 of them weigh 196, which leaves 4: room for one more (3.5, rounded up), not for two.
    expect((await founder.translate(text(56), { target_lang: 'ja' })).status).toBe(200);
    expectPaymentRequired(await founder.translate('ab', { target_lang: 'ja' }), TOO_FEW);
    expectPaymentRequired(await founder.translate('abcde'), TOO_FEW);
    expect((await founder.translate('a', { target_lang: 'ja' })).status).toBe(200);
    expectPaymentRequired(await founder.translate('a'), USED_UP);
  });

  test('a batch is admitted whole or not at all', async () => {
    const founder = await trialist(app);
    expectPaymentRequired(await founder.batch([text(100), text(50), text(51)]), TOO_FEW);
    expect(await founder.list()).toEqual([]);
    expect((await founder.batch([text(100), text(50), text(50)])).status).toBe(200);
    expectPaymentRequired(await founder.batch(['a', 'b']), USED_UP);
  });

  test('characters in flight are spent until the run fails', async () => {
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

  test('of 20 at one time only as many are admitted as fit', async () => {
    const founder = await trialist(app);
    const answers = await Promise.all(Array.from({ length: 20 }, () => founder.translate(text(30))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(14);
    expect(await founder.billed()).toBe(180);
  });

  test('the grant is one-time: another month brings nothing', async () => {
    const founder = await trialist(long);
    expect((await founder.translate(text(200))).status).toBe(200);
    await founder.age(70);
    await founder.moveUsageBack();
    expectPaymentRequired(await founder.translate('a'), USED_UP);
  });

  test('every member spends the same grant', async () => {
    const founder = await trialist(app);
    const { body } = await app.json('POST', '/api/tenants/invites', { headers: founder.headers, body: {} });
    const joined = await app.json('POST', '/api/auth/signup/email', {
      body: {
        invite_token: body.invite_token,
        tenant_name: 'x',
        email: `joiner-${founder.tenantId}@example.org`,
        password: 'a long enough passphrase',
      },
    });
    const member = customer(app, founder.tenantId, {
      authorization: `Bearer ${joined.body.token.access_token}`,
    });
    expect((await member.translate(text(120))).status).toBe(200);
    expectPaymentRequired(await founder.translate(text(81)), TOO_FEW);
    expect((await founder.translate(text(80))).status).toBe(200);
    expectPaymentRequired(await member.translate('a'), USED_UP);
  });
});

describe('A 8.3 rule 2: only for workspace sessions', () => {
  test('a tenant API key gets 402, even with characters and days remaining', async () => {
    const { withKey, tenantId, headers } = await trialist(app);
    const bearerKey = { authorization: `Bearer ${withKey.headers['x-api-key']}` };
    for (const by of [withKey, customer(app, tenantId, bearerKey)]) {
      expect(refusal(await by.translate('a'))).toEqual([402, WORKSPACE_ONLY]);
      expect(refusal(await by.batch(['a', 'b']))).toEqual([402, WORKSPACE_ONLY]);
    }
    expect(await customer(app, tenantId, headers).list()).toEqual([]);
  });

  test('C 7: a session beside the key counts as a session', async () => {
    const { withKey, accessToken } = await trialist(app);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await withKey.translate(text(10), {}, headers)).status).toBe(200);
  });

  test('reading needs no grant, by key and by session', async () => {
    const founder = await trialist(app);
    const { body } = await founder.translate(text(200));
    for (const by of [founder, founder.withKey]) {
      expect(await by.list()).toHaveLength(1);
      expect(await by.read(body.id)).toMatchObject({ id: body.id, status: 'published' });
    }
  });

  test('a replay with the key starts no work, so it is served', async () => {
    const founder = await trialist(app);
    const source_text = text(10);
    const first = await founder.translate(source_text, {}, keyed('k'));
    const replay = await founder.withKey.translate(source_text, {}, keyed('k'));
    expect([replay.status, replay.body.id]).toEqual([200, first.body.id]);
  });

  test('a subscription lifts the distinction, and the limit of the grant', async () => {
    const founder = await trialist(app);
    expect((await founder.translate(text(200))).status).toBe(200);
    await deliverAll(app, subscribed(founder.tenantId, `sub_${founder.tenantId}`));
    expect((await founder.withKey.translate(text(500))).status).toBe(200);
    expect((await founder.translate(text(500))).status).toBe(200);
  });

  test.each(['active', 'trialing'])('a subscription that is %s needs no grant', async (status) => {
    const { body } = await app.json('POST', '/api/tenants', {
      headers: { 'x-api-key': base.OPERATOR_API_KEY },
      body: { name: 'Paying', metadata: subscription(status) },
    });
    const paying = customer(app, body.id, { 'x-api-key': body.api_key });
    expect((await paying.translate(text(500))).status).toBe(200);
  });

  test('usage of a subscription is not taken from the grant', async () => {
    const founder = await trialist(app);
    await deliverAll(app, subscribed(founder.tenantId, `sub_${founder.tenantId}`));
    expect((await founder.translate(text(500))).status).toBe(200);
    expect(await founder.metadata()).toMatchObject({ trial_chars_granted: 200 });
  });
});

describe('A 8.3 rule 3: with billing off', () => {
  test('there is no 402: by key, by session, past the trial’s characters and days', async () => {
    const founder = await trialist(free);
    await founder.age(400);
    expect((await founder.translate(text(500))).status).toBe(200);
    expect((await founder.withKey.translate(text(500))).status).toBe(200);
    expect(await founder.billing()).toMatchObject({ jobs: 2, billable_chars: 1000 });
  });
});
