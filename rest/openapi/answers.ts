import { errorTable } from '#server/errors.ts';
import type { RestProcedure } from '../procedures.ts';
import { type Answer, type JsonSchema, refTo } from './document.ts';

const string: JsonSchema = { type: 'string' };

const pipelineCodes = Object.entries(errorTable)
  .filter(([, kind]) => kind.shape === 'pipeline')
  .map(([code]) => code)
  .sort();

/** The three shapes of A 7.1, which no procedure's output mentions. */
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

/** Every answer of an operation: its success as the route states it, then the ways in which it can be refused. */
export function answersOf({ route, meta, input }: RestProcedure, success: Answer): Record<string, Answer> {
  const status = route.status ?? 200;
  const answers: Record<string, Answer> = {
    [status]: {
      description: successes[status],
      ...(status !== 204 && success.content && { content: success.content }),
    },
  };
  if (meta.guard !== 'public') answers['401'] = refusal('No usable credential', 'ErrorDetail');
  // The same status also refuses values that fit their schema, and then it says so in a string (A 7.1). Bare bytes have no
  // fields.
  if (input && route.body !== 'raw')
    answers['422'] = refusal('Values invalid', 'HTTPValidationError', 'ErrorDetail', 'PipelineError');
  answers['default'] = refusal('Any other error', 'ErrorDetail', 'PipelineError');
  return answers;
}

function refusal(description: string, ...shapes: string[]): Answer {
  const schemas = shapes.map(refTo);
  const schema = schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas };
  return { description, content: { 'application/json': { schema } } };
}
