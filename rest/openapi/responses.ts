import { AppError, type ErrorName, errorBody, errorTable } from '#server/errors.ts';
import type { RestProcedure } from '../procedures.ts';
import { type Content, type JsonSchema, type ResponseObject, refTo } from './document.ts';
import { meanings, refusalsOf } from './refusals.ts';

const string: JsonSchema = { type: 'string' };

const pipelineCodes = Object.entries(errorTable)
  .filter(([, kind]) => kind.shape === 'pipeline')
  .map(([code]) => code)
  .sort();

/**
 * The shapes of errors, which no procedure's output contains. `pipeline` errors have the standard shape with two more
 * fields.
 */
export const errorSchemas: Record<string, JsonSchema> = {
  ErrorDetail: {
    type: 'object',
    description:
      'An error. Failures of the translation pipeline and of resources also carry `error_code` and `request_id`.',
    properties: {
      detail: { type: 'string', description: 'A readable message. Only its documented prefixes are stable.' },
      error_code: {
        type: 'string',
        enum: pipelineCodes,
        description:
          'Branch on it. Only `transient_error` and `rate_limit` may succeed if the request is repeated.',
      },
      request_id: { type: 'string', description: 'Equals the X-Request-ID header of the response.' },
      limit: { type: 'number', description: 'For a 413: the limit.' },
      actual: { type: 'number', description: 'For a 413: the actual size, if known.' },
      unit: {
        type: 'string',
        enum: ['items', 'characters', 'bytes'],
        description: 'What `limit` and `actual` count.',
      },
      hint: { type: 'string', description: 'A fix, if `detail` does not include one.' },
      candidates: {
        type: 'array',
        items: string,
        description:
          'For a 422 for a language that could not be detected: the possible languages, the likeliest first.',
      },
    },
    required: ['detail'],
  },
  ValidationError: {
    type: 'object',
    description: 'A field that does not fit its schema.',
    properties: {
      loc: {
        type: 'array',
        items: { anyOf: [string, { type: 'integer' }] },
        description: 'Path to the field, starting with `path`, `query` or `body`.',
      },
      msg: { type: 'string', description: 'The requirement for the field.' },
      type: { type: 'string', description: 'The kind of problem, such as `invalid_type` or `too_big`.' },
      input: { description: 'Reserved: the rejected value is not repeated, because it may be a secret.' },
      ctx: { type: 'object', description: 'Reserved for limits that the value exceeds.' },
    },
    required: ['loc', 'msg', 'type'],
  },
  HTTPValidationError: {
    type: 'object',
    description: 'The fields that do not fit their schema, at most 20.',
    properties: {
      detail: { type: 'array', items: refTo('ValidationError'), description: 'An entry for each field.' },
    },
    required: ['detail'],
  },
};

const successes = { 200: 'Success', 202: 'Accepted and in progress', 204: 'Done, no body' } as const;

/** Returns all responses of an operation: the successes that the route declares, then its errors. */
export function responsesOf(
  procedure: RestProcedure,
  success: ResponseObject,
): Record<string, ResponseObject> {
  const responses = successesOf(procedure, success);
  for (const [status, names] of refusalsOf(procedure)) responses[status] = refusal(names);
  responses['default'] = { description: 'Any other error', content: jsonOf([refTo('ErrorDetail')]) };
  return responses;
}

/**
 * Returns the successful responses of an operation. The 202 has the same body as the 200, or a separate one. The
 * generator supports one response only, so its output is a union of both bodies.
 * @throws Error if the body of an additional 202 is neither the output nor a named member of this union
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

/** Returns an error response: the possible error codes, their meanings, and an example of each. */
function refusal(names: readonly ErrorName[]): ResponseObject {
  const shapes = names.map((name) => (name === 'invalid_fields' ? 'HTTPValidationError' : 'ErrorDetail'));
  const words = names.map((name) => {
    const code = errorTable[name].shape === 'pipeline' ? `\`${name}\`: ` : '';
    return `${code}${meanings[name] ?? name}`;
  });
  const json = jsonOf([...new Set(shapes)].map(refTo))['application/json'] as Content[string];
  const examples = Object.fromEntries(names.map((name) => [name, { value: exampleOf(name) }]));
  return { description: sentence(words.join('; ')), content: { 'application/json': { ...json, examples } } };
}

function sentence(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}.`;
}

function exampleOf(name: ErrorName): unknown {
  const problem = { loc: ['body', 'target_lang'], msg: 'is required', type: 'invalid_type' };
  const error =
    name === 'invalid_fields'
      ? new AppError(name, [problem])
      : new AppError(name, meanings[name] ?? 'not possible');
  return errorBody(error, '5f0c1f9b7f0e4d1f8b6a3c2d1e0f9a8b');
}

/** Returns the content for JSON that matches any one of these schemas. */
function jsonOf(schemas: JsonSchema[]): Content {
  return {
    'application/json': { schema: schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas } },
  };
}
