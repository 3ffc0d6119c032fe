import { expect, test } from 'vitest';
import { failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { startLoggedService } from '#test/setup/logged-service.ts';

test('a failed run is logged with its cause, and its response with the dependency, without text of the upstream or the caller', async () => {
  await using upstream = await startFakeOpenAi();
  upstream.otherwise(failure(401, { code: 'invalid_api_key', message: 'sentence-never-logged' }));
  const app = await startLoggedService({
    LOG_LEVEL: 'trace',
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    OPENAI_API_KEY: 'upstream-key-never-logged',
    OPENAI_BASE_URL: upstream.baseUrl,
  });
  const { headers } = await app.signUp();
  const body = { source_text: 'A confidential sentence, never logged.', target_lang: 'fr' };
  const answer = await app.json('POST', '/api/translations', { headers, body });
  expect(answer.status).toBe(503);
  const log = await app.finish();
  const line = log.split('\n').find((text) => text.includes('a run failed'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    level: 40,
    job_id: expect.any(String),
    request_id: answer.headers.get('x-request-id'),
  });
  expect(line).toMatch(/401/);
  expect(line).toContain('invalid_api_key');
  const responses = log.split('\n').filter((text) => text.includes('"status":503'));
  expect(responses.map((text) => JSON.parse(text))).toMatchObject([{ level: 40, dependency: 'model' }]);
  expect(log).not.toMatch(/never-logged|never logged|confidential/i);
});
