import { errorTable } from '#server/errors.ts';
import type { RestProcedure } from '../procedures.ts';
import { type Content, type JsonSchema, type ResponseObject, refTo } from './document.ts';

const string: JsonSchema = { type: 'string' };

const pipelineCodes = Object.entries(errorTable)
  .filter(([, kind]) => kind.shape === 'pipeline')
  .map(([code]) => code)
  .sort();

/** The three error shapes of A 7.1, which no procedure's output mentions. */
export const errorSchemas: Record<string, JsonSchema> = {
  ErrorDetail: { type: 'object', properties: { detail: string }, required: ['detail'] },
  ValidationError: {
    type: 'object',
    properties: {
      loc: {
        type: 'array',
        items: { anyOf: [string, { type: 'integer' }] },
        description: 'path, query or body, then the way to the field',
      },
      msg: string,
      type: string,
      input: {},
      ctx: { type: 'object' },
    },
    required: ['loc', 'msg', 'type'],
  },
  HTTPValidationError: {
    type: 'object',
    properties: { detail: { type: 'array', items: refTo('ValidationError') } },
    required: ['detail'],
  },
  PipelineError: {
    type: 'object',
    properties: {
      detail: string,
      error_code: { type: 'string', enum: pipelineCodes },
      request_id: { type: 'string', description: 'equals the X-Request-ID of the response' },
    },
    required: ['detail', 'error_code', 'request_id'],
  },
};

const successes = { 200: 'Success', 202: 'Accepted and in flight', 204: 'Done, no body' } as const;

/** All responses of an operation: its successes as the route declares them, then its errors. */
export function responsesOf(
  procedure: RestProcedure,
  success: ResponseObject,
): Record<string, ResponseObject> {
  const { route, meta, input } = procedure;
  const responses = successesOf(procedure, success);
  if (meta.guard !== 'public') responses['401'] = refusal('No usable credential', 'ErrorDetail');
  // 422 also rejects values that fit their schema; its `detail` is then a string (A 7.1). A raw body has no fields.
  if (input && route.body !== 'raw')
    responses['422'] = refusal('Values invalid', 'HTTPValidationError', 'ErrorDetail', 'PipelineError');
  responses['default'] = refusal('Any other error', 'ErrorDetail', 'PipelineError');
  return responses;
}

/**
 * A 202 has the body of the 200, or one of its own. The generator, which knows one response, merges two bodies into one.
 * @throws Error if the body of an additional 202 is neither the output nor a named member of it
 */
function successesOf(
  { path, route }: RestProcedure,
  { content }: ResponseObject,
): Record<string, ResponseObject> {
  const status = route.status ?? 200;
  if (status === 204) return { 204: { description: successes[204] } };
  if (!route.accepted) return { [status]: responseObject(status, content) };
  const accepted = refTo(route.accepted.meta()?.id ?? '');
  const output = content?.['application/json']?.schema;
  if (output?.$ref === accepted.$ref)
    return { [status]: responseObject(status, content), 202: responseObject(202, content) };
  const either = output?.anyOf ?? [];
  const others = either.filter(({ $ref }) => $ref !== accepted.$ref);
  if (others.length !== either.length - 1)
    throw new Error(`${path}: the body of a 202 must be the output, or a named one of several outputs`);
  return { [status]: responseObject(status, jsonOf(others)), 202: responseObject(202, jsonOf([accepted])) };
}

function responseObject(status: 200 | 202, content: Content | undefined): ResponseObject {
  return { description: successes[status], ...(content && { content }) };
}

function refusal(description: string, ...shapes: string[]): ResponseObject {
  return { description, content: jsonOf(shapes.map(refTo)) };
}

/** JSON that matches any one of these schemas. */
function jsonOf(schemas: JsonSchema[]): Content {
  return {
    'application/json': { schema: schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas } },
  };
}
