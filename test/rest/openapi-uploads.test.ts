import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { rawTypes } from '#rest/body-parsers.ts';
import type { OpenApiDocument } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import type { AppRouter } from '#server/router.ts';
import { procedure, type Route, router, type Upload, uploadedFile } from '#server/trpc.ts';
import { successes, withoutExamples } from './openapi-structure.ts';

const nothing = () => undefined as never;
const ref = (id: string) => ({ $ref: `#/components/schemas/${id}` });
const json = (schema: object) => ({ 'application/json': { schema } });
const binary = { type: 'string', format: 'binary' };
const route = (more: Partial<Route>) => ({
  route: { method: 'POST' as const, path: '/x' as const, tag: 'T', summary: 'S', ...more },
});
const upload = (parts: Upload['parts'], raw = false): Upload => ({
  parts,
  raw,
  ceiling: () => 'MAX_UPLOAD_BYTES',
});

async function documentOf(record: Parameters<typeof router>[0]): Promise<OpenApiDocument> {
  const document = buildOpenApiDocument(router(record) as unknown as AppRouter);
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  return withoutExamples(document);
}

const operation = async (record: Parameters<typeof router>[0]) =>
  (await documentOf(record)).paths['/x']?.post ?? expect.fail('the document has no POST /x');

describe('the document of a form with files', () => {
  const file = uploadedFile.optional();

  test('a file by one name is required, and comes before the fields', async () => {
    const { requestBody, parameters } = await operation({
      x: procedure
        .meta(route({ upload: upload(['sheet']) }))
        .input(z.object({ name: z.string().optional(), sheet: file.meta({ description: 'a table' }) }))
        .output(z.object({}))
        .mutation(nothing),
    });
    expect(requestBody).toEqual({
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { sheet: { ...binary, description: 'a table' }, name: { type: 'string' } },
            required: ['sheet'],
          },
        },
      },
    });
    expect(parameters.filter(({ name }) => name === 'name')).toEqual([]);
  });

  test('one that may be the body too lists its types, and its fields as query parameters', async () => {
    const { requestBody, parameters } = await operation({
      x: procedure
        .meta(route({ upload: upload(['sheet'], true) }))
        .input(z.object({ name: z.string().optional(), sheet: file }))
        .output(z.object({}))
        .mutation(nothing),
    });
    expect(Object.keys(requestBody?.content ?? {})).toEqual(['multipart/form-data', ...rawTypes]);
    expect(parameters.map(({ in: place, name, required }) => [place, name, required])).toEqual(
      expect.arrayContaining([
        ['query', 'name', false],
        ['header', 'X-Source-Filename', false],
      ]),
    );
  });

  test('a form of files alone is one too', async () => {
    const { requestBody } = await operation({
      x: procedure
        .meta(route({ upload: upload(['new', 'old']) }))
        .input(z.object({ new: file, old: file.meta({ deprecated: true }) }))
        .output(z.object({}))
        .mutation(nothing),
    });
    expect(requestBody?.content['multipart/form-data']?.schema).toEqual({
      type: 'object',
      properties: { new: binary, old: { ...binary, deprecated: true } },
      required: [],
      anyOf: [{ required: ['new'] }, { required: ['old'] }],
    });
  });

  test('a documented field that is not an input is refused', () => {
    const made = procedure
      .meta(route({ upload: upload(['tmx_file']) }))
      .input(z.object({ tmx_file: file, name: z.string().optional() }))
      .output(z.object({}))
      .mutation(nothing);
    const memory = router({ import: made });
    expect(() => buildOpenApiDocument(router({ memory }) as unknown as AppRouter)).toThrow(
      'memory.import: the document requires source_lang, an input that does not exist',
    );
  });
});

describe('the document of a response that may be a 202 instead', () => {
  const done = z.object({ id: z.string() }).meta({ id: 'Done' });
  const other = z.object({ name: z.string() }).meta({ id: 'Other' });
  const accepted = z.object({ poll_url: z.string() }).meta({ id: 'Accepted' });
  const made = (output: z.ZodType, more: Partial<Route> = { accepted }) =>
    procedure.meta(route(more)).input(z.object({})).output(output).mutation(nothing);

  test('each status has its own body', async () => {
    const { responses } = await operation({ x: made(z.union([done, accepted])) });
    expect(successes(responses)).toEqual(['200', '202']);
    const headers = expect.anything();
    expect(responses['200']).toEqual({ description: 'Success', headers, content: json(ref('Done')) });
    expect(responses['202']).toEqual({
      description: 'Accepted and in progress',
      headers,
      content: json(ref('Accepted')),
    });
  });

  test('there may be several others', async () => {
    const { responses } = await operation({ x: made(z.union([done, accepted, other])) });
    expect(responses['200']?.content).toEqual(json({ anyOf: [ref('Done'), ref('Other')] }));
    expect(responses['202']?.content).toEqual(json(ref('Accepted')));
  });

  test('it may have the body of the 200', async () => {
    const { responses } = await operation({ x: made(accepted) });
    expect(responses['200']?.content).toEqual(json(ref('Accepted')));
    expect(responses['202']?.content).toEqual(json(ref('Accepted')));
  });

  test.each([
    ['has no name', made(z.union([done, z.object({ poll_url: z.string() })]), { accepted: z.object({}) })],
    ['is not among the outputs', made(z.union([done, other]))],
    ['is not the only output', made(done)],
  ])('one that %s is refused, by the procedure’s path', (_what, x) => {
    expect(() => buildOpenApiDocument(router({ x }) as unknown as AppRouter)).toThrow(
      'x: the body of a 202 must be the output, or a named one of several outputs',
    );
  });
});
