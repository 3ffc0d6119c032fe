import { describe, expect, test } from 'vitest';
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
  subscriber,
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

describe('C 3 and C 7: no subscription, no grant', () => {
  test('without either: subscription required, by key and by session', async () => {
    const mine = await provision(app);
    const session = customer(app, mine.tenantId, await sessionOf(app, mine));
    for (const by of [mine, session]) {
      expectPaymentRequired(await by.translate('a'), REQUIRED);
      expectPaymentRequired(await by.batch(['a', 'b']), REQUIRED);
    }
    expect(await mine.list()).toEqual([]);
  });

  test('on every way to send a text', async () => {
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

  test.each(['canceled', 'incomplete_expired'])('an ended one (%s) counts as none', async (status) => {
    const mine = await provision(app, { metadata: subscription(status) });
    const session = customer(app, mine.tenantId, await sessionOf(app, mine));
    for (const by of [mine, session]) expectPaymentRequired(await by.translate('a'), REQUIRED);
  });

  test('a prepaid balance is no subscription', async () => {
    const mine = await provision(app, { metadata: { topup_chars_purchased: 5_000_000 } });
    expectPaymentRequired(await mine.translate('a'), REQUIRED);
  });

  test('a tier and a customer without a status count as none too', async () => {
    const metadata = {
      pay_tier: 'pro',
      pay_customer_id: 'cus_x',
      pay_allowance_from: '2026-01-01T00:00:00Z',
    };
    expectPaymentRequired(await (await provision(app, { metadata })).translate('a'), REQUIRED);
  });
});

describe('C 3 and C 7: a lapsed subscription', () => {
  test.each(['past_due', 'unpaid', 'incomplete', 'paused'])('%s is not current', async (status) => {
    const mine = await provision(app, { metadata: subscription(status) });
    const session = customer(app, mine.tenantId, await sessionOf(app, mine));
    for (const by of [mine, session]) expectPaymentRequired(await by.translate('a'), LAPSED, UPDATE);
  });

  test('the event that lapses it ends access; the one that ends it asks for a new subscription', async () => {
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

describe('A 8.3: precedence among the trial’s causes', () => {
  test('ended comes before too few characters left', async () => {
    const founder = await trialist(app);
    await founder.age(15);
    expectPaymentRequired(await founder.translate(text(201)), 'free trial ended');
  });

  test('the API key comes before too few characters left', async () => {
    const { withKey } = await trialist(app);
    expect(refusal(await withKey.translate(text(201)))).toEqual([402, WORKSPACE_ONLY]);
  });

  test('whatever the state of the trial, the API key is refused', async () => {
    const founder = await trialist(app);
    expect((await founder.translate(text(200))).status).toBe(200);
    expect((await founder.withKey.translate('a')).status).toBe(402);
    await founder.age(15);
    expect((await founder.withKey.translate('a')).status).toBe(402);
  });
});

describe('B 4.1: the order of gates', () => {
  test('(1) before (5): switched off is 503 for a tenant that would get 402', async () => {
    const { withKey } = await trialist(shut);
    expect(refusal(await withKey.translate('a'))).toEqual([503, 'translation is temporarily disabled']);
  });

  test('(2) before (5): a blank text and an unsupported language', async () => {
    const mine = await provision(app);
    expect((await mine.translate(' ')).status).toBe(400);
    expect((await mine.translate('a', { target_lang: 'xx' })).status).toBe(422);
    expect((await mine.translate(text(50_001))).status).toBe(413);
  });

  test('(2) before (6)', async () => {
    const mine = await subscriber(app, 1);
    expect((await mine.translate(text(50_001))).status).toBe(413);
    expect((await mine.translate('long enough', { target_lang: 'xx' })).status).toBe(422);
  });

  test('(4) before (5): 401 without a credential, and for the operator alone', async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': base.OPERATOR_API_KEY }]) {
      const answer = await app.json('POST', PATH, { headers, body: { source_text: 'a', target_lang: 'fr' } });
      expect(refusal(answer)).toEqual([401, 'missing or invalid tenant credentials']);
    }
  });

  test('(5) before (6): 402 where both would refuse', async () => {
    const lapsed = await provision(app, { monthly_char_limit: 1, metadata: subscription('past_due') });
    expectPaymentRequired(await lapsed.translate('ab'), LAPSED, UPDATE);
    const founder = await trialist(app, { monthly_char_limit: 50 });
    expectPaymentRequired(await founder.translate(text(201)), 'free trial has too few characters left');
    expectOverLimit(await founder.translate(text(51)));
    expect((await founder.translate(text(50))).status).toBe(200);
    expect(refusal(await founder.withKey.translate('ab'))).toEqual([402, WORKSPACE_ONLY]);
  });

  test('C 7: the operator key beside a session does not exempt it from payment', async () => {
    const founder = await trialist(app);
    await founder.age(15);
    const headers = { 'x-api-key': base.OPERATOR_API_KEY, ...bearer(founder.accessToken) };
    expectPaymentRequired(await customer(app, founder.tenantId, headers).translate('a'), 'free trial ended');
  });

  test('a refusal makes no job, bills nothing and does not store the key', async () => {
    const mine = await provision(app, { metadata: subscription('past_due') });
    const { pay_subscription_id: id } = await mine.metadata();
    expect((await mine.translate('Hello there', {}, keyed('k'))).status).toBe(402);
    expect(await mine.list()).toEqual([]);
    expect(await mine.billing()).toMatchObject({ jobs: 0, billable_chars: 0, records: [] });
    await deliverAll(app, subscriptionEvent('updated', { tenantId: mine.tenantId, id, status: 'active' }));
    const again = await mine.translate('Hello there', {}, keyed('k'));
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  test('reading, reviewing and downloading existing jobs stay allowed', async () => {
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

describe('A 8.3 rule 3: with billing off there are no 402 responses', () => {
  test.each(['past_due', 'unpaid', 'incomplete', 'paused', 'canceled', 'incomplete_expired'])(
    'whatever the metadata says: %s',
    async (status) => {
      const metadata = { ...subscription(status), trial_chars_granted: 1 };
      const mine = await provision(off, { metadata });
      expect((await mine.translate(text(30))).status).toBe(200);
      expect(await mine.billed()).toBe(30);
    },
  );
});
