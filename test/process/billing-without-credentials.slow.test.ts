import { expect, test } from 'vitest';
import { startLoggedService } from '#test/setup/logged-service.ts';

const secretsKey = Buffer.alloc(32, 7).toString('base64');
const text = { source_text: 'Hello', target_lang: 'fr' };

test('billing without the credentials of Stripe starts, warns once, closes the pages for paying, and gates work as before', async () => {
  const service = await startLoggedService({
    BILLING_ENABLED: 'true',
    STRIPE_PRICE_PRO: 'price_pro',
    STRIPE_PRICE_TOPUP: 'price_topup',
    SECRETS_KEY: secretsKey,
    LOG_LEVEL: 'warn',
  });
  const { headers, accessToken } = await service.signUp();
  const said = async (path: string, body: unknown, as: Record<string, string> = headers) => {
    const answer = await service.json('POST', path, { headers: as, body });
    return [answer.status, answer.body.detail];
  };
  for (const [path, body] of [
    ['/api/billing/checkout', { tier: 'pro' }],
    ['/api/billing/topup', { packs: 1 }],
    ['/api/billing/portal', {}],
  ] as const)
    expect(await said(path, body)).toEqual([503, 'billing is not enabled']);
  expect((await service.json('POST', '/api/stripe/webhook', { body: {} })).status).toBe(503);
  // Requests are not free, and a trial that was granted stays valid.
  expect(await said('/api/translations?wait=true', text)).toEqual([
    402,
    'the free trial covers the workspace only - API access requires an active subscription; subscribe at /billing',
  ]);
  const signedIn = { authorization: `Bearer ${accessToken}` };
  expect((await said('/api/translations?wait=true', text, signedIn))[0]).toBeLessThan(300);

  const printed = await service.finish();
  const warnings = printed.split('\n').filter((line) => line.includes('BILLING_ENABLED'));
  expect(warnings.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      level: 40,
      msg: expect.stringMatching(
        /but STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set: purchases are rejected/,
      ),
    }),
  ]);
});
