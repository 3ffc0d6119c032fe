import { describe, expect, test } from 'vitest';
import { signPayload } from '#test/fakes/stripe.ts';
import { topUpEvent, useBillingApp, webhookSecret } from './billing-app.ts';

const billing = useBillingApp({ BILLING_ENABLED: 'false', STRIPE_SECRET_KEY: '', STRIPE_API_URL: '' });

type Body = string | Uint8Array<ArrayBuffer>;
const refused = [400, { detail: 'invalid webhook signature' }];
const taken = [200, { received: true }];

async function send(body: Body, headers: Record<string, string>, query = '') {
  const response = await billing.app.request(`/api/stripe/webhook${query}`, {
    method: 'POST',
    body,
    headers,
  });
  return [response.status, await response.json()];
}

const signed = (body: Body, header = 'stripe-signature', at?: number) => ({
  [header]: signPayload(body, webhookSecret, at),
});

/** A delivery that credits a top-up to a new tenant, and whether it did. */
async function newTopUp() {
  const { tenantId } = await billing.app.signUp();
  const event = topUpEvent(tenantId);
  const purchased = async () => (await billing.stored(tenantId)).metadata['topup_chars_purchased'];
  return { event, body: JSON.stringify(event), purchased };
}

describe('C 7: the webhook works whenever its secret is set, BILLING_ENABLED=false and no key', () => {
  test.each(['payment-signature', 'stripe-signature'])('signed in %s', async (header) => {
    const { body, purchased } = await newTopUp();
    expect(await send(body, signed(body, header))).toEqual(taken);
    expect(await purchased()).toBe(1_000_000);
  });
});

describe('A 4.5: the signature is over the raw bytes', () => {
  test('bytes that differ from re-serialised JSON verify', async () => {
    const { event, purchased } = await newTopUp();
    const body = `  ${JSON.stringify(event, null, 3).replaceAll('"', '\u0022').replace('evt_', 'evt\\u005f')}\r\n`;
    expect(JSON.stringify(JSON.parse(body))).not.toBe(body);
    expect(await send(body, signed(body))).toEqual(taken);
    expect(await purchased()).toBe(1_000_000);
  });

  test('text beyond ASCII verifies', async () => {
    const { event, purchased } = await newTopUp();
    const body = JSON.stringify({ ...event, note: 'Zażółć 🐢' });
    expect(await send(body, signed(body))).toEqual(taken);
    expect(await purchased()).toBe(1_000_000);
  });

  test.each([
    'application/json',
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'no type at all',
  ])('whatever type is declared: %s', async (type) => {
    const { body, purchased } = await newTopUp();
    expect(await send(body, { ...signed(body), 'content-type': type })).toEqual(taken);
    expect(await purchased()).toBe(1_000_000);
  });

  test('a changed byte anywhere does not verify', async () => {
    const { body, purchased } = await newTopUp();
    const headers = signed(body);
    const bytes = Buffer.from(body);
    for (const at of [0, 1, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(await send(changed, headers)).toEqual(refused);
    }
    expect(await send(`${body} `, headers)).toEqual(refused);
    expect(await send(`\u{feff}${body}`, headers)).toEqual(refused);
    expect(await send(body.slice(0, -1), headers)).toEqual(refused);
    expect(await send('', headers)).toEqual(refused);
    expect(await purchased()).toBeUndefined();
  });

  test('bytes that are not UTF-8 do not verify as the text that they decode to', async () => {
    const { event } = await newTopUp();
    const text = JSON.stringify({ ...event, note: '\u{fffd}' });
    const bytes = Buffer.from(JSON.stringify({ ...event, note: '?' }));
    bytes[bytes.lastIndexOf('?')] = 0xff;
    expect(await send(Uint8Array.from(bytes), signed(text))).toEqual(refused);
  });
});

describe('A 4.5: 400 for a signature that is', () => {
  const body = JSON.stringify(topUpEvent('nobody'));
  const now = () => Math.floor(Date.now() / 1000);
  const good = () => signPayload(body, webhookSecret);
  test.each([
    ['missing', () => ({})],
    ['empty', () => ({ 'stripe-signature': '' })],
    ['no signature', () => ({ 'stripe-signature': 'zzz' })],
    ['without a moment', () => ({ 'stripe-signature': good().replace(/^t=\d+,/, '') })],
    ['without a hash', () => ({ 'stripe-signature': `t=${now()}` })],
    ['with an empty hash', () => ({ 'stripe-signature': `t=${now()},v1=` })],
    ['of another scheme alone', () => ({ 'stripe-signature': good().replace('v1=', 'v0=') })],
    ['of letters as long as a hash', () => ({ 'stripe-signature': `t=${now()},v1=${'é'.repeat(64)}` })],
    ['by another secret', () => ({ 'stripe-signature': signPayload(body, 'whsec_another') })],
    ['by no secret', () => ({ 'stripe-signature': signPayload(body, '') })],
    ['301 seconds old', () => signed(body, 'stripe-signature', now() - 302)],
    [
      'redated',
      () => ({
        'stripe-signature': signPayload(body, webhookSecret, now() - 400).replace(/^t=\d+/, `t=${now()}`),
      }),
    ],
    ['wrong in both headers', () => ({ 'stripe-signature': 'zzz', 'payment-signature': 'zzz' })],
  ])('%s', async (_what, headers) => {
    expect(await send(body, headers())).toEqual(refused);
  });

  test.each(['', 'zzz'])(
    'C 3: «%s» in the one header beside a good one in the other does not matter',
    async (other) => {
      const good = signed(body, 'stripe-signature')['stripe-signature'] as string;
      for (const headers of [
        { 'stripe-signature': good, 'payment-signature': other },
        { 'stripe-signature': other, 'payment-signature': good },
      ])
        expect((await send(body, headers)).slice(0, 1)).toEqual([200]);
    },
  );

  test('but not for one of 290 seconds, nor for the right one beside another secret’s', async () => {
    expect(await send(body, signed(body, 'stripe-signature', now() - 290))).toEqual(taken);
    const two = `${signPayload(body, webhookSecret)},v1=${'0'.repeat(64)}`;
    expect(await send(body, { 'stripe-signature': two })).toEqual(taken);
    expect(await send(body, { ...signed(body, 'payment-signature'), 'stripe-signature': 'zzz' })).toEqual(
      taken,
    );
  });
});

test('A 9 rule 5: the webhook ignores versions', async () => {
  const body = JSON.stringify(topUpEvent('nobody'));
  const response = await billing.app.request('/api/stripe/webhook?api-version=nonsense', {
    method: 'POST',
    body,
    headers: { ...signed(body), 'x-api-version': '1999-01-01' },
  });
  expect([response.status, response.headers.get('x-api-version')]).toEqual([200, null]);
});

test('a signed body that is not an event is refused', async () => {
  for (const body of ['{', '5', '[]', '{"id": "evt_1"}'])
    expect(await send(body, signed(body))).toEqual([
      400,
      { detail: expect.stringMatching(/^invalid JSON body: /) },
    ]);
});

test('A 8: a body over the ceiling is refused, before its signature is looked at', async () => {
  const body = ' '.repeat(10_000_001);
  expect((await send(body, signed(body)))[0]).toBe(413);
  expect((await send(`{"note": "${'x'.repeat(100_000)}"}`, {}))[0]).toBe(400);
});

test('the three others are off', async () => {
  const { headers } = await billing.app.signUp();
  for (const path of ['checkout', 'topup', 'portal'])
    expect(await billing.app.json('POST', `/api/billing/${path}`, { headers })).toMatchObject({
      status: 503,
      body: { detail: 'billing is not enabled' },
    });
});
