import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { deepArrays, env, expectHarmless, HELLO, named, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, jsonHeaders, expectAlive } = wireTo(app, () => tenant);
const GET = '/trpc/translations.get';

describe('hostile superjson', () => {
  test.each([
    ['values with __proto__ paths', '{"values":{"__proto__.polluted":["undefined"]}}'],
    ['values with constructor paths', '{"values":{"constructor.prototype.polluted":["Date"]}}'],
    ['an unknown custom type', '{"values":{"source_text":[["custom","Nothing"]]}}'],
    ['an unknown class', '{"values":{"source_text":[["class","Object"]]}}'],
    ['text as a date', '{"values":{"source_text":["Date"]}}'],
    ['text as a regular expression', '{"values":{"source_text":["regexp"]}}'],
    ['a path into a string', '{"values":{"source_text.0.1":["Date"]}}'],
    ['the root as a map', '{"values":["map"]}'],
    ['equalities with __proto__', '{"referentialEqualities":{"metadata":["__proto__.polluted"]}}'],
    ['equalities in a circle', '{"referentialEqualities":{"metadata":["metadata.a","metadata.a.b"]}}'],
    ['values of a wrong type', '{"values":"text"}'],
    ['deep values', `{"values":${deepArrays}}`],
    ['deep paths', `{"values":{"${'a.'.repeat(20_000)}b":["Date"]}}`],
    ['meta as an array', '[]'],
  ])('as meta, %s is harmless', async (_name, meta) => {
    const body = `{"json":{"source_text":"Hi","target_lang":"fr","metadata":{"a":{}}},"meta":${meta}}`;
    const answer = await send('POST', '/trpc/translations.create', { body, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([200, 400, 422]).toContain(answer.status);
    if (answer.status === 200) {
      const { id } = JSON.parse(answer.text).result.data.json;
      expect((await send('GET', `${PATH}/${id}`, { headers: tenant.headers })).status).toBe(200);
    }
    if (meta.length > 3000) return;
    const json = `{"json":{"job_id":"x"},"meta":${meta.replaceAll('source_text', 'job_id')}}`;
    const query = await send('GET', `${GET}?input=${encodeURIComponent(json)}`, { headers: tenant.headers });
    expectHarmless(query);
    expect([400, 404, 422]).toContain(query.status);
  });

  test.each(['', 'null', '{"json":{"job_id":"\\u0000"}}', '{"json":{"__proto__":{"job_id":"x"}}}', '{'])(
    'the input %s of a query is refused',
    async (input) => {
      const path = `${GET}?input=${encodeURIComponent(input)}`;
      const answer = await send('GET', path, { headers: tenant.headers });
      expectHarmless(answer);
      expect([400, 404, 422]).toContain(answer.status);
    },
  );

  const addresses = [
    '/trpc',
    '/trpc/__proto__',
    '/trpc/translations.constructor.prototype',
    '/trpc/_def.procedures',
    '/trpc/%E0%A4%A',
    `/trpc/${'a'.repeat(5000)}`,
    `${GET}?input=%zz`,
    `${GET}?input={}&input={}`,
    `${GET}?batch=1&input=${encodeURIComponent('{"0":null,"__proto__":{"polluted":1}}')}`,
    `/trpc/${'translations.get,'.repeat(300)}translations.get?batch=1`,
    '/trpc/,,,,?batch=1',
    '/trpc/translations.create',
  ];
  test.each(named(...addresses))('GET %s is refused', async (_title, path) => {
    const answer = await send('GET', path, { headers: jsonHeaders() });
    expectHarmless(answer);
    expect(answer.status).toBeGreaterThanOrEqual(207);
  });

  test.each(['multipart/form-data', 'application/octet-stream', 'nonsense'])(
    'a body of content type %s is harmless',
    async (type) => {
      const headers = { ...tenant.headers, 'content-type': type };
      for (const body of [`{"json":${HELLO}}`, '', '--x\r\n\r\n--x--'])
        expectHarmless(await send('POST', '/trpc/translations.create', { body, headers }));
    },
  );

  test('a header that asks for a stream has no effect', async () => {
    const headers = { ...tenant.headers, 'trpc-accept': 'application/jsonl' };
    const path = `/trpc/translations.get,system.health?batch=1&input=${encodeURIComponent('{}')}`;
    const answer = await send('GET', path, { headers });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/"stack"|(\n|\\n)\s+at |node_modules/);
  });

  test('afterwards the service still responds', async () => {
    await expectAlive();
  });
});
