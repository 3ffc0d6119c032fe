import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument, Operation } from '#rest/openapi/document.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
let document: OpenApiDocument;
let operations: Operation[];
let headers: Record<string, string>;
let job: string;

beforeAll(async () => {
  document = (await app.json('GET', '/openapi.json')).body;
  operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  ({ headers } = await app.signUp());
  job = (await translate('Hello', 'order-1')).body.id;
  await app.json('POST', `/api/translations/${job}/review`, { headers, body: { action: 'approve' } });
  await translate('Good morning', 'order-2');
});

type Method = 'get' | 'post';
type Case = [name: string, value: string, method: Method, path: string, send: () => Promise<Headers>];
const [texts, one] = ['/api/translations', '/api/translations/{job_id}'];
const get = async (path: string, more = {}) =>
  (await app.request(path, { headers: { ...headers, ...more } })).headers;
const cases: Case[] = [
  ['Idempotency-Replayed', 'true', 'post', texts, async () => (await translate('Hello', 'order-1')).headers],
  [
    'Idempotency-Request-Differs',
    'true',
    'post',
    texts,
    async () => (await translate('Bye', 'order-1')).headers,
  ],
  ['Idempotency-Key-Ignored', 'true', 'post', `${one}/review`, () => review()],
  ['X-Ignored-Parameters', 'verbose', 'get', texts, () => get(`${texts}?verbose=1`)],
  [
    'X-Ignored-Parameters',
    'verbose',
    'post',
    texts,
    async () => (await translate('Hi', 'order-3', '?verbose=1')).headers,
  ],
  ['X-Next-Cursor', '', 'get', texts, () => get(`${texts}?limit=1`)],
  ['X-Suggested-Filename', '.fr.txt', 'get', `${one}/golden`, () => get(`${texts}/${job}/golden`)],
];

describe('a header that a response carries is declared there', () => {
  test.each(cases)('%s: %s at %s %s', async (name, value, method, path, send) => {
    expect((await send()).get(name)).toContain(value);
    expect(Object.keys(document.paths[path]?.[method]?.responses['200']?.headers ?? {})).toContain(name);
  });
});

describe('a header is declared only where it can occur', () => {
  test('of the headers of keys, each writing operation has those of one kind', () => {
    const keyed = new Set<string>();
    for (const { operationId, responses } of operations)
      for (const [status, { headers: declared = {} }] of Object.entries(responses)) {
        if ('Idempotency-Replayed' in declared) keyed.add(`${operationId} ${status}`);
        expect('Idempotency-Request-Differs' in declared).toBe('Idempotency-Replayed' in declared);
        expect('Idempotency-Replayed' in declared && 'Idempotency-Key-Ignored' in declared).toBe(false);
      }
    expect([...keyed].sort()).toEqual([
      'documents.translate 200',
      'documents.translate 202',
      'translations.create 200',
      'translations.create 202',
    ]);
  });

  test('Retry-After at each 429 and 503, and at no other status', () => {
    for (const { operationId, responses } of operations)
      for (const [status, { headers: declared = {} }] of Object.entries(responses))
        expect('Retry-After' in declared, `${operationId} ${status}`).toBe(['429', '503'].includes(status));
  });
});

function translate(source_text: string, key: string, query = '') {
  return app.json('POST', `${texts}${query}`, {
    headers: { ...headers, 'idempotency-key': key },
    body: { source_text, target_lang: 'fr' },
  });
}

async function review(): Promise<Headers> {
  const path = `${texts}/${job}/review`;
  const body = { action: 'modify', final_translation: 'Bonjour', reviewer: 'Rev' };
  return (await app.json('POST', path, { headers: { ...headers, 'idempotency-key': 'review-1' }, body }))
    .headers;
}
