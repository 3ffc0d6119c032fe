import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema, OpenApiDocument, Operation } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import { useTestApp } from '#test/setup/app.ts';
import { withoutExamples } from './openapi-structure.ts';
import { specifiedPaths } from './specified-paths.ts';

const app = useTestApp();
/** The document as it is served. `document` is the same without examples. */
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
  test('an OpenAPI 3.1.0 document, titled and dated', async () => {
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

  test('both version parameters stand on every operation, /healthz included', () => {
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

  test('it declares no security', () => {
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

  test('one operation takes JSON, a form and raw bodies, and returns a job, an array of them, a document job or an estimate', () => {
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
    const estimate = expect.objectContaining({ required: expect.arrayContaining(['billable_characters']) });
    expect(responses['200']?.content?.['application/json']?.schema).toEqual({
      anyOf: [
        ref('TranslationJob'),
        estimate,
        { type: 'array', items: ref('TranslationJob') },
        ref('TenantDocumentJob'),
      ],
    });
    expect(parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['target_lang', 'X-Source-Filename', 'Idempotency-Key']),
    );
    expect(parameters.every(({ required }) => required !== true)).toBe(true);
  });

  test('the form of a glossary needs a name, and its file by either name', () => {
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
    // All fields are in the form: the only parameters are those that all operations have.
    expect(parameters.map(({ name }) => name)).toEqual(['api-version', 'X-Api-Version']);
    expect(responses['200']?.content).toMatchObject(
      json({ allOf: [ref('TerminologySet'), { type: 'object', required: ['warnings'] }] }),
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

  test('every operation documents its refusals', () => {
    for (const { path, meta, input, route } of restProcedures(appRouter)) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase() as 'get'];
      const statuses = Object.keys(operation?.responses ?? {});
      const always = ['400', '500', '503', 'default'];
      expect(statuses, path).toEqual(expect.arrayContaining(always));
      if (meta.guard !== 'public') expect(statuses, path).toContain('401');
      if (route.path.includes('{')) expect(statuses, path).toContain('404');
      // A body of raw bytes has no fields that could be invalid.
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
