import { describe, expect, test } from 'vitest';
import { addKey, found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answerOf } from '../translations/workspace.ts';
import {
  base,
  bearer,
  customer,
  expectOverLimit,
  expectPaymentRequired,
  keyed,
  provision,
  refusal,
  sessionOf,
  subscription,
  text,
  trialist,
  UPDATE,
  WORKSPACE_ONLY,
} from './customers.ts';
import { deliverAll, paid, subscribed, subscriptionEvent } from './payments.ts';

const env = { ...paid(), TRIAL_CHARS: '200' };
const app = useTestApp({ env });
const shut = useTestApp({ env: { ...env, TRANSLATION_ENABLED: 'false' } });
const off = useTestApp({ env: base });

const PATH = '/api/translations';
const REQUIRED = 'subscription required';
const LAPSED = 'subscription is not current';

describe('without a current subscription (A 8.3)', () => {
  test.each([
    ['none', {}, REQUIRED, undefined],
    ['an ended one', subscription('canceled'), REQUIRED, undefined],
    [
      'a prepaid balance and a tier',
      { topup_chars_purchased: 5_000_000, pay_tier: 'pro' },
      REQUIRED,
      undefined,
    ],
    ['a lapsed one', subscription('past_due'), LAPSED, UPDATE],
    ['a paused one', subscription('paused'), LAPSED, UPDATE],
  ])('%s: rejects keys and sessions', async (_name, metadata, start, end) => {
    const mine = await provision(app, { metadata });
    const session = customer(app, mine.tenantId, await sessionOf(app, mine));
    for (const by of [mine, session]) {
      expectPaymentRequired(await by.translate('a'), start, end);
      expectPaymentRequired(await by.batch(['a', 'b']), start, end);
    }
    expect(await mine.list()).toEqual([]);
  });

  test('rejects every way to send a text', async () => {
    const mine = await provision(app);
    const form = new FormData();
    form.append('target_lang', 'fr');
    form.append('source_document', new File(['Hello'], 'a.txt', { type: 'text/plain' }));
    const raw = { ...mine.headers, 'content-type': 'text/plain' };
    const pages = {
      source_text: 'Hello',
      target_lang: 'fr',
      metadata: { source_document: { name: 'a.txt' } },
    };
    for (const sent of [
      answerOf(app.request(PATH, { method: 'POST', headers: mine.headers, body: form })),
      answerOf(app.request(`${PATH}?target_lang=fr`, { method: 'POST', headers: raw, body: 'Hello' })),
      mine.submit(pages),
    ])
      expectPaymentRequired(await sent, REQUIRED);
    expect(await mine.list()).toEqual([]);
  });
  test('access ends with the event that lapses it, and returns with the one that renews it', async () => {
    const mine = await provision(app);
    const about = { tenantId: mine.tenantId, id: `sub_${mine.tenantId}` };
    await deliverAll(app, subscribed(about.tenantId, about.id));
    expect((await mine.translate(text(10))).status).toBe(200);
    await deliverAll(app, subscriptionEvent('updated', { ...about, status: 'past_due' }));
    expectPaymentRequired(await mine.translate('a'), LAPSED, UPDATE);
    await deliverAll(app, subscriptionEvent('updated', { ...about, status: 'active' }));
    expect((await mine.translate(text(10))).status).toBe(200);
    await deliverAll(app, subscriptionEvent('deleted', about));
    expectPaymentRequired(await mine.translate('a'), REQUIRED);
  });
});

describe('the order of gates (B 4.1)', () => {
  test('translation switched off comes before payment', async () => {
    const { withKey } = await trialist(shut);
    expect(refusal(await withKey.translate('a'))).toEqual([503, 'translation is temporarily disabled']);
  });

  test('the checks of the request come before payment', async () => {
    const mine = await provision(app);
    expect((await mine.translate(' ')).status).toBe(400);
    expect((await mine.translate('a', { target_lang: 'xx' })).status).toBe(422);
    expect((await mine.translate(text(50_001))).status).toBe(413);
  });

  test('the credential comes before payment', async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': base.OPERATOR_API_KEY }]) {
      const answer = await app.json('POST', PATH, { headers, body: { source_text: 'a', target_lang: 'fr' } });
      expect(refusal(answer)).toEqual([401, 'missing or invalid tenant credentials']);
    }
  });

  test('every API key of a trial gets 402, and 403 first if it lacks the scope', async () => {
    const founder = await found(app);
    const asked = async (scopes: string[]) => {
      const { api_key } = await addKey(app, founder, { scopes });
      return refusal(await customer(app, founder.tenantId, { 'x-api-key': api_key }).translate('a'));
    };
    expect(await asked(['translate'])).toEqual([402, WORKSPACE_ONLY]);
    expect(await asked(['read'])).toEqual([403, 'this API key lacks the scope translate']);
  });

  test('payment comes before the allowance', async () => {
    const lapsed = await provision(app, { monthly_char_limit: 1, metadata: subscription('past_due') });
    expectPaymentRequired(await lapsed.translate('ab'), LAPSED, UPDATE);
    const founder = await trialist(app, { monthly_char_limit: 50 });
    expectPaymentRequired(await founder.translate(text(201)), 'free trial has too few characters left');
    expectOverLimit(await founder.translate(text(51)));
    expect((await founder.translate(text(50))).status).toBe(200);
    expect(refusal(await founder.withKey.translate('ab'))).toEqual([402, WORKSPACE_ONLY]);
  });

  test('the operator key next to a session does not exempt it from payment', async () => {
    const founder = await trialist(app);
    await founder.age(15);
    const headers = { 'x-api-key': base.OPERATOR_API_KEY, ...bearer(founder.accessToken) };
    expectPaymentRequired(await customer(app, founder.tenantId, headers).translate('a'), 'free trial ended');
  });

  test('a rejection makes no job, bills nothing and does not store the key', async () => {
    const mine = await provision(app, { metadata: subscription('past_due') });
    const { pay_subscription_id: id } = await mine.metadata();
    expect((await mine.translate('Hello there', {}, keyed('k'))).status).toBe(402);
    expect(await mine.list()).toEqual([]);
    expect(await mine.billing()).toMatchObject({ jobs: 0, billable_chars: 0, records: [] });
    await deliverAll(app, subscriptionEvent('updated', { tenantId: mine.tenantId, id, status: 'active' }));
    const again = await mine.translate('Hello there', {}, keyed('k'));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  test('existing jobs can still be read, reviewed and downloaded', async () => {
    const mine = await provision(app);
    await deliverAll(app, subscribed(mine.tenantId, `sub_${mine.tenantId}`));
    const held = (await mine.translate(text(20), { domain: 'legal' })).body;
    expect(held.status).toBe('awaiting_review');
    await deliverAll(
      app,
      subscriptionEvent('deleted', { tenantId: mine.tenantId, id: `sub_${mine.tenantId}` }),
    );
    expect((await mine.translate('a')).status).toBe(402);
    const { headers } = mine;
    const reviewed = await app.json('POST', `${PATH}/${held.id}/review`, {
      headers,
      body: { action: 'approve', reviewer: 'R' },
    });
    expect([reviewed.status, reviewed.body.status]).toEqual([200, 'published']);
    expect((await app.request(`${PATH}/${held.id}/golden`, { headers })).status).toBe(200);
    expect(await mine.list()).toHaveLength(1);
  });
});

test.each(['past_due', 'canceled'])(
  'with billing off a subscription that is %s does not matter',
  async (status) => {
    const mine = await provision(off, { metadata: { ...subscription(status), trial_chars_granted: 1 } });
    expect((await mine.translate(text(30))).status).toBe(200);
    expect(await mine.billed()).toBe(30);
  },
);
