import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { deepArrays, env, expectHarmless, expectRefusal, HELLO, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, post, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

const deepObjects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
const withMetadata = (json: string) => `{"source_text":"Hi","target_lang":"fr","metadata":${json}}`;
const withText = (json: string) => `{"source_text":${json},"target_lang":"fr"}`;

/** Bodies that parse, and the responses that each may get, if the rules leave no doubt. */
const hostile: [name: string, body: string | Buffer, ...statuses: number[]][] = [
  ['NUL in the text', withText('"a\\u0000b"')],
  ['NUL alone as the text', withText('"\\u0000"')],
  ['NUL in the target language', '{"source_text":"Hi","target_lang":"f\\u0000r"}', 422],
  ['NUL in the source language', '{"source_text":"Hi","target_lang":"fr","source_lang":"en\\u0000"}', 422],
  ['NUL in the idempotency key', '{"source_text":"Hi","target_lang":"fr","idempotency_key":"a\\u0000b"}'],
  ['NUL in the domain', '{"source_text":"Hi","target_lang":"fr","domain":"legal\\u0000"}'],
  ['NUL in tone and gender', '{"source_text":"Hi","target_lang":"fr","tone":"\\u0000","gender":"\\u0000"}'],
  [
    'NUL in the inert fields',
    '{"source_text":"Hi","target_lang":"fr","deployment_name":"\\u0000","adaptive_dataset_id":"\\u0000"}',
  ],
  ['NUL in a metadata key', withMetadata('{"a\\u0000b":1}')],
  ['NUL in a metadata value', withMetadata('{"a":"\\u0000"}')],
  ['NUL deep in metadata', withMetadata('{"a":[{"b":["\\u0000"]}]}')],
  ['an escaped backslash before u0000', withMetadata('{"a":"\\\\u0000"}'), 200],
  ['a lone high surrogate in the text', withText('"a\\ud800b"')],
  ['a lone low surrogate in the text', withText('"\\udc00"')],
  ['reversed surrogates in the text', withText('"\\ude00\\ud83d"')],
  ['a lone surrogate in a metadata key', withMetadata('{"\\ud800":1}')],
  ['a lone surrogate in a metadata value', withMetadata('{"a":["\\udfff"]}')],
  ['a lone surrogate in the key', '{"source_text":"Hi","target_lang":"fr","idempotency_key":"\\ud800"}'],
  ['a lone surrogate in the language', '{"source_text":"Hi","target_lang":"\\ud800"}', 422],
  ['a lone surrogate in the domain', '{"source_text":"Hi","target_lang":"fr","domain":"\\udbff"}'],
  ['noncharacters and controls', withText('"\\uffff\\ufffe\\u0001\\u001f\\u007f\\u2028"'), 200],
  ['10,000 nested arrays in metadata', withMetadata(`{"a":${deepArrays}}`)],
  ['10,000 nested objects in metadata', withMetadata(deepObjects)],
  ['10,000 nested arrays as the body', deepArrays, 400, 422],
  ['10,000 nested objects as the body', deepObjects, 400, 422],
  ['10,000 nested arrays as the text', withText(deepArrays), 400, 422],
  ['100,000 open brackets', '['.repeat(100_000), 400],
  ['100,000 open objects', '{"a":'.repeat(100_000), 400],
  [
    '50,000 metadata keys',
    withMetadata(`{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`),
  ],
  ['a metadata key of a million characters', withMetadata(`{"${'k'.repeat(1_000_000)}":1}`)],
  ['__proto__ in metadata', withMetadata('{"__proto__":{"polluted":"yes"},"kept":1}')],
  ['__proto__ deep in metadata', withMetadata('{"a":{"__proto__":{"polluted":"yes"}}}')],
  [
    '__proto__ with flags in metadata',
    withMetadata('{"__proto__":{"sensitive":true,"min_quality_score":100}}'),
  ],
  ['constructor in metadata', withMetadata('{"constructor":{"prototype":{"polluted":"yes"}}}')],
  [
    'prototype in metadata',
    withMetadata('{"prototype":{"polluted":"yes"},"toString":1,"valueOf":2,"toJSON":3}'),
  ],
  ['__proto__ at the top', '{"source_text":"Hi","target_lang":"fr","__proto__":{"polluted":"yes"}}'],
  [
    'constructor at the top',
    '{"source_text":"Hi","target_lang":"fr","constructor":{"prototype":{"polluted":"yes"}}}',
  ],
  ['the fields inside __proto__', '{"__proto__":{"source_text":"Hi","target_lang":"fr"}}', 400, 422],
  [
    'the metadata inside __proto__',
    '{"source_text":"Hi","target_lang":"fr","__proto__":{"metadata":{"a":1}}}',
  ],
  ['1e999 in metadata', withMetadata('{"a":1e999,"b":-1e999}')],
  ['1e999 as min_quality_score', withMetadata('{"min_quality_score":1e999}')],
  ['-1e999 as min_quality_score', withMetadata('{"min_quality_score":-1e999}')],
  ['numbers beyond every precision', withMetadata(`{"a":${'9'.repeat(5000)},"b":1e-999,"c":-0,"d":1e308}`)],
  [
    'a huge loop count',
    withMetadata('{"max_quality_loop_retries":1e308,"debate_rounds":1e308,"candidate_models":"a"}'),
  ],
  [
    'odd values under the keys we read',
    withMetadata(
      '{"min_quality_score":"x","max_quality_loop_retries":{},"debate_rounds":[],"candidate_models":7}',
    ),
  ],
  [
    'objects under the keys we read',
    withMetadata('{"min_quality_score":{"valueOf":1},"candidate_models":{"split":1},"sensitive":{}}'),
  ],
  [
    'null under the keys we read',
    withMetadata(
      '{"min_quality_score":null,"max_quality_loop_retries":null,"candidate_models":null,"debate_rounds":null}',
    ),
  ],
  [
    '10,000 candidate models',
    withMetadata(`{"candidate_models":[${Array.from({ length: 10_000 }, () => '"m"').join(',')}]}`),
  ],
  ['a number as the text', withText('1e999'), 422],
  ['duplicate keys', '{"source_text":"One","source_text":"Two","target_lang":"de","target_lang":"fr"}'],
  [
    'duplicate keys of two types',
    '{"source_text":1,"source_text":"Two","target_lang":"fr","target_lang":null}',
  ],
  ['an empty object', '{}', 422],
  ['unknown fields', '{"source_text":"Hi","target_lang":"fr","status":"published","id":"x","tenant_id":"x"}'],
  [
    'SQL in every string',
    `{"source_text":"'; drop table users; --","target_lang":"fr","domain":"' or '1'='1","tone":"\\");"}`,
    200,
  ],
  [
    'invalid UTF-8 in the text',
    Buffer.concat([
      Buffer.from('{"source_text":"a'),
      Buffer.from([0xff, 0xfe, 0xc0, 0x80]),
      Buffer.from('b","target_lang":"fr"}'),
    ]),
  ],
  [
    'a cut UTF-8 sequence',
    Buffer.concat([
      Buffer.from('{"source_text":"'),
      Buffer.from([0xf0, 0x9f, 0x98]),
      Buffer.from('","target_lang":"fr"}'),
    ]),
  ],
  [
    'UTF-8 surrogates',
    Buffer.concat([
      Buffer.from('{"source_text":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('","target_lang":"fr"}'),
    ]),
  ],
  [
    'invalid UTF-8 in a key',
    Buffer.concat([
      Buffer.from('{"'),
      Buffer.from([0xff]),
      Buffer.from('":1,"source_text":"Hi","target_lang":"fr"}'),
    ]),
  ],
  ['UTF-16', Buffer.from(`\ufeff${HELLO}`, 'utf16le'), 400],
  ['random bytes', Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7919) % 256)), 400],
];

describe('hostile bodies', () => {
  let target: Signup;
  beforeAll(async () => {
    target = await app.signUp();
  });
  const newest = async () => {
    const answer = await send('GET', `${PATH}?limit=1`, { headers: target.headers });
    expectHarmless(answer);
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text);
  };

  test.each(hostile)('POST /api/translations: %s', async (_name, body, ...statuses) => {
    const before = await newest();
    const answer = await send('POST', PATH, {
      body,
      headers: { 'content-type': 'application/json', ...target.headers },
    });
    expectHarmless(answer);
    expect(statuses.length > 0 ? statuses : [200, 400, 413, 422]).toContain(answer.status);
    if (answer.status !== 200) {
      expectRefusal(answer, answer.status);
      expect(await newest()).toEqual(before);
      return;
    }
    // What was accepted can be read again, alike on every route.
    const job = JSON.parse(answer.text);
    expect(['published', 'awaiting_review']).toContain(job.status);
    const read = await send('GET', `${PATH}/${job.id}`, { headers: target.headers });
    expectHarmless(read);
    expect(JSON.parse(read.text)).toEqual(job);
    expect(await newest()).toEqual([job]);
  });

  test.each(hostile)('POST /trpc/translations.create: %s', async (_name, body) => {
    const wrapped = Buffer.concat([Buffer.from('{"json":'), Buffer.from(body), Buffer.from('}')]);
    const answer = await send('POST', '/trpc/translations.create', { body: wrapped, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([200, 400, 413, 422]).toContain(answer.status);
  });

  test.each(hostile)('POST /trpc/translations.create, not wrapped: %s', async (_name, body) => {
    const answer = await send('POST', '/trpc/translations.create', { body, headers: jsonHeaders() });
    expectHarmless(answer);
    expect([400, 413, 422]).toContain(answer.status);
  });

  test('metadata named __proto__ changes nothing and reveals nothing', async () => {
    const answer = await post(withMetadata('{"__proto__":{"sensitive":true}}'));
    if (answer.status === 200) expect(JSON.parse(answer.text).status).toBe('published');
  });

  const strings = [
    '"a\\u0000b"',
    '"\\ud800"',
    '1e999',
    deepArrays,
    deepObjects,
    '{"__proto__":{"polluted":1}}',
    '""',
    'null',
    'true',
  ];
  const signup = (field: string, value: string) => {
    const fields: Record<string, string> = {
      tenant_name: '"Hostile"',
      email: '"hostile@example.org"',
      password: '"a long enough passphrase"',
      [field]: value,
    };
    return `{${Object.entries(fields)
      .map(([name, json]) => `"${name}":${json}`)
      .join(',')}}`;
  };

  test.each([
    'tenant_name',
    'email',
    'password',
    'monthly_char_limit',
    'metadata',
    'invite_token',
    '__proto__',
    'constructor',
  ])('POST /api/auth/signup/email and its procedure: odd values of %s', async (field) => {
    const values = [
      ...strings,
      '{"a\\u0000b":1}',
      '{"a":"\\u0000"}',
      '{"a":"\\ud800"}',
      '{"__proto__":{"pay_tier":"pro"}}',
      '99999999999999999999999999',
      '1e308',
      '2147483648',
      '-2147483649',
      `"${'x'.repeat(1_000_000)}"`,
    ];
    for (const value of values) {
      const body = signup(field, value);
      const rest = await send('POST', '/api/auth/signup/email', {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expectHarmless(rest);
      expect([200, 400, 413, 422], `${field} ${value.slice(0, 50)}`).toContain(rest.status);
      const rpc = await send('POST', '/trpc/auth.signUpWithEmail', {
        body: `{"json":${body}}`,
        headers: { 'content-type': 'application/json' },
      });
      expectHarmless(rpc);
      expect([200, 400, 413, 422], `${field} ${value.slice(0, 50)}`).toContain(rpc.status);
    }
  });

  test('afterwards the service still responds', async () => {
    await expectAlive();
  });
});
