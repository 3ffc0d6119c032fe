import { expect, test } from 'vitest';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
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
