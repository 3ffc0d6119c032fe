import { expect, test } from 'vitest';
import { env, signUpFounder, submit } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });

test('`fields` selects the fields of a response, and of each object of a list', async () => {
  const founder = await signUpFounder(app);
  const id = await submit(app, founder, { source_text: 'Hello' });
  const get = async (path: string) => {
    const { status, body, headers } = await app.json('GET', path, { headers: founder.bearer });
    expect(headers.get('x-ignored-parameters')).toBeNull();
    return [status, body];
  };
  const chosen = { id, status: 'published', published_text: '[fr] Hello' };
  const fields = 'fields=published_text,status,id';
  expect(await get(`/api/translations/${id}?${fields}`)).toEqual([200, chosen]);
  expect(await get(`/api/translations?limit=1&${fields}`)).toEqual([200, [chosen]]);
  expect(await get('/api/documents?fields=id')).toEqual([200, []]);
});

test.each(['', 'ids', 'id,', 'id, status', '__proto__', 'constructor'])(
  '`fields=%s` is 422 and names the fields',
  async (names) => {
    const founder = await signUpFounder(app);
    const path = `/api/translations?fields=${encodeURIComponent(names)}`;
    const { status, body } = await app.json('GET', path, { headers: founder.bearer });
    const problem = {
      loc: ['query', 'fields'],
      msg: expect.stringContaining('published_text'),
      type: 'invalid_value',
    };
    expect([status, body.detail]).toEqual([422, [problem]]);
  },
);

test('`fields` is ignored, and named, if the response is a file', async () => {
  const founder = await signUpFounder(app);
  const id = await submit(app, founder, { source_text: 'Hello' });
  const path = `/api/translations/${id}/golden?fields=id`;
  const response = await app.request(path, { headers: founder.bearer });
  expect([response.status, response.headers.get('x-ignored-parameters')]).toEqual([200, 'fields']);
});
