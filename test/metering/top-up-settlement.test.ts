import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const operatorKey = 'operator-key-for-settlement';
const app = useTestApp({
  env: {
    BILLING_ENABLED: 'true',
    STRIPE_SECRET_KEY: 'sk_test_x',
    OPERATOR_API_KEY: operatorKey,
    MONTHLY_CHAR_CEILING: '1000',
    AUTH_RATE_LIMIT_ENABLED: 'false',
  },
});

/** A subscriber with a small allowance and a prepaid balance. */
async function subscriber(limit: number, metadata: Record<string, unknown>) {
  const { body } = await app.json('POST', '/api/tenants', {
    headers: { 'x-api-key': operatorKey },
    body: {
      name: 'Subscriber',
      monthly_char_limit: limit,
      metadata: { pay_subscription_status: 'active', pay_subscription_id: 'sub_1', ...metadata },
    },
  });
  const headers = { 'x-api-key': body.api_key };
  return {
    tenantId: body.id as string,
    translate: async (chars: number) =>
      (
        await app.json('POST', '/api/translations', {
          headers,
          body: { source_text: 'x'.repeat(chars), target_lang: 'fr' },
        })
      ).status,
    summary: async () => {
      const answer = await app.json('GET', `/api/tenants/${body.id}/billing`, {
        headers: { 'x-api-key': operatorKey },
      });
      const { allowance, topup } = answer.body;
      const { limit, used, reserved, remaining } = allowance;
      const { purchased, used: drawn, balance } = topup;
      return { limit, used, reserved, remaining, purchased, drawn, balance };
    },
  };
}

test('A 8.2 rule 2: usage past the allowance is taken from the balance, and the month’s total allowance stays', async () => {
  const tenant = await subscriber(100, { topup_chars_purchased: 60, topup_chars_used: 10 });
  expect(await tenant.summary()).toMatchObject({ limit: 150, used: 0, remaining: 150, balance: 50 });
  expect(await tenant.translate(90)).toBe(200);
  expect(await tenant.summary()).toMatchObject({ limit: 150, used: 90, remaining: 60, balance: 50 });
  expect(await tenant.translate(30)).toBe(200);
  expect(await tenant.summary()).toEqual({
    limit: 150,
    used: 120,
    reserved: 0,
    remaining: 30,
    purchased: 60,
    drawn: 30,
    balance: 30,
  });
  expect(await tenant.translate(31)).toBe(429);
  expect(await tenant.translate(30)).toBe(200);
  expect(await tenant.summary()).toMatchObject({
    limit: 150,
    remaining: 0,
    drawn: 60,
    balance: 0,
  });
  expect(await tenant.translate(1)).toBe(429);
});

test('a new month has the allowance again, and the balance that the last one left', async () => {
  const tenant = await subscriber(100, { topup_chars_purchased: 50 });
  expect(await tenant.translate(120)).toBe(200);
  await openSuperuser(app.superuserUrl)`
    update usage_totals set day = date_trunc('month', day)::date - 1 where tenant_id = ${tenant.tenantId}`;
  expect(await tenant.summary()).toMatchObject({ limit: 130, remaining: 130, balance: 30 });
  expect(await tenant.translate(131)).toBe(429);
  expect(await tenant.translate(130)).toBe(200);
  expect(await tenant.summary()).toMatchObject({ limit: 130, remaining: 0, balance: 0 });
});

test('a new window of the same month does not restore the balance that the last one used', async () => {
  const tenant = await subscriber(100, { topup_chars_purchased: 50 });
  expect(await tenant.translate(120)).toBe(200);
  await openSuperuser(app.superuserUrl)`
    update tenants set metadata = metadata || '{"pay_allowance_from": "2026-11-20T00:00:00.000Z"}'
    where tenant_id = ${tenant.tenantId}`;
  expect(await tenant.summary()).toMatchObject({ limit: 130, remaining: 130, balance: 30 });
});

test('40 jobs at once, from below the allowance to beyond it: every character is taken once', async () => {
  const tenant = await subscriber(100, { topup_chars_purchased: 300 });
  const statuses = await Promise.all(Array.from({ length: 40 }, () => tenant.translate(10)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await tenant.summary()).toMatchObject({ limit: 400, remaining: 0, purchased: 300, balance: 0 });
});
