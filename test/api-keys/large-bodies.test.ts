import { request } from 'node:http';
import { expect, test } from 'vitest';
import { addKey, env, found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });

test('a key that lacks the scope is rejected before a large body is read', async () => {
  const { api_key } = await addKey(app, await found(app), { scopes: ['read'] });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request(`${app.address}/api/translations`, {
    method: 'POST',
    headers: { 'x-api-key': api_key, 'content-type': 'application/json', 'content-length': '200000' },
  });
  sent.on('error', reject);
  sent.on('response', async (response) => {
    const text = (await response.setEncoding('utf8').toArray()).join('');
    resolve({ status: response.statusCode ?? 0, text });
  });
  // The rest of the body is never sent.
  sent.write('{"source_text": "');
  const { status, text } = await promise;
  sent.destroy();
  expect([status, JSON.parse(text).detail]).toEqual([403, 'this API key lacks the scope translate']);
});
