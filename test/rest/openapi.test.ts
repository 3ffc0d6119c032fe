import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema, OpenApiDocument, Operation } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';
import { successes, withoutExamples } from './openapi-structure.ts';
import { specifiedPaths } from './specified-paths.ts';

const app = useTestApp();
/** As it is served, and without its examples. */
let served: OpenApiDocument;
let document: OpenApiDocument;
let operations: [string, Operation][];

beforeAll(async () => {
  served = (await app.json('GET', '/openapi.json')).body;
  document = withoutExamples(served);
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
});

describe('GET /openapi.json', () => {
  test('A 1 rule 6: an OpenAPI 3.1.0 document, titled and dated', async () => {
    const response = await app.request('/openapi.json');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    expect(response.headers.get('x-api-version')).toBe('2026-09-01');
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { title: 'LinguaLoop', version: '2026-09-01' },
      servers: [{ url: '/' }],
    });
    expect(await new Validator().validate(JSON.parse(JSON.stringify(served)))).toEqual({ valid: true });
    await SwaggerParser.validate(JSON.parse(JSON.stringify(served)));
  });

  test('every component is a JSON Schema, and every reference has its component', () => {
    for (const schema of Object.values(document.components.schemas))
      expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true);
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g);
    for (const [, id] of references) expect(Object.keys(document.components.schemas)).toContain(id);
  });

  test('it has every route of the router, each one that is specified, and no other', () => {
    const places = restProcedures(appRouter).map(
      ({ route }) => `${route.method.toLowerCase()} ${route.path}`,
    );
    expect(operations.map(([place]) => place).sort()).toEqual([...new Set(places)].sort());
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
    expect(Object.keys(specifiedPaths)).toHaveLength(57);
    for (const [path, item] of Object.entries(document.paths))
      expect(Object.keys(item).sort(), path).toEqual(specifiedPaths[path]?.toSorted());
  });

  test('A 9 rule 9: both version parameters stand on every operation, /healthz included', () => {
    const date = { type: 'string', format: 'date' };
    for (const [place, { parameters }] of operations) {
      expect(parameters, place).toContainEqual(
        expect.objectContaining({ in: 'query', name: 'api-version', required: false, schema: date }),
      );
      expect(parameters, place).toContainEqual(
        expect.objectContaining({ in: 'header', name: 'X-Api-Version', required: false, schema: date }),
      );
    }
  });

  test('A 1 rule 6: it declares no security', () => {
    expect(JSON.stringify(document)).not.toMatch(/"security(Schemes)?":/);
  });

  test('a schema is one component, in the form in which it is sent', () => {
    const { schemas } = document.components;
    expect(schemas['TranslationRequest']?.required).toEqual(['source_text', 'target_lang']);
    expect(schemas['TranslationJob']?.properties?.['request']).toEqual(ref('TranslationRequest'));
    expect(bodyOf('/api/translations')).toEqual({
      anyOf: [
        expect.objectContaining({ required: ['source_text', 'target_lang'] }),
        expect.objectContaining({ required: ['inputs'] }),
        expect.objectContaining({ required: ['source_text', 'target_lang', 'metadata'] }),
      ],
    });
    expect(bodyOf('/api/auth/signup/email')).toEqual(ref('EmailSignupRequest'));
    expect(Object.keys(schemas).filter((id) => id.endsWith('Output'))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });

  test('C 7 "Requests": the Idempotency-Key is a header parameter, the job id a path parameter', () => {
    expect(document.paths['/api/translations']?.post?.parameters).toContainEqual({
      in: 'header',
      name: 'Idempotency-Key',
      description: expect.stringContaining('1 to 255 characters'),
      schema: { type: 'string', minLength: 1, maxLength: 255 },
    });
    expect(document.paths['/api/translations/{job_id}']?.get?.parameters[0]).toEqual({
      in: 'path',
      name: 'job_id',
      required: true,
      description: 'The ID of the job.',
      schema: expect.objectContaining({ type: 'string' }),
    });
  });

  test('B 4.1: one operation takes JSON, a form and raw bodies, and returns a job, an array of them or a document job', () => {
    const { requestBody, responses, parameters } = operationAt('post /api/translations');
    expect(Object.keys(requestBody?.content ?? {})).toEqual([
      'application/json',
      'multipart/form-data',
      'text/*',
      'application/xml',
      'application/octet-stream',
      'application/pdf',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ]);
    expect(requestBody?.content['multipart/form-data']?.schema).toMatchObject({
      properties: { source_document: { type: 'string', format: 'binary' }, target_lang: { type: 'string' } },
      required: ['source_document', 'target_lang'],
    });
    expect(responses['200']?.content?.['application/json']?.schema).toEqual({
      anyOf: [
        ref('TranslationJob'),
        { type: 'array', items: ref('TranslationJob') },
        ref('TenantDocumentJob'),
      ],
    });
    expect(parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['target_lang', 'X-Source-Filename', 'Idempotency-Key']),
    );
    expect(parameters.every(({ required }) => required !== true)).toBe(true);
  });

  test('B 4.1: the golden download is a file of one of three types', () => {
    const { responses, parameters } = operationAt('get /api/translations/{job_id}/golden');
    expect(Object.keys(responses['200']?.content ?? {})).toEqual([
      'text/plain; charset=utf-8',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/pdf',
    ]);
    expect(parameters).toContainEqual(
      expect.objectContaining({
        in: 'query',
        name: 'format',
        schema: expect.objectContaining({ enum: ['txt', 'docx', 'pdf'] }),
      }),
    );
  });

  test('B 4.4: the form of a glossary needs a name, and its file by either name', () => {
    const { requestBody, responses, parameters } = operationAt('post /api/terminology');
    expect(Object.keys(requestBody?.content ?? {})).toEqual(['multipart/form-data']);
    const { properties, ...rules } = requestBody?.content['multipart/form-data']?.schema ?? {};
    expect(properties).toMatchObject({
      terminology_file: { type: 'string', format: 'binary' },
      terminology_csv: { type: 'string', format: 'binary', deprecated: true },
      name: { type: 'string' },
      source_lang: { type: 'string' },
      target_lang: { type: 'string' },
    });
    expect(properties?.['terminology_file']?.deprecated).toBeUndefined();
    expect(rules).toEqual({
      type: 'object',
      required: ['name'],
      anyOf: [{ required: ['terminology_file'] }, { required: ['terminology_csv'] }],
    });
    // No body but a form: nothing of it comes from the query, or from a header.
    expect(parameters.map(({ name }) => name)).toEqual(['api-version', 'X-Api-Version']);
    expect(responses['200']?.content).toMatchObject(
      json({ allOf: [ref('TerminologySet'), { type: 'object', required: ['warnings'] }] }),
    );
  });

  test('B 4.5: the form of a memory needs all fields; the response is a set, or a running import', () => {
    const { requestBody, responses, parameters } = operationAt('post /api/tm');
    expect(requestBody?.content).toEqual({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            tmx_file: expect.objectContaining({ type: 'string', format: 'binary' }),
            name: expect.objectContaining({ type: 'string' }),
            source_lang: expect.objectContaining({ type: 'string' }),
            target_lang: expect.objectContaining({ type: 'string' }),
          },
          required: ['tmx_file', 'name', 'source_lang', 'target_lang'],
        },
      },
    });
    expect(parameters.map(({ name }) => name)).toEqual(['api-version', 'X-Api-Version']);
    expect(successes(responses)).toEqual(['200', '202']);
    expect(responses['200']?.content).toEqual(json(ref('TranslationMemorySet')));
    expect(responses['202']?.content).toEqual(json(ref('TranslationMemoryImportPoll')));
    const poll = operationAt('get /api/tm/imports/{job_id}').responses;
    expect(poll['200']?.content).toEqual(json(ref('TranslationMemoryImportPoll')));
    expect(Object.keys(poll)).not.toContain('202');
  });

  test('B 4.5: exports are XML files; that of approved pairs needs both languages', () => {
    const xml = { 'application/xml': { schema: { type: 'string', format: 'binary' } } };
    expect(operationAt('get /api/tm/{set_id}/export').responses['200']?.content).toEqual(xml);
    const { responses, parameters } = operationAt('get /api/tm/export/golden');
    expect(responses['200']?.content).toEqual(xml);
    for (const name of ['source_lang', 'target_lang'])
      expect(parameters).toContainEqual(
        expect.objectContaining({
          in: 'query',
          name,
          required: true,
          schema: { type: 'string', description: expect.any(String) },
        }),
      );
  });

  test('what goes out and comes back as XLIFF is at the operations of JSON', () => {
    const xliff = { 'application/xliff+xml': { schema: { type: 'string', format: 'binary' } } };
    for (const path of ['/api/translations', '/api/documents/{document_id}/segments'])
      expect(operationAt(`get ${path}`).responses['200']?.content).toMatchObject(xliff);
    for (const path of ['/api/translations/{job_id}/review', '/api/documents/{document_id}/review']) {
      const { requestBody, parameters } = operationAt(`post ${path}`);
      expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json', 'application/xliff+xml']);
      expect(parameters).toContainEqual(
        expect.objectContaining({ in: 'query', name: 'notes', required: false }),
      );
    }
  });

  test('B 4.4, B 4.5: lists have the same shape as single sets, and a deletion has no body', () => {
    const listed = (path: string) => operationAt(`get ${path}`).responses['200']?.content;
    expect(listed('/api/terminology')).toEqual({
      ...json({ type: 'array', items: ref('TerminologySet') }),
      'application/x-tbx+xml': { schema: { type: 'string', format: 'binary' } },
    });
    expect(listed('/api/tm')).toEqual(json({ type: 'array', items: ref('TranslationMemorySet') }));
    expect(listed('/api/tm/imports')).toEqual(
      json({ type: 'array', items: ref('TranslationMemoryImportJob') }),
    );
    for (const path of ['/api/terminology/{set_id}', '/api/tm/{set_id}']) {
      const { responses, requestBody } = operationAt(`delete ${path}`);
      expect(Object.keys(responses)).toContain('204');
      expect([responses['200'], responses['204']?.content, requestBody]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  test('B 4.3: the form of a document, its job at 200 and 202, its download', () => {
    const { requestBody, responses, parameters } = operationAt('post /api/documents/translate');
    expect(requestBody?.content).toEqual({
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: {
            source_document: expect.objectContaining({ type: 'string', format: 'binary' }),
            idempotency_key: expect.anything(),
            ...Object.fromEntries(
              ['target_lang', 'source_lang', 'domain', 'tone', 'gender', 'text_type', 'wait'].map((name) => [
                name,
                expect.objectContaining({ type: 'string' }),
              ]),
            ),
          },
          required: expect.toSatisfy(
            (names: string[]) => names.toSorted().join() === 'source_document,target_lang',
          ),
        },
      },
    });
    expect(parameters.map(({ name }) => name)).toContain('Idempotency-Key');
    expect(successes(responses)).toEqual(['200', '202']);
    for (const status of ['200', '202'] as const)
      expect(responses[status]?.content).toEqual(json(ref('TenantDocumentJob')));
    const download = operationAt('get /api/documents/{document_id}/download').responses['200'];
    expect(Object.keys(download?.content ?? {})).toEqual([
      'application/pdf',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ]);
  });

  test('A 7.1: every operation documents its refusals', () => {
    for (const { path, meta, input, route } of restProcedures(appRouter)) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase() as 'get'];
      const statuses = Object.keys(operation?.responses ?? {});
      const always = ['400', '500', '503', 'default'];
      expect(statuses, path).toEqual(expect.arrayContaining(always));
      if (meta.guard !== 'public') expect(statuses, path).toContain('401');
      if (route.path.includes('{')) expect(statuses, path).toContain('404');
      // Bytes have no fields that could be invalid.
      if (input && route.body !== 'raw') expect(statuses, path).toContain('422');
    }
  });

  test('the same router gives the same bytes', () => {
    expect(JSON.stringify(buildOpenApiDocument(appRouter))).toBe(JSON.stringify(served));
    const paths = Object.keys(document.paths);
    expect(paths).toEqual(paths.toSorted());
  });
});

function operationAt(wanted: string): Operation {
  const found = operations.find(([place]) => place === wanted);
  if (!found) throw new Error(`the document has no ${wanted}`);
  return found[1];
}

function ref(id: string) {
  return { $ref: `#/components/schemas/${id}` };
}

function json(schema: JsonSchema) {
  return { 'application/json': { schema } };
}

function bodyOf(path: string) {
  return document.paths[path]?.post?.requestBody?.content['application/json']?.schema;
}
