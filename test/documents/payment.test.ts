import { beforeAll, describe, expect, test } from 'vitest';
import { openTokenSpending, type TokenSpending } from '#server/billing/metering/token-spending.ts';
import { workbook, workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { cat, liveEngine, translate } from '#test/translations/live.ts';
import {
  type Customer,
  expectPaymentRequired,
  keyed,
  provision,
  subscriber,
  trialist,
  UPDATE,
  WORKSPACE_ONLY,
} from '../billing/customers.ts';
import { paid } from '../billing/payments.ts';
import { answerOf } from '../translations/workspace.ts';
import { openDocuments } from './workspace.ts';

const app = useTestApp({ env: { ...paid(), TRIAL_CHARS: '1000' } });

const send = ({ headers }: Customer, more: Record<string, string> = {}, wait = 'true') => {
  const body = new FormData();
  body.append('target_lang', 'fr');
  body.append('wait', wait);
  body.append('source_document', new File([workbook('Hello')], 'Book.xlsx'));
  return answerOf(
    app.request('/api/documents/translate', { method: 'POST', headers: { ...headers, ...more }, body }),
  );
};
const setStatus = ({ tenantId }: Customer, status: string) =>
  openSuperuser(app.superuserUrl)`
    update tenants set metadata = metadata || jsonb_build_object('pay_subscription_status', ${status}::text)
    where tenant_id = ${tenantId}`;

test('with billing on a document needs a subscription, which no trial replaces', async () => {
  expectPaymentRequired(await send(await provision(app)), 'subscription required');
  const trying = await trialist(app);
  expectPaymentRequired(await send(trying), 'subscription required');
  // The trial includes the texts of the workspace.
  expect((await trying.translate('Hello')).status).toBe(200);
  expect(await send(trying.withKey)).toMatchObject({ status: 402, body: { detail: WORKSPACE_ONLY } });
  expect((await app.json('GET', '/api/documents', { headers: trying.headers })).body).toEqual([]);
});

test('a subscriber’s documents are billed; a lapsed subscription is 402, but replays are served', async () => {
  const mine = await subscriber(app, 1000);
  const first = await send(mine, keyed('paid'));
  expect([first.status, first.body.status]).toEqual([200, 'translated']);
  expect(await mine.billed()).toBe(5);
  await setStatus(mine, 'past_due');
  expectPaymentRequired(await send(mine), 'subscription is not current', UPDATE);
  const again = await send(mine, keyed('paid'));
  expect([again.status, again.body.id]).toEqual([200, first.body.id]);
  // A document that is already translated can still be downloaded.
  const download = await app.request(`/api/documents/${first.body.id}/download`, { headers: mine.headers });
  expect(download.status).toBe(200);
  expect(await mine.billed()).toBe(5);
});

describe('token limit', async () => {
  const limit = 1_000_000;
  const perCall = 2000;
  const fake = await useFakeOpenAi();
  fake.otherwise(translatingReply({ translate, usage: { prompt_tokens: 1500, completion_tokens: 500 } }));

  let spending: TokenSpending;
  const app = useTestApp({
    env: { ...env, WORKSPACE_LIMITS: `{"tokens_per_day":${limit}}`, OPENAI_API_KEY: 'sk-test' },
    engine: liveEngine(fake, {}, { paid: (...paid) => spending.record(...paid) }),
  });
  beforeAll(() => {
    spending = openTokenSpending(app.database, (error) => expect.unreachable(String(error)));
  });

  async function spent(tenantId: string): Promise<number> {
    const [row] = await openSuperuser(app.superuserUrl)`
    select tokens::int from token_spending where tenant_id = ${tenantId}`;
    return row?.['tokens'] ?? 0;
  }

  test('the tokens of a document count; beyond tokens_per_day a document is rejected, and a queued one fails with quota_exceeded', async () => {
    const theirs = await openDocuments(app);
    const send = () => theirs.send({ source_document: workbookFile([cat]), target_lang: 'de', wait: 'true' });
    expect((await send()).status).toBe(200);
    const calls = fake.requests.length;
    expect(calls).toBeGreaterThan(0);
    expect(await spent(theirs.tenantId)).toBe(calls * perCall);

    const queued = await theirs.queue([cat]);
    await spending.record(theirs.tenantId, limit);
    const refused = await send();
    expect([refused.status, refused.body.error_code]).toEqual([429, 'quota_exceeded']);
    expect(refused.body.detail).toContain('the limit of model tokens a day is reached');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await theirs.run(queued);
    expect((await theirs.read(queued)).failure).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('the limit of model tokens a day is reached'),
    });
    expect(fake.requests).toHaveLength(calls);
  });
});

describe('service key', () => {
  const serviceKey = 'the-service-key-of-the-documents-0123456789';
  const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', SERVICE_API_KEY: serviceKey } });

  test('a document of the single service key names no tenant', async () => {
    const headers = { 'x-api-key': serviceKey };
    const form = new FormData();
    form.append('target_lang', 'fr');
    form.append('wait', 'true');
    form.append('source_document', new File([workbook('Hello')], 'Book.xlsx'));
    const { status, body } = await answerOf(
      app.request('/api/documents/translate', { method: 'POST', headers, body: form }),
    );
    expect([status, body.status, body.tenant_id]).toEqual([200, 'translated', null]);
    const { body: listed } = await app.json('GET', '/api/documents', { headers });
    expect(listed).toEqual([body]);
  });
});
