import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { deepArrays, env, expectHarmless, HELLO, named, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

describe('hostile superjson', () => {
  const meta: [string, string][] = [
    ['values with __proto__ paths', '{"values":{"__proto__.polluted":["undefined"]}}'],
    ['values with constructor paths', '{"values":{"constructor.prototype.polluted":["Date"]}}'],
    ['values with prototype paths', '{"values":{"prototype.polluted":["Date"]}}'],
    ['an unknown custom type', '{"values":{"source_text":[["custom","Nothing"]]}}'],
    ['an unknown class', '{"values":{"source_text":[["class","Object"]]}}'],
    ['an unknown symbol', '{"values":{"source_text":[["symbol","x"]]}}'],
    ['an unknown type', '{"values":{"source_text":["no-such-type"]}}'],
    ['text as a bigint', '{"values":{"source_text":["bigint"]}}'],
    ['text as a date', '{"values":{"source_text":["Date"]}}'],
    ['text as a regular expression', '{"values":{"source_text":["regexp"]}}'],
    ['text as a set', '{"values":{"source_text":["set"]}}'],
    ['text as a map', '{"values":{"source_text":["map"]}}'],
    ['text as a URL', '{"values":{"source_text":["URL"]}}'],
    ['text as an error', '{"values":{"source_text":["Error"]}}'],
    ['text as a typed array', '{"values":{"source_text":[["typed-array","Uint8Array"]]}}'],
    ['text undefined', '{"values":{"source_text":["undefined"]}}'],
    ['a path to nowhere', '{"values":{"nowhere.at.all":["Date"]}}'],
    ['a path into a string', '{"values":{"source_text.0.1":["Date"]}}'],
    ['the root as a set', '{"values":["set"]}'],
    ['the root as a map', '{"values":["map"]}'],
    ['equalities with __proto__', '{"referentialEqualities":{"metadata":["__proto__.polluted"]}}'],
    ['equalities in a circle', '{"referentialEqualities":{"metadata":["metadata.a","metadata.a.b"]}}'],
    ['equalities at the root', '{"referentialEqualities":[["source_text"]]}'],
    ['equalities to nowhere', '{"referentialEqualities":{"a.b.c":["d.e.f"]}}'],
    ['values of a wrong type', '{"values":"text"}'],
    ['values as numbers', '{"values":[1,2,3]}'],
    ['deep values', `{"values":${deepArrays}}`],
    ['deep paths', `{"values":{"${'a.'.repeat(20_000)}b":["Date"]}}`],
    ['meta as text', '"meta"'],
    ['meta as null', 'null'],
    ['meta as an array', '[]'],
    ['a version from the future', '{"v":99,"values":{}}'],
  ];

  test.each(meta)('meta: %s', async (_name, value) => {
    const body = `{"json":{"source_text":"Hi","target_lang":"fr","metadata":{"a":{}}},"meta":${value}}`;
    const answer = await send('POST', '/trpc/translations.create', { body, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([200, 400, 422]).toContain(answer.status);
    if (answer.status === 200) {
      const job = JSON.parse(answer.text).result.data.json;
      const read = await send('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
      expectHarmless(read);
      expect(read.status).toBe(200);
    }
  });

  test.each(meta.filter(([, value]) => value.length < 3000))('meta of a query: %s', async (_name, value) => {
    const json = value.replaceAll('source_text', 'job_id');
    const input = encodeURIComponent(`{"json":{"job_id":"${'0'.repeat(32)}"},"meta":${json}}`);
    const answer = await send('GET', `/trpc/translations.get?input=${input}`, { headers: tenant.headers });
    expectHarmless(answer);
    expect([400, 404, 422]).toContain(answer.status);
  });

  test.each([
    '',
    'null',
    '{}',
    '{"json":null}',
    '{"json":{}}',
    '{"json":[]}',
    '{"json":{"job_id":42}}',
    '{"json":{"job_id":"\\u0000"}}',
    '{"json":{"job_id":"\\ud800"}}',
    '{"json":{"__proto__":{"job_id":"x"}}}',
    'nonsense',
    '{',
    '[]',
    '"',
  ])('input of a query: %s', async (input) => {
    const answer = await send('GET', `/trpc/translations.get?input=${encodeURIComponent(input)}`, {
      headers: tenant.headers,
    });
    expectHarmless(answer);
    expect([400, 404, 422]).toContain(answer.status);
  });

  const id = encodeURIComponent(JSON.stringify({ json: { job_id: '0'.repeat(32) } }));

  const endpoints: [method: string, path: string][] = [
    ['GET', '/trpc/'],
    ['GET', '/trpc'],
    ['GET', '/trpc/__proto__'],
    ['GET', '/trpc/constructor'],
    ['GET', '/trpc/translations.__proto__'],
    ['GET', '/trpc/translations.constructor.prototype'],
    ['GET', '/trpc/translations'],
    ['GET', '/trpc/translations.get.call'],
    ['GET', '/trpc/_def.procedures'],
    ['GET', '/trpc/toString'],
    ['GET', '/trpc/%00'],
    ['GET', '/trpc/%'],
    ['GET', '/trpc/%E0%A4%A'],
    ['GET', '/trpc/..%2f..%2fhealthz'],
    ['GET', `/trpc/${'a'.repeat(5000)}`],
    ['GET', `/trpc/translations.get?input=%00`],
    ['GET', `/trpc/translations.get?input=%E0%A4%A`],
    ['GET', `/trpc/translations.get?input=%zz`],
    ['GET', `/trpc/translations.get?input=${id}&input=${id}`],
    ['GET', `/trpc/translations.get?batch=1&input=nonsense`],
    [
      'GET',
      `/trpc/translations.get?batch=1&input=${encodeURIComponent('{"0":null,"__proto__":{"polluted":1}}')}`,
    ],
    ['GET', `/trpc/${'translations.get,'.repeat(300)}translations.get?batch=1`],
    ['GET', '/trpc/,,,,?batch=1'],
    ['GET', '/trpc/translations.create'],
    ['POST', '/trpc/translations.get'],
    ['POST', '/trpc/system.health'],
    ['PUT', '/trpc/translations.create'],
    ['DELETE', '/trpc/translations.create'],
    ['PATCH', '/trpc/system.health'],
  ];

  test.each(endpoints.map(([method, path]) => [method, ...named(path)[0]!] as const))(
    '%s %s',
    async (method, _title, path) => {
      const answer = await send(method, path, {
        headers: jsonHeaders(),
        ...(method === 'POST' && { body: '{"json":null}' }),
      });
      expectHarmless(answer);
      expect(answer.status).toBeGreaterThanOrEqual(207);
    },
  );

  test.each([
    'text/plain',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'nonsense',
    'application/jsonl',
  ])('content type %s on a procedure', async (type) => {
    for (const body of [`{"json":${HELLO}}`, '', '--x\r\n\r\n--x--', '\0']) {
      const answer = await send('POST', '/trpc/translations.create', {
        body,
        headers: { ...tenant.headers, 'content-type': type },
      });
      expectHarmless(answer);
    }
  });

  test('a header that asks for a stream has no effect', async () => {
    const answer = await send(
      'GET',
      `/trpc/translations.get,system.health?batch=1&input=${encodeURIComponent('{}')}`,
      {
        headers: { ...tenant.headers, 'trpc-accept': 'application/jsonl' },
      },
    );
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/"stack"|(\n|\\n)\s+at |node_modules/);
  });

  test('system.health responds over /trpc', async () => {
    const { status, body } = await app.json('GET', '/trpc/system.health');
    expect(status).toBe(200);
    expect(body.result.data.json.status).toBe('ok');
  });

  test('afterwards the service still responds', async () => {
    await expectAlive();
  });
});
