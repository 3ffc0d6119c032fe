import { describe, expect, test, vi } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { emptyInputs, endpoints } from './many-problems.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', STRIPE_WEBHOOK_SECRET: 'whsec_test' },
});

const json = { 'content-type': 'application/json' };

async function post(path: string, body: string | FormData, headers: Record<string, string> = json) {
  const answer = await app.request(path, { method: 'POST', headers, body });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into any response
  return { status: answer.status, bytes: text.length, body: JSON.parse(text) as any };
}

describe.each(endpoints)('$path', ({ path, wrap }) => {
  const detailOf = (body: { detail?: unknown; error?: { json: { data: { detail: unknown } } } }) =>
    body.detail ?? body.error?.json.data.detail;

  test('a body above 100 KB without a usable credential is 401 before it is parsed', async () => {
    for (const headers of [
      json,
      { ...json, 'x-api-key': 'nobody' },
      { ...json, authorization: 'Bearer no' },
    ]) {
      const { status, bytes } = await post(path, wrap(emptyInputs(290_000)), headers);
      expect([status, bytes < 1000]).toEqual([401, true]);
      // The response is not about invalid JSON, because a body of this size is not parsed.
      expect((await post(path, '{'.repeat(102_401), headers)).status).toBe(401);
    }
  });

  test('with a credential it is 413 by the number of its inputs, which are not read', async () => {
    const { headers } = await app.signUp();
    const answer = await post(path, wrap(emptyInputs(290_000)), { ...json, ...headers });
    expect(answer.status).toBe(413);
    expect(detailOf(answer.body)).toBe('batch exceeds MAX_BATCH_ITEMS');
    expect(answer.bytes).toBeLessThan(1000);
  });

  test('a validation error has at most 20 entries; the last says how many more there are', async () => {
    const { headers } = await app.signUp();
    const { status, body } = await post(path, wrap(`{"inputs":[${'{},'.repeat(49)}{}]}`), {
      ...json,
      ...headers,
    });
    expect(status).toBe(422);
    const detail = detailOf(body) as unknown[];
    expect(detail).toHaveLength(20);
    expect(detail[0]).toMatchObject({ loc: ['body', 'inputs', 0, 'Text'], msg: expect.any(String) });
    expect(detail[19]).toEqual({
      loc: ['body'],
      msg: '81 further problems are not listed',
      type: 'too_many_problems',
    });
  });
});

test('a large file without a credential is 401 before it is read, as the body itself and in a form', async () => {
  const raw = { 'content-type': 'text/plain', 'x-source-filename': 'a.txt' };
  expect((await post('/api/translations?target_lang=fr', 'x'.repeat(200_000), raw)).status).toBe(401);
  for (const path of ['/api/translations', '/api/tm', '/api/terminology']) {
    const form = new FormData();
    form.set('source_document', new File(['x'.repeat(200_000)], 'a.unknown'));
    expect((await post(path, form, {})).status).toBe(401);
  }
});

test.each([
  ['/api/auth/signup/email', 102_401, 'request body exceeds 102400 bytes'],
  ['/trpc/auth.signUpWithEmail', 102_401, 'request body exceeds 102400 bytes'],
  ['/api/oauth2/token', 65_537, 'request body exceeds 65536 bytes'],
  ['/api/stripe/webhook', 1_000_001, 'request body exceeds 1000000 bytes'],
])('%s, which needs no credential, accepts no body of %d bytes', async (path, bytes, detail) => {
  const { status, body } = await post(path, '{'.repeat(bytes));
  expect([status, JSON.stringify(body)]).toEqual([413, expect.stringContaining(detail)]);
});

test('the message of a problem does not repeat what was sent at length', async () => {
  const { accessToken, tenantId } = await app.signUp();
  const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]));
  const answer = await app.request('/api/tenants/security', {
    method: 'PATCH',
    headers: { ...json, authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ ...fields, tenant_id: tenantId }),
  });
  expect(answer.status).toBe(422);
  expect((await answer.text()).length).toBeLessThan(1000);
});

describe('the credential lookup of a large body', () => {
  const submit = (headers: Record<string, string>, bytes: number) =>
    app.json('POST', '/api/translations', {
      headers,
      body: JSON.stringify({ source_text: 'Hello', target_lang: 'fr' }).padEnd(bytes),
    });

  test('costs small bodies nothing, and large ones one transaction', async () => {
    const { headers } = await app.signUp();
    const opened = vi.spyOn(app.services.database, 'inTenantOfCredential');
    const count = async (bytes: number) => {
      opened.mockClear();
      expect((await submit(headers, bytes)).status).toBe(200);
      return opened.mock.calls.length;
    };
    const small = await count(99_000);
    expect(await count(102_400)).toBe(small);
    expect(await count(102_401)).toBe(small + 1);
    vi.restoreAllMocks();
  });
});
