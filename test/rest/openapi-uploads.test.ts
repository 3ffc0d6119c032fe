import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OpenApiDocument } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import type { AppRouter } from '#server/router.ts';
import { procedure, type Route, router, type Upload, uploadedFile } from '#server/trpc.ts';
import { withoutExamples } from './openapi-structure.ts';

const nothing = () => undefined as never;
const ref = (id: string) => ({ $ref: `#/components/schemas/${id}` });
const json = (schema: object) => ({ 'application/json': { schema } });
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

  test('a documented field that is not an input is refused', () => {
    const made = procedure
      .meta(route({ upload: upload(['tmx_file']) }))
      .input(z.object({ tmx_file: file, name: z.string().optional() }))
      .output(z.object({}))
      .mutation(nothing);
    const memory = router({ import: made });
    expect(() => buildOpenApiDocument(router({ memory }) as unknown as AppRouter)).toThrow(
      'memory.import: the document asks for source_lang, an input that does not exist',
    );
  });
});

describe('the document of a response that may be a 202 instead', () => {
  const done = z.object({ id: z.string() }).meta({ id: 'Done' });
  const other = z.object({ name: z.string() }).meta({ id: 'Other' });
  const accepted = z.object({ poll_url: z.string() }).meta({ id: 'Accepted' });
  const made = (output: z.ZodType, more: Partial<Route> = { accepted }) =>
    procedure.meta(route(more)).input(z.object({})).output(output).mutation(nothing);

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
