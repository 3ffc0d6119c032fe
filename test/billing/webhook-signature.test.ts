import { describe, expect, test } from 'vitest';
import { signPayload } from '#test/fakes/stripe.ts';
import { refusalOf } from '#test/setup/app.ts';
import { topUpEvent, useBillingApp, webhookSecret } from './billing-app.ts';

const billing = useBillingApp({ BILLING_ENABLED: 'false', STRIPE_SECRET_KEY: '', STRIPE_API_URL: '' });

type Body = string | Uint8Array<ArrayBuffer>;
const refused = [400, refusalOf('invalid webhook signature')];
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

/** A delivery that credits a top-up to a new tenant, and a function that returns whether it was credited. */
async function newTopUp() {
  const { tenantId } = await billing.app.signUp();
  const event = topUpEvent(tenantId);
  const purchased = async () => (await billing.stored(tenantId)).metadata['topup_chars_purchased'];
  return { event, body: JSON.stringify(event), purchased };
}

describe('the webhook works with its secret alone, without a key and with billing off (A 4.5)', () => {
  test.each(['payment-signature', 'stripe-signature'])('accepts %s', async (header) => {
    const { body, purchased } = await newTopUp();
    expect(await send(body, signed(body, header))).toEqual(taken);
    expect(await purchased()).toBe(1_000_000);
  });
});

describe('the signature covers the raw bytes', () => {
  test('accepts bytes that differ from reserialized JSON', async () => {
    const { event, purchased } = await newTopUp();
    const body = `  ${JSON.stringify(event, null, 3).replaceAll('"', '\u0022').replace('evt_', 'evt\\u005f')}\r\n`;
    expect(JSON.stringify(JSON.parse(body))).not.toBe(body);
    expect(await send(body, signed(body))).toEqual(taken);
    expect(await purchased()).toBe(1_000_000);
  });

  test.each(['application/json', 'multipart/form-data; boundary=x', 'no type at all'])(
    'ignores the declared type: %s',
    async (type) => {
      const { body, purchased } = await newTopUp();
      expect(await send(body, { ...signed(body), 'content-type': type })).toEqual(taken);
      expect(await purchased()).toBe(1_000_000);
    },
  );

  test('rejects a body with a changed byte', async () => {
    const { body, purchased } = await newTopUp();
    const headers = signed(body);
    const bytes = Buffer.from(body);
    for (const at of [0, 1, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      expect(await send(changed, headers)).toEqual(refused);
    }
    expect(await send(`${body} `, headers)).toEqual(refused);
    expect(await send(body.slice(0, -1), headers)).toEqual(refused);
    expect(await purchased()).toBeUndefined();
  });

  test('rejects bytes that are not UTF-8 but decode to the signed text', async () => {
    const { event } = await newTopUp();
    const text = JSON.stringify({ ...event, note: '\u{fffd}' });
    const bytes = Buffer.from(JSON.stringify({ ...event, note: '?' }));
    bytes[bytes.lastIndexOf('?')] = 0xff;
    expect(await send(Uint8Array.from(bytes), signed(text))).toEqual(refused);
  });
});

describe('rejects a signature that is', () => {
  const body = JSON.stringify(topUpEvent('nobody'));
  const now = () => Math.floor(Date.now() / 1000);
  const good = () => signPayload(body, webhookSecret);
  test.each([
    ['missing', () => ({})],
    ['no signature', () => ({ 'stripe-signature': 'zzz' })],
    ['without a moment', () => ({ 'stripe-signature': good().replace(/^t=\d+,/, '') })],
    ['without a hash', () => ({ 'stripe-signature': `t=${now()}` })],
    ['of another scheme alone', () => ({ 'stripe-signature': good().replace('v1=', 'v0=') })],
    ['of letters as long as a hash', () => ({ 'stripe-signature': `t=${now()},v1=${'é'.repeat(64)}` })],
    ['by another secret', () => ({ 'stripe-signature': signPayload(body, 'whsec_another') })],
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

  test.each(['', 'zzz'])('accepts a valid signature in one header with «%s» in the other', async (other) => {
    const good = signed(body, 'stripe-signature')['stripe-signature'] as string;
    for (const headers of [
      { 'stripe-signature': good, 'payment-signature': other },
      { 'stripe-signature': other, 'payment-signature': good },
    ])
      expect((await send(body, headers)).slice(0, 1)).toEqual([200]);
  });

  test('accepts one of 290 seconds, and a valid one next to another secret’s', async () => {
    expect(await send(body, signed(body, 'stripe-signature', now() - 290))).toEqual(taken);
    const two = `${signPayload(body, webhookSecret)},v1=${'0'.repeat(64)}`;
    expect(await send(body, { 'stripe-signature': two })).toEqual(taken);
    expect(await send(body, { ...signed(body, 'payment-signature'), 'stripe-signature': 'zzz' })).toEqual(
      taken,
    );
  });
});

test('rejects a signed body that is not an event', async () => {
  for (const body of ['{', '5', '[]', '{"id": "evt_1"}'])
    expect(await send(body, signed(body))).toEqual([
      400,
      refusalOf(expect.stringMatching(/^invalid JSON body/)),
    ]);
});

test('rejects a body over the limit before it checks the signature', async () => {
  const body = ' '.repeat(10_000_001);
  expect((await send(body, signed(body)))[0]).toBe(413);
  expect((await send(`{"note": "${'x'.repeat(100_000)}"}`, {}))[0]).toBe(400);
});
