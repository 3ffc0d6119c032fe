import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createOpenAiEmbedder } from '#server/platform/engines/openai/embedder.ts';
import { SettingsError } from '#server/settings.ts';
import { useTokenEndpoint } from '#test/fakes/azure-identity.ts';
import { agreeable, raw } from '#test/fakes/openai.ts';
import { eachRole, failed, plain, scope, settings, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();
const identity = useTokenEndpoint();
const token = {
  access_token: 'a-token-of-entra',
  expires_on: String(Math.floor(Date.now() / 1000) + 3600),
  resource: 'https://cognitiveservices.azure.com',
  token_type: 'Bearer',
};
/** A process keeps a token until it expires, so this file has one test with a token. */
test('with the key "entra", each request has the token of the deployment’s identity', async () => {
  upstream.fake.otherwise(agreeable);
  identity.answer = {
    status: 400,
    body: { error: 'invalid_request', error_description: 'Identity not found' },
  };
  const engine = upstream.engine({ OPENAI_API_KEY: 'entra', OPENAI_MAX_RETRIES: 0 });
  const error = await failed(engine.translate(plain, scope));
  expect([error.code, error.retryAfter]).toEqual(['transient_error', 5]);
  expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/Identity not found|the-endpoint-wants/);
  expect(upstream.fake.requests).toEqual([]);

  identity.answer = { status: 200, body: token };
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
  expect(identity.asked).toHaveLength(2);
  expect(identity.asked[0]?.query.get('resource')).toMatch(/^https:\/\/cognitiveservices\.azure\.com\/?$/);
});

test.each([undefined, 'http://resource.openai.azure.com/openai/v1', 'http://127.0.0.1.example.org/v1'])(
  'no token goes to %s: the process does not start',
  (url) => {
    const open = () => upstream.engine({ OPENAI_API_KEY: 'entra', OPENAI_BASE_URL: url });
    expect(open).toThrow(SettingsError);
    expect(open).toThrow(/"entra" requires the https URL of an Azure OpenAI endpoint/);
  },
);
