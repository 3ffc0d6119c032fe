import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOpenAiEmbedder } from '#server/platform/engines/openai/embedder.ts';
import { SettingsError } from '#server/settings.ts';
import { agreeable, raw } from '#test/fakes/openai.ts';
import { eachRole, failed, plain, scope, settings, useFakeUpstream } from './live-engine.ts';

/** The identity of an App Service, which @azure/identity uses if IDENTITY_ENDPOINT is set. */
const upstream = useFakeUpstream();
const asked: URLSearchParams[] = [];
const token = {
  access_token: 'a-token-of-entra',
  expires_on: String(Math.floor(Date.now() / 1000) + 3600),
  resource: 'https://cognitiveservices.azure.com',
  token_type: 'Bearer',
};
let answer: { status: number; body: object } = {
  status: 400,
  body: { error: 'invalid_request', error_description: 'Identity not found' },
};

const endpoint = createServer((request, response) => {
  asked.push(new URL(request.url ?? '', 'http://x').searchParams);
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer.body));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  process.env['IDENTITY_ENDPOINT'] = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`;
  process.env['IDENTITY_HEADER'] = 'the-endpoint-wants-this';
});
afterAll(() => {
  delete process.env['IDENTITY_ENDPOINT'];
  delete process.env['IDENTITY_HEADER'];
  endpoint.close();
});

/** A process keeps a token until it expires, so this file has one test with a token. */
test('with the key "entra", each request has the token of the deployment’s identity', async () => {
  upstream.fake.otherwise(agreeable);
  const engine = upstream.engine({ OPENAI_API_KEY: 'entra', OPENAI_MAX_RETRIES: 0 });
  const error = await failed(engine.translate(plain, scope));
  expect([error.code, error.retryAfter]).toEqual(['transient_error', 5]);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/Identity not found|the-endpoint-wants/);
  expect(upstream.fake.requests).toEqual([]);

  answer = { status: 200, body: token };
  for (const [, call] of eachRole) await call(engine);
  const embedder = createOpenAiEmbedder({
    ...settings,
    OPENAI_API_KEY: 'entra',
    OPENAI_BASE_URL: upstream.fake.baseUrl,
    OPENAI_EMBEDDING_MODEL: 'vectors-1',
    OPENAI_MAX_RETRIES: 0,
  });
  upstream.fake.otherwise(raw(200, '{"data":[{"embedding":[1,2]}]}'));
  await embedder.embed(['one'], scope);
  expect(upstream.fake.requests).toHaveLength(eachRole.length + 1);
  for (const { headers } of upstream.fake.requests) {
    expect(headers.authorization).toBe(`Bearer ${token.access_token}`);
    expect(headers).not.toHaveProperty('api-key');
  }
  // The first one failed.
  expect(asked).toHaveLength(2);
  expect(asked[0]?.get('resource')).toMatch(/^https:\/\/cognitiveservices\.azure\.com\/?$/);
});

test.each([undefined, 'http://resource.openai.azure.com/openai/v1', 'http://127.0.0.1.example.org/v1'])(
  'no token goes to %s: the process does not start',
  (url) => {
    const open = () => upstream.engine({ OPENAI_API_KEY: 'entra', OPENAI_BASE_URL: url });
    expect(open).toThrow(SettingsError);
    expect(open).toThrow(/"entra" requires the https URL of an Azure OpenAI endpoint/);
  },
);
