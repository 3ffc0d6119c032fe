import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { deepArrays, env, expectHarmless, expectRefusal, PATH, wireTo } from './wire.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const { send, post, jsonHeaders, expectAlive } = wireTo(app, () => tenant);

const RPC = '/trpc/translations.create';
const withMetadata = (json: string) => `{"source_text":"Hi","target_lang":"fr","metadata":${json}}`;
const withText = (json: string) => `{"source_text":${json},"target_lang":"fr"}`;
const manyKeys = Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join(',');
const invalidUtf8 = Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xf0, 0x9f]);

/** Hostile bodies, and the statuses that REST may return for each. */
const hostile: [name: string, body: string | Buffer, ...statuses: number[]][] = [
  ['NUL in the text', withText('"a\\u0000b"'), 422],
  ['NUL in a metadata key', withMetadata('{"a\\u0000b":1}'), 422],
  ['NUL deep in metadata', withMetadata('{"a":[{"b":["\\u0000"]}]}'), 422],
  ['an escaped backslash before u0000', withMetadata('{"a":"\\\\u0000"}'), 200],
  ['a lone surrogate in the text', withText('"a\\ud800b"'), 422],
  ['a lone surrogate in a metadata key', withMetadata('{"\\ud800":1}'), 422],
  ['noncharacters and controls', withText('"\\uffff\\ufffe\\u0001\\u001f\\u007f\\u2028"'), 200],
  ['10,000 nested arrays in metadata', withMetadata(`{"a":${deepArrays}}`), 400, 422],
  ['10,000 nested arrays as the body', deepArrays, 400, 422],
  ['100,000 open brackets', '['.repeat(100_000), 400],
  ['50,000 metadata keys', withMetadata(`{${manyKeys}}`), 413, 422],
  ['__proto__ in metadata', withMetadata('{"__proto__":{"polluted":"yes"},"kept":1}'), 422],
  ['constructor in metadata', withMetadata('{"constructor":{"prototype":{"polluted":"yes"}}}'), 422],
  ['the fields inside __proto__', '{"__proto__":{"source_text":"Hi","target_lang":"fr"}}', 400, 422],
  ['infinite numbers in metadata', withMetadata('{"a":[1e999]}'), 422],
  ['odd values under the keys we read', withMetadata('{"debate_rounds":[],"candidate_models":7}'), 200],
  ['duplicate keys', '{"source_text":1,"source_text":"Two","target_lang":"fr"}', 200],
  ['SQL', `{"source_text":"'; drop table users; --","target_lang":"fr","domain":"' or '1'='1"}`, 200],
  ['invalid UTF-8', Buffer.concat([Buffer.from(withText('"a')).subarray(0, 17), invalidUtf8]), 400],
  ['UTF-16', Buffer.from(`\ufeff${withText('"Hi"')}`, 'utf16le'), 400],
];

describe('hostile bodies', () => {
  const newest = async () =>
    JSON.parse((await send('GET', `${PATH}?limit=1`, { headers: tenant.headers })).text);

  test.each(hostile)(
    'over REST, %s is refused or stored as it can be read again',
    async (_, body, ...statuses) => {
      const before = await newest();
      const answer = await post(body);
      expectHarmless(answer);
      expect(statuses, answer.text.slice(0, 300)).toContain(answer.status);
      if (answer.status !== 200) {
        expectRefusal(answer, answer.status);
        expect(await newest()).toEqual(before);
        return;
      }
      const job = JSON.parse(answer.text);
      const read = await send('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
      expect(JSON.parse(read.text)).toEqual(job);
      expect(await newest()).toEqual([job]);
    },
  );

  test.each(hostile)('over /trpc, %s is harmless, wrapped as an input or not', async (_, body) => {
    const wrapped = Buffer.concat([Buffer.from('{"json":'), Buffer.from(body), Buffer.from('}')]);
    for (const sent of [wrapped, body]) {
      const answer = await send('POST', RPC, { body: sent, headers: jsonHeaders() });
      expectHarmless(answer);
      expect([200, 400, 413, 422]).toContain(answer.status);
    }
  });

  test('afterwards the service still responds', async () => {
    await expectAlive();
  });
});
