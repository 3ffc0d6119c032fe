import { brotliCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createOpenAiEngine } from '#server/platform/engines/openai/openai-engine.ts';
import { readSettings } from '#server/settings.ts';
import { serveHttp } from '#test/fakes/http-server.ts';
import { translation } from '#test/fakes/openai.ts';
import { plain, scope, useFakeUpstream } from './live-engine.ts';

/** An engine whose endpoint responds to each call with this body. */
async function engineAt(body: Buffer, headers: Record<string, string> = {}, status = 200) {
  let calls = 0;
  const { url, close } = await serveHttp((_request, response) => {
    calls += 1;
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  onTestFinished(close);
  const settings = readSettings({
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MAX_RETRIES: '0',
  });
  return {
    translate: () =>
      createOpenAiEngine({ ...settings, OPENAI_API_KEY: 'key' }).translate(plain, { tenantId: 't' }),
    calls: () => calls,
  };
}

const answer = (text: string) =>
  Buffer.from(
    JSON.stringify({
      choices: [
        {
          finish_reason: 'stop',
          message: { content: JSON.stringify({ translations: [{ id: 1, text }] }) },
        },
      ],
    }),
  );

const malformed = { code: 'transient_error', message: expect.stringContaining('no usable response') };

test('a response that is far longer than any translation is malformed', async () => {
  const { translate } = await engineAt(answer('x'.repeat(300_000)));
  await expect(translate()).rejects.toMatchObject(malformed);
});

test('a response of megabytes is cut off while it comes, packed or not', async () => {
  const huge = answer('x'.repeat(30_000_000));
  for (const [body, headers] of [
    [huge, {}],
    [brotliCompressSync(huge), { 'content-encoding': 'br' }],
  ] as [Buffer, Record<string, string>][]) {
    const { translate } = await engineAt(body, headers);
    await expect(translate()).rejects.toMatchObject(malformed);
  }
});

test('a redirect is not followed: it would carry the key along', async () => {
  const { translate, calls } = await engineAt(Buffer.from(''), { location: '/elsewhere' }, 307);
  await expect(translate()).rejects.toMatchObject({ code: expect.stringMatching(/transient|unavailable/) });
  expect(calls()).toBe(1);
});

const upstream = useFakeUpstream();

test.each([
  ['7', -3],
  [1.5, null],
  [1e300, {}],
])('invalid counts, such as %j and %j, count as no tokens', async (prompt_tokens, completion_tokens) => {
  upstream.fake.enqueue(translation('Hallo', { usage: { prompt_tokens, completion_tokens } as never }));
  const answer = await upstream.engine().translate(plain, scope);
  expect(answer).toMatchObject({ value: ['Hallo'], inputTokens: 0, outputTokens: 0 });
});
