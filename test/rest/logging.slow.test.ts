import { connect as connectSocket } from 'node:net';
import superjson from 'superjson';
import { expect, test } from 'vitest';
import { failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { startLoggedService } from '#test/setup/logged-service.ts';

/** Settings that are secrets themselves. */
const secretSettings = {
  OPERATOR_API_KEY: 'operator-key-never-logged',
  SERVICE_API_KEY: 'service-key-never-logged',
  STRIPE_SECRET_KEY: 'stripe-key-never-logged',
  STRIPE_WEBHOOK_SECRET: 'webhook-secret-never-logged',
  SECRETS_KEY: Buffer.alloc(32, 'never logged').toString('base64'),
  SECRETS_KEY_PREVIOUS: Buffer.alloc(32, 'never logged either').toString('base64'),
};

/** Sends bytes as they are, and waits for the end of the response. */
function sendRaw(address: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    const socket = connectSocket(Number(port), hostname, () => socket.end(bytes));
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.resume();
  });
}

test('C 7: no secret that is sent or issued, and no text, is logged, even at the lowest level', async () => {
  const app = await startLoggedService({ LOG_LEVEL: 'trace', ...secretSettings });
  const password = 'correct-horse-never-logged';
  const { apiKey, accessToken, headers } = await app.signUp({ password });
  const text = { source_text: 'A confidential sentence, never logged.', target_lang: 'fr' };
  const bearer = { authorization: `Bearer ${accessToken}` };

  // Requests that succeed.
  const job = await app.json('POST', '/api/translations', { headers, body: text });
  expect(job.status).toBe(200);
  const list = await app.json('GET', '/api/translations?limit=5&token=query-never-logged', {
    headers: bearer,
  });
  expect(list.status).toBe(200);
  await app.json('POST', '/trpc/translations.create', { headers: bearer, body: superjson.serialize(text) });

  // Requests that are refused, once at each check that can refuse them.
  const refused: [number, Promise<{ status: number }>][] = [
    [
      400,
      app.json('POST', '/api/translations', { headers, body: '{"source_text": "broken-body-never-logged' }),
    ],
    [401, app.json('GET', '/api/translations', { headers: { 'x-api-key': 'wrong-key-never-logged' } })],
    [
      401,
      app.json('GET', '/api/translations', { headers: { authorization: 'Bearer wrong-token-never-logged' } }),
    ],
    [404, app.json('GET', '/path-never-logged?token=query-never-logged')],
    [404, app.json('POST', '/trpc/procedure-never-logged?token=query-never-logged', { body: {} })],
    [
      422,
      app.json('POST', '/api/translations', { headers, body: { ...text, target_lang: 'xx-never-logged' } }),
    ],
    [422, app.json('POST', '/api/translations', { headers, body: { ...text, tone: ['tone-never-logged'] } })],
    [
      422,
      app.json('POST', '/api/auth/signup/email', {
        body: { email: 1, password: 'unused-password-never-logged' },
      }),
    ],
    [
      400,
      app.json('POST', '/api/auth/signup/email', {
        body: { tenant_name: 'X', email: 'not-an-address', password: 'unused-password-never-logged' },
      }),
    ],
  ];
  for (const [status, answer] of refused) expect((await answer).status).toBe(status);
  await sendRaw(app.address, 'GET /?token=raw-never-logged HTTP/1.1\r\nX-Api-Key raw-never-logged\r\n\r\n');

  // A request that fails unexpectedly, with all secrets among the parameters of a statement.
  const sql = openSuperuser(app.superuserUrl);
  await sql`alter table translation_jobs rename to mislaid_jobs`;
  expect((await app.json('POST', '/api/translations', { headers, body: text })).status).toBe(500);
  await sql`alter table credential_directory rename to mislaid_directory`;
  expect((await app.json('GET', '/api/translations', { headers })).status).toBe(500);
  const signup = { tenant_name: 'Later', email: 'later@example.org', password };
  expect((await app.json('POST', '/api/auth/signup/email', { body: signup })).status).toBe(500);

  const log = await app.finish();
  // It has logged each request by its route pattern, and each failure by its code.
  expect(log).toContain('"route":"/api/translations"');
  expect(log).toContain('"route":"/api/auth/signup/email"');
  expect(log).toContain('unexpected failure');
  expect(log).toContain('42P01');

  expect(log).not.toMatch(/never-logged|never logged/i);
  expect(log).not.toContain('confidential');
  const { SECRETS_KEY, SECRETS_KEY_PREVIOUS } = secretSettings;
  for (const secret of [apiKey, accessToken, SECRETS_KEY, SECRETS_KEY_PREVIOUS])
    expect(log).not.toContain(secret);
  // The log has neither the stored forms of the secrets nor the failed statement.
  expect(log).not.toMatch(/\$argon2|later@example\.org|insert into|refresh_token=/i);
});

test('a failed run is logged with its cause, without text of the upstream or the caller', async () => {
  await using upstream = await startFakeOpenAi();
  upstream.otherwise(failure(401, { code: 'invalid_api_key', message: 'sentence-never-logged' }));
  const app = await startLoggedService({
    LOG_LEVEL: 'trace',
    ...secretSettings,
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
  expect(log).not.toMatch(/never-logged|never logged|confidential/i);
});
