import { describe, expect, test } from 'vitest';
import { signedHeaders } from '#cli/relay/delivery.ts';
import { verifyWebhook, WebhookError } from '#sdk/index.ts';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
const event = {
  type: 'review.approved',
  timestamp: '2026-11-01T12:00:00.000Z',
  data: { id: '0c7e', resource: 'translation', resource_id: '01a2', status: 'approved' },
};
const body = JSON.stringify(event);
const now = () => Math.floor(Date.now() / 1000);
/** The headers that the relay sends. */
const headersAt = (timestamp: number, keys: Uint8Array[] = [key]) =>
  signedHeaders(keys, 'event-1', timestamp, body);

describe('a webhook of the relay', () => {
  test('is verified with one of several secrets, in the forms that frameworks give', async () => {
    const expected = { id: 'event-1', ...event };
    const headers = headersAt(now(), [Buffer.alloc(32, 1), key]);
    const mixed = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name.replace('webhook', 'Webhook').replace('id', 'ID'),
        value,
      ]),
    );
    for (const secrets of [secret, [other, secret]])
      for (const form of [headers, new Headers(headers), mixed])
        for (const content of [body, new TextEncoder().encode(body)])
          expect(await verifyWebhook({ headers: form, body: content }, secrets)).toEqual(expected);
  });

  test.each<[string, Record<string, string>, string]>([
    ['another secret', headersAt(now(), [Buffer.alloc(32, 1)]), body],
    ['a changed body', headersAt(now()), body.replace('approved', 'rejected')],
    ['another ID', { ...headersAt(now()), 'webhook-id': 'event-2' }, body],
    ['another time', { ...headersAt(now()), 'webhook-timestamp': String(now() - 1) }, body],
    ['an old request', headersAt(now() - 400), body],
    ['a request of the future', headersAt(now() + 400), body],
    ['no time', { ...headersAt(now()), 'webhook-timestamp': 'soon' }, body],
    ['no signature', { 'webhook-id': 'event-1', 'webhook-timestamp': String(now()) }, body],
    [
      'an unknown version',
      {
        ...headersAt(now()),
        'webhook-signature': headersAt(now())['webhook-signature']!.replace('v1', 'v2'),
      },
      body,
    ],
    ['a signature that is not base64', { ...headersAt(now()), 'webhook-signature': 'v1,§§' }, body],
  ])('with %s is rejected', async (_, headers, content) => {
    await expect(verifyWebhook({ headers, body: content }, secret)).rejects.toThrow(WebhookError);
  });

  test('needs a secret, and may be older if the receiver allows it', async () => {
    await expect(verifyWebhook({ headers: headersAt(now()), body }, '')).rejects.toThrow(TypeError);
    const headers = headersAt(now() - 400);
    expect(await verifyWebhook({ headers, body }, secret, { toleranceSeconds: 500 })).toMatchObject({
      id: 'event-1',
    });
  });
});
