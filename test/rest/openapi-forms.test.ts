import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OpenApiDocument } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import type { AppRouter } from '#server/router.ts';
import { procedure, type Route, router, uploadedFile } from '#server/trpc.ts';
import { withoutExamples } from './openapi-structure.ts';

const route = (method: Route['method'], path: Route['path'], more: Partial<Route> = {}) => ({
  route: { method, path, tag: 'T', summary: 'S', ...more },
});
const nothing = () => undefined as never;
const ref = (id: string) => ({ $ref: `#/components/schemas/${id}` });
const formType = 'application/x-www-form-urlencoded';

async function documentOf(record: Parameters<typeof router>[0]): Promise<OpenApiDocument> {
  const document = buildOpenApiDocument(router(record) as unknown as AppRouter);
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  return withoutExamples(document);
}

describe('the document of forms', () => {
  const signoutRequest = z.object({ refresh_token: z.string().optional() }).meta({ id: 'SignoutRequest' });

  test('a form or JSON is documented as both, and may be left out', async () => {
    const { paths, components } = await documentOf({
      signout: procedure
        .meta(route('POST', '/signout', { body: 'form_or_json' }))
        .input(signoutRequest)
        .output(z.object({}))
        .mutation(nothing),
    });
    const body = { schema: ref('SignoutRequest') };
    expect(paths['/signout']?.post?.requestBody).toEqual({
      required: false,
      content: { [formType]: body, 'application/json': body },
    });
    expect(components.schemas['SignoutRequest']).toEqual({
      type: 'object',
      properties: { refresh_token: { type: 'string' } },
    });
  });
});

describe('the document of inputs that come from the query beside a body', () => {
  const policy = z
    .object({
      tenant_id: z.string().optional().describe('whose policy it is'),
      dry: z.boolean(),
      invite_id: z.string(),
      mfa_required: z.boolean(),
      note: z.string().nullable().default(null),
    })
    .meta({ id: 'SecurityPolicy' });
  const set = (query: string[]) => ({
    set: procedure
      .meta(route('PATCH', '/security/{invite_id}', { query }))
      .input(policy)
      .output(z.object({}))
      .mutation(nothing),
  });

  test('they are parameters, and the component holds the rest', async () => {
    const { paths, components } = await documentOf(set(['tenant_id', 'dry']));
    const operation = paths['/security/{invite_id}']?.patch;
    expect(operation?.parameters.slice(0, 3)).toEqual([
      { in: 'path', name: 'invite_id', required: true, schema: { type: 'string' } },
      { in: 'query', name: 'tenant_id', description: 'whose policy it is', schema: { type: 'string' } },
      { in: 'query', name: 'dry', required: true, schema: { type: 'boolean' } },
    ]);
    expect(operation?.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema: ref('SecurityPolicy') } },
    });
    expect(components.schemas['SecurityPolicy']).toEqual({
      type: 'object',
      properties: { mfa_required: { type: 'boolean' }, note: { type: ['string', 'null'] } },
      required: ['mfa_required'],
    });
  });

  test('a body of which only optional fields are left need not be sent', async () => {
    const { paths, components } = await documentOf(set(['dry', 'mfa_required']));
    expect(paths['/security/{invite_id}']?.patch?.requestBody?.required).toBe(false);
    expect(components.schemas['SecurityPolicy']?.required).toBeUndefined();
  });

  test('a body without fields is left out, and has no component', async () => {
    const { paths, components } = await documentOf(set(['tenant_id', 'dry', 'mfa_required', 'note']));
    expect(paths['/security/{invite_id}']?.patch?.requestBody).toBeUndefined();
    expect(Object.keys(components.schemas)).not.toContain('SecurityPolicy');
  });
});

describe('the document of an output that is one of several', () => {
  test('a union with a name is a component too, and one that is discriminated says by what', async () => {
    const valid = z.object({ valid: z.literal(true), role: z.string() }).meta({ id: 'Valid' });
    const invalid = z.object({ valid: z.literal(false) }).meta({ id: 'Invalid' });
    const { paths, components } = await documentOf({
      preview: procedure
        .meta(route('POST', '/preview'))
        .input(z.object({ invite_token: z.string() }))
        .output(z.discriminatedUnion('valid', [valid, invalid]).meta({ id: 'Preview' }))
        .mutation(nothing),
    });
    expect(paths['/preview']?.post?.responses['200']?.content?.['application/json']?.schema).toEqual(
      ref('Preview'),
    );
    expect(components.schemas['Preview']).toMatchObject({ oneOf: [ref('Valid'), ref('Invalid')] });
  });
});

test('two different bodies of one id are refused, by name', async () => {
  const make = (path: Route['path'], shape: z.ZodRawShape) =>
    procedure
      .meta(route('POST', path))
      .input(z.object(shape).meta({ id: 'Twice' }))
      .output(z.object({}))
      .mutation(nothing);
  const both = { a: make('/a', { x: z.string() }), b: make('/b', { y: z.string() }) };
  await expect(documentOf(both)).rejects.toThrow('two different request bodies have the id Twice');
});

test('a documented field of a form with files that is not an input is refused', async () => {
  const upload = { parts: ['tmx_file'] as const, raw: false, ceiling: () => 'MAX_UPLOAD_BYTES' as const };
  const made = procedure
    .meta(route('POST', '/x', { upload }))
    .input(z.object({ tmx_file: uploadedFile.optional(), name: z.string().optional() }))
    .output(z.object({}))
    .mutation(nothing);
  await expect(documentOf({ memory: router({ import: made }) })).rejects.toThrow(
    'memory.import: the OpenAPI document requires the input source_lang, which does not exist',
  );
});

describe('the document of a response that may be a 202 instead', () => {
  const done = z.object({ id: z.string() }).meta({ id: 'Done' });
  const other = z.object({ name: z.string() }).meta({ id: 'Other' });
  const accepted = z.object({ poll_url: z.string() }).meta({ id: 'Accepted' });
  const made = (output: z.ZodType, more: Partial<Route> = { accepted }) =>
    procedure
      .meta(route('POST', '/x', more))
      .input(z.object({}))
      .output(output)
      .mutation(nothing);

  test('it may have the body of the 200', async () => {
    const { paths } = await documentOf({ x: made(accepted) });
    const content = { 'application/json': { schema: ref('Accepted') } };
    expect(paths['/x']?.post?.responses).toMatchObject({ 200: { content }, 202: { content } });
  });

  test.each([
    ['has no name', made(z.union([done, z.object({ poll_url: z.string() })]), { accepted: z.object({}) })],
    ['is not among the outputs', made(z.union([done, other]))],
    ['is not the only output', made(done)],
  ])('one that %s is refused, by the procedure’s path', async (_what, x) => {
    await expect(documentOf({ x })).rejects.toThrow(
      'x: the body of status 202 must be the output of the procedure, or a named one of its outputs',
    );
  });
});
