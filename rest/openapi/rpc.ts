import { z } from 'zod';
import type { AppRouter } from '#server/router.ts';
import { proceduresOf } from '#server/trpc.ts';
import type { RestProcedure } from '../procedures.ts';
import { type JsonSchema, type OpenApiDocument, refTo } from './document.ts';

/** The procedures without a route that the document for client generators has, with their summaries. */
const summaries: Readonly<Record<string, string>> = {
  'apiKeys.list': 'List the API keys of the workspace',
  'apiKeys.create': 'Create an API key',
  'apiKeys.update': 'Change an API key',
  'apiKeys.rotate': 'Give an API key a new secret',
  'apiKeys.revoke': 'Revoke an API key',
  'events.list': 'List the events after a cursor',
  'styleGuides.list': 'List the style guides',
  'styleGuides.get': 'Get a style guide',
  'styleGuides.save': 'Create or change a style guide',
  'styleGuides.delete': 'Delete a style guide',
  'terminology.create': 'Create a glossary without terms',
  'reviews.inbox': 'List what awaits review',
  'reviews.texts': 'List texts that await review',
  'reviews.next': 'Get the next text to review',
  'reviews.claim': 'Claim a text or document for a review',
  'reviews.reopen': 'Reopen a review',
  'reviews.comments': 'List the comments on a text or document',
  'reviews.comment': 'Write a comment',
  'reviews.deleteComment': 'Delete a comment',
  'reviews.mentions': 'List the comments that mention the caller',
  'reviews.byReviewer': 'Report reviews by reviewer',
  'reviews.approvedItems': 'Export who approved which texts and documents',
  'reviews.byDomain': 'Report reviews by domain',
  'translations.check': 'Check a text before it is saved',
  'translations.act': 'Review the version of a text that the caller has seen',
  'translations.resolve': 'Resolve a finding of a text',
  'translations.recheck': 'Check a text again',
  'translations.reviewMany': 'Review several texts',
  'documents.check': 'Check segments before they are saved',
  'documents.save': 'Save segments',
  'documents.confirm': 'Confirm segments',
  'documents.confirmAll': 'Confirm all segments without a critical finding',
  'documents.resolve': 'Resolve a finding of a segment',
  'documents.recheck': 'Check segments again',
  'documents.approveMany': 'Approve several documents',
};

/** Returns these procedures as POST requests in plain JSON (`server/http/rpc-handler.ts`). */
export function rpcProcedures(router: AppRouter): RestProcedure[] {
  const definitions = new Map(proceduresOf(router));
  return Object.entries(summaries).map(([path, summary]) => {
    const { inputs, output, meta } = definitions.get(path) ?? {};
    if (!output || !meta) throw new Error(`${path}: no such procedure`);
    const [sent] = inputs ?? [];
    const input = sent instanceof z.ZodPrefault ? sent.unwrap() : (sent ?? z.object({}));
    if (!(input instanceof z.ZodObject)) throw new Error(`${path}: the input must be an object`);
    return {
      ...{ path, type: 'mutation', meta, input, inputShape: input.shape as Record<string, z.ZodType> },
      route: {
        ...{ method: 'POST', path: `/trpc/${path}`, tag: 'Procedures', summary },
        description:
          'The request is a JSON object with the inputs. `result.data` of the response is the result.',
      },
      output: z.object({
        result: z
          .object({ data: output instanceof z.ZodVoid ? z.null() : output })
          .describe('The result of the procedure.'),
      }),
    };
  });
}

/** The shape of errors under /trpc. */
export const rpcError: JsonSchema = {
  type: 'object',
  description: 'An error of a procedure.',
  properties: {
    error: {
      type: 'object',
      description: 'The error.',
      properties: {
        message: { type: 'string', description: 'A readable message.' },
        code: { type: 'integer', description: 'The JSON-RPC code of the error.' },
        data: {
          ...{ description: 'The fields of an error over REST.' },
          anyOf: [refTo('ErrorDetail'), refTo('HTTPValidationError')],
        },
      },
      required: ['message', 'code', 'data'],
    },
  },
  required: ['error'],
};

/**
 * Gives the operations under /trpc the shape of their errors. They have no versions, and always have a body: without
 * one, the response would be in superjson. Changes the document.
 */
export function describeRpc({ paths, components }: OpenApiDocument): void {
  components.schemas['RpcError'] = rpcError;
  const error = {
    error: {
      message: 'authentication required',
      code: -32001,
      data: {
        detail: 'authentication required',
        error_code: 'unauthenticated',
        request_id: '5f0c1f9b7f0e4d1f8b6a3c2d1e0f9a8b',
      },
    },
  };
  for (const [path, { post }] of Object.entries(paths)) {
    if (!post || !path.startsWith('/trpc/')) continue;
    post.parameters = [];
    post.requestBody ??= {
      required: true,
      content: { 'application/json': { schema: { type: 'object' }, example: {} } },
    };
    post.requestBody.required = true;
    delete post.responses['200']?.headers?.['Idempotency-Key-Ignored'];
    for (const [status, response] of Object.entries(post.responses))
      if (!status.startsWith('2'))
        response.content = { 'application/json': { schema: refTo('RpcError'), example: error } };
  }
}
