import { describe, expect, test } from 'vitest';
import { env, signUpFounder } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });

describe('/trpc in plain JSON', () => {
  test('a call with a plain input gets a plain response, and one in superjson gets superjson', async () => {
    const { key: headers } = await signUpFounder(app);
    const text = { source_text: 'Hello', target_lang: 'fr' };
    const create = (body: unknown) => app.json('POST', '/trpc/translations.create', { headers, body });
    const plain = await create(text);
    expect(plain.body).toMatchObject({ result: { data: { published_text: '[fr] Hello', warnings: [] } } });
    const wrapped = await create({ json: text });
    expect(wrapped.body).toMatchObject({ result: { data: { json: { published_text: '[fr] Hello' } } } });
  });

  test('a query is a GET with the input in the URL, or a POST with the input as its body', async () => {
    const { bearer: headers } = await signUpFounder(app);
    const body = { limit: 1 };
    const input = encodeURIComponent(JSON.stringify(body));
    const got = await app.json('GET', `/trpc/audit.list?input=${input}`, { headers });
    const posted = await app.json('POST', '/trpc/audit.list', { headers, body });
    expect(got.status).toBe(200);
    expect(got.body.result.data.events).toHaveLength(1);
    expect(posted.body).toEqual(got.body);
    expect((await app.json('POST', '/trpc/audit.list', { headers, body: { limit: 'x' } })).body).toEqual({
      error: expect.objectContaining({
        data: expect.objectContaining({ httpStatus: 422, error_code: 'invalid_fields' }),
      }),
    });
    expect((await app.json('GET', '/trpc/translations.create', { headers })).status).toBe(405);
  });

  test('names the fields that the procedure does not have, as REST does', async () => {
    const { bearer, key } = await signUpFounder(app);
    const named = async (path: string, headers: Record<string, string>, body: unknown) =>
      (await app.json('POST', path, { headers, body })).headers.get('x-ignored-parameters');
    expect(await named('/trpc/audit.list', bearer, { limt: 1, json_: {} })).toBe('limt, json_');
    const text = { source_text: 'Hello', target_lang: 'fr' };
    expect(await named('/api/translations', key, { ...text, ton: 'formal', 'ü\n': 1 })).toBe(
      'ton, %C3%BC%0A',
    );
    expect(await named('/api/translations', key, text)).toBeNull();
    expect(
      await named('/api/translations', key, {
        inputs: [{ Text: 'a', Targets: [{ Language: 'fr', Ton: 1 }] }],
      }),
    ).toBe('inputs%5B0%5D.Targets%5B0%5D.Ton');
  });

  test.each([['[]'], ['"text"'], ['7'], ['null'], ['{'], ['{"json":1,"meta":{"values":["Date"]}}']])(
    'the input %s is 400',
    async (body) => {
      const { bearer } = await signUpFounder(app);
      const response = await app.request('/trpc/audit.list', {
        ...{ method: 'POST', body },
        headers: { ...bearer, 'content-type': 'application/json' },
      });
      expect(response.status).toBe(400);
      const { error } = (await response.json()) as { error: { json: { data: object } } };
      expect(error.json.data).toMatchObject(refusalOf(expect.any(String)));
    },
  );
});
