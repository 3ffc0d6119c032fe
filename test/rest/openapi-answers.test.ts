import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { appRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
let document: OpenApiDocument;

beforeAll(async () => {
  document = (await app.json('GET', '/openapi.json')).body;
});

describe('the real answers are as the document says', () => {
  test('a signup, and one that is refused', async () => {
    const path = '/api/auth/signup/email';
    const body = { tenant_name: 'W', email: 'openapi@example.org', password: 'a long enough passphrase' };
    expectDocumented('post', path, await app.json('POST', path, { body }), 200);
    expectDocumented('post', path, await app.json('POST', path, { body: {} }), 422);
    expectDocumented('post', path, await app.json('POST', path, { body: '{' }), 400);
  });

  test('a translation, its job, the list of jobs', async () => {
    const { headers } = await app.signUp();
    const path = '/api/translations';
    const body = { source_text: 'Hello', target_lang: 'fr' };
    const created = await app.json('POST', path, { headers, body });
    expectDocumented('post', path, created, 200);
    const job = await app.json('GET', `${path}/${created.body.id}`, { headers });
    expectDocumented('get', `${path}/{job_id}`, job, 200);
    const list = await app.json('GET', path, { headers });
    expect(list.body).toHaveLength(1);
    expectDocumented('get', path, list, 200);
  });

  test('every shape of refusal: 401, 404, and both kinds of 422', async () => {
    const { headers } = await app.signUp();
    const path = '/api/translations';
    expectDocumented('get', path, await app.json('GET', path), 401);
    expectDocumented('get', `${path}/{job_id}`, await app.json('GET', `${path}/none`, { headers }), 404);
    expectDocumented('get', path, await app.json('GET', `${path}?limit=0`, { headers }), 422);
    const body = { source_text: 'Hello', target_lang: 'tlh' };
    const refused = await app.json('POST', path, { headers, body });
    expect(refused.body.detail).toBeTypeOf('string');
    expectDocumented('post', path, refused, 422);
  });

  test('liveness', async () => {
    expectDocumented('get', '/healthz', await app.json('GET', '/healthz'), 200);
  });
});

test('building the document changes no schema: RPC still refuses what a query string would pass', async () => {
  const { headers } = await app.signUp();
  const asText = encodeURIComponent(JSON.stringify({ json: { limit: '5' } }));
  const before = await app.json('GET', `/trpc/translations.list?input=${asText}`, { headers });
  buildOpenApiDocument(appRouter);
  const after = await app.json('GET', `/trpc/translations.list?input=${asText}`, { headers });
  expect([before.status, after.status]).toEqual([422, 422]);
  expect((await app.json('GET', '/api/translations?limit=5', { headers })).status).toBe(200);
});

/** Against the document with its objects closed: a field that the document does not know fails too. */
function expectDocumented(
  method: string,
  path: string,
  answer: { status: number; body: unknown },
  status: number,
): void {
  expect(answer.status).toBe(status);
  const documented = document.paths[path]?.[method as 'get']?.responses ?? {};
  const response = documented[status] ? status : 'default';
  const ajv = new Ajv2020({ strict: false, formats: { date: true, 'date-time': /^[\d-]{10}T[\d:.]+Z$/ } });
  ajv.addSchema(closeObjects(document), 'document');
  const place = ['paths', path, method, 'responses', response, 'content', 'application/json', 'schema'];
  const pointer = place.map((part) => encodeURIComponent(String(part).replaceAll('/', '~1'))).join('/');
  ajv.validate({ $ref: `document#/${pointer}` }, answer.body);
  expect(ajv.errors, ajv.errorsText()).toBeNull();
}

function closeObjects(value: object): object {
  return JSON.parse(JSON.stringify(value), (_key, part) =>
    part?.properties && !part.additionalProperties ? { ...part, additionalProperties: false } : part,
  );
}
