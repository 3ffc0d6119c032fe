import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema, OpenApiDocument } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { runImport } from '#server/language/translation-memory/imports/run-import.ts';
import { appRouter } from '#server/router.ts';
import type { Fields } from '#test/factories.ts';
import { documentForm, glossaryForm, memoryForm } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

// With this setting, a file with two units is imported in the background.
const app = useTestApp({ env: { TM_ASYNC_THRESHOLD: '1' } });
let document: OpenApiDocument;

beforeAll(async () => {
  document = (await app.json('GET', '/openapi.json')).body;
});

describe('the real responses match the document', () => {
  test('a signup, and one that is refused', async () => {
    const path = '/api/auth/signup/email';
    const body = { tenant_name: 'W', email: 'openapi@example.org', password: 'a long enough passphrase' };
    expectDocumented('post', path, await app.json('POST', path, { body }), 200);
    expectDocumented('post', path, await app.json('POST', path, { body: {} }), 422);
    expectDocumented('post', path, await app.json('POST', path, { body: '{' }), 400);
  });

  test('an unknown name in `fields` is a documented 422', async () => {
    const { headers, accessToken } = await app.signUp();
    const path = '/api/auth/me';
    const ask = (headers: Record<string, string>) => app.json('GET', `${path}?fields=none`, { headers });
    expectDocumented('get', path, await ask({ authorization: `Bearer ${accessToken}` }), 422);
    expectDocumented('get', path, await ask(headers), 401);
    const selecting = Object.values(document.paths).flatMap(({ get }) =>
      get?.parameters?.some(({ name }) => name === 'fields') ? [get] : [],
    );
    expect(selecting.filter(({ responses }) => !responses['422'])).toEqual([]);
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

  test('a glossary, a set of a memory, and their lists', async () => {
    const { headers } = await app.signUp();
    const post = (path: string, fields: Fields) => sendForm(path, fields, headers);
    expectDocumented('post', '/api/terminology', await post('/api/terminology', glossaryForm()), 200);
    expectDocumented('post', '/api/tm', await post('/api/tm', memoryForm()), 200);
    const forms = { '/api/terminology': glossaryForm(), '/api/tm': memoryForm() };
    for (const [path, form] of Object.entries(forms)) {
      const list = await app.json('GET', path, { headers });
      expect(list.body).toHaveLength(1);
      expectDocumented('get', path, list, 200);
      expectDocumented('post', path, await post(path, {}), 400);
      expectDocumented('post', path, await post(path, { ...form, target_lang: 'tlh' }), 422);
      expectDocumented('post', path, await sendForm(path, form, {}), 401);
    }
  });

  test('an import that continues, and one that has ended', async () => {
    const { headers, tenantId } = await app.signUp();
    const [path, one, list] = ['/api/tm', '/api/tm/imports/{job_id}', '/api/tm/imports'];
    const accepted = await sendForm(path, memoryForm(2), headers);
    expectDocumented('post', path, accepted, 202);
    const { poll_url, job } = accepted.body;
    expectDocumented('post', path, await sendForm(path, memoryForm(2), headers), 409);
    expectDocumented('get', one, await app.json('GET', poll_url, { headers }), 200);
    await runImport(app.services, tenantId, job.id);
    const ended = await app.json('GET', poll_url, { headers });
    expect(ended.body.job).toMatchObject({ status: 'completed', result: { imported: 2 } });
    expectDocumented('get', one, ended, 200);
    expectDocumented('get', list, await app.json('GET', list, { headers }), 200);
  });

  test('a document: queued, waited for, read, reviewed, approved, deleted', async () => {
    const { headers, accessToken } = await app.signUp();
    const [path, one] = ['/api/documents', '/api/documents/{document_id}'];
    const translate = `${path}/translate`;
    expectDocumented('post', translate, await sendForm(translate, documentForm(), headers), 202);
    expectDocumented('post', translate, await sendForm(translate, {}, headers), 400);
    const form = documentForm({ wait: '1' });
    const done = await sendForm(translate, form, headers);
    expectDocumented('post', translate, done, 200);
    const at = (route = '') => `${path}/${done.body.id}${route}`;
    const get = (route: string) => app.json('GET', route, { headers });
    expectDocumented('get', path, await get(path), 200);
    expectDocumented('get', `${path}/summary`, await get(`${path}/summary`), 200);
    expectDocumented('get', one, await get(at()), 200);
    const segments = await get(at('/segments'));
    expectDocumented('get', `${one}/segments`, segments, 200);
    expectDocumented('get', `${one}/segments`, await get(at('/segments?limit=0')), 422);
    expectDocumented('get', `${one}/artifacts`, await get(at('/artifacts')), 200);
    const { region_id, cell_id } = segments.body.segments[0];
    const post = (route: string, body: Fields) => app.json('POST', at(route), { headers, body });
    const corrections = [{ region_id, cell_id, target_text: 'Bonjour' }];
    expectDocumented('post', `${one}/review`, await post('/review', { corrections }), 200);
    const unknown = [{ region_id: 'nowhere', target_text: 'Bonjour' }];
    expectDocumented('post', `${one}/review`, await post('/review', { corrections: unknown }), 422);
    expectDocumented('post', `${one}/approve`, await post('/approve', { reviewer: 'Rev' }), 200);
    const admin = { authorization: `Bearer ${accessToken}` };
    expectDocumented('delete', one, await app.json('DELETE', at(), { headers: admin }), 200);
    expectDocumented('get', one, await get(at()), 404);
  });

  test('each shape of refusal: 401, 404, and both kinds of 422', async () => {
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
});

test('building the document changes no schema: tRPC still refuses query-string types', async () => {
  const { headers } = await app.signUp();
  const asText = encodeURIComponent(JSON.stringify({ json: { limit: '5' } }));
  const before = await app.json('GET', `/trpc/translations.list?input=${asText}`, { headers });
  buildOpenApiDocument(appRouter);
  const after = await app.json('GET', `/trpc/translations.list?input=${asText}`, { headers });
  expect([before.status, after.status]).toEqual([422, 422]);
  expect((await app.json('GET', '/api/translations?limit=5', { headers })).status).toBe(200);
});

async function sendForm(path: string, fields: Fields, headers: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value as Blob);
  const response = await app.request(path, { method: 'POST', headers, body: form });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Validates a response against the document. Objects are closed, so an undocumented field is an error. */
function expectDocumented(
  method: string,
  path: string,
  answer: { status: number; body: unknown },
  status: number,
): void {
  expect(answer.status).toBe(status);
  const documented = document.paths[path]?.[method as 'get']?.responses ?? {};
  expect(Object.keys(documented)).toContain(String(status));
  const ajv = new Ajv2020({ strict: false, formats: { date: true, 'date-time': /^[\d-]{10}T[\d:.]+Z$/ } });
  ajv.addSchema(closeObjects(document), 'document');
  const place = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
  const pointer = place.map((part) => encodeURIComponent(String(part).replaceAll('/', '~1'))).join('/');
  ajv.validate({ $ref: `document#/${pointer}` }, answer.body);
  expect(ajv.errors, ajv.errorsText()).toBeNull();
}

/** Closes all objects in the document. Components that are combined with `allOf` become one object. */
function closeObjects(value: OpenApiDocument): object {
  return JSON.parse(JSON.stringify(value), (_key, part) => {
    if (Array.isArray(part?.allOf)) return closed(mergeObjects(part.allOf));
    return part?.properties && !part.additionalProperties ? closed(part) : part;
  });

  function mergeObjects(parts: JsonSchema[]): JsonSchema {
    const objects = parts.map(({ $ref, ...own }) => {
      const named = value.components.schemas[$ref?.split('/').at(-1) ?? ''];
      return JSON.parse(JSON.stringify(named ?? own)) as JsonSchema;
    });
    return {
      type: 'object',
      properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
      required: objects.flatMap(({ required = [] }) => required),
    };
  }
}

function closed(schema: JsonSchema): JsonSchema {
  return { ...schema, additionalProperties: false };
}
