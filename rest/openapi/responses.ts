import { AppError, type ErrorName, errorBody, errorTable } from '#server/errors.ts';
import { isKeyed, type RestProcedure } from '../procedures.ts';
import { type Content, type JsonSchema, type Operation, type ResponseObject, refTo } from './document.ts';
import { meanings, refusalsOf } from './refusals.ts';

const string: JsonSchema = { type: 'string' };

/** The fields that every error has besides `detail`. */
const always: Record<string, JsonSchema> = {
  error_code: {
    type: 'string',
    enum: Object.keys(errorTable).sort(),
    description:
      'The kind of error, for programs. Only after `transient_error` and `rate_limit` may a repeated request succeed.',
  },
  request_id: { type: 'string', description: 'Equals the X-Request-ID header of the response.' },
};

/** The shapes of errors, which no procedure's output contains. */
export const errorSchemas: Record<string, JsonSchema> = {
  ErrorDetail: {
    type: 'object',
    description: 'An error.',
    properties: {
      detail: {
        type: 'string',
        description: 'A readable message. Its text may change, except for the documented prefixes.',
      },
      ...always,
      limit: { type: 'number', description: 'For status 413: the limit that the request exceeds.' },
      actual: { type: 'number', description: 'For status 413: the actual size of the request, if known.' },
      unit: {
        type: 'string',
        enum: ['items', 'characters', 'bytes'],
        description: 'The unit of `limit` and `actual`.',
      },
      hint: { type: 'string', description: 'How to correct the request, if `detail` does not explain it.' },
      candidates: {
        type: 'array',
        items: string,
        description:
          'For status 422, if the source language could not be detected: the possible languages, most likely first.',
      },
    },
    required: ['detail', 'error_code', 'request_id'],
  },
  ValidationError: {
    type: 'object',
    description: 'An invalid field of the request.',
    properties: {
      loc: {
        type: 'array',
        items: { anyOf: [string, { type: 'integer' }] },
        description: 'Path to the field, starting with `path`, `query` or `body`.',
      },
      msg: { type: 'string', description: 'The requirement that the field does not meet.' },
      type: { type: 'string', description: 'The kind of problem, such as `invalid_type` or `too_big`.' },
      input: { description: 'Never set: the rejected value is not returned, because it may be a secret.' },
      ctx: {
        type: 'object',
        description: 'Reserved for the limits that the value exceeds; not set at present.',
      },
    },
    required: ['loc', 'msg', 'type'],
  },
  HTTPValidationError: {
    type: 'object',
    description: 'The invalid fields of the request, at most 20.',
    properties: {
      detail: {
        type: 'array',
        items: refTo('ValidationError'),
        description: 'One entry for each invalid field.',
      },
      ...always,
    },
    required: ['detail', 'error_code', 'request_id'],
  },
};

const successes = {
  200: 'Success',
  202: 'Accepted and in progress',
  204: 'Success, without a response body',
} as const;

/** Returns all responses of an operation: the successes that the route declares, then its errors. */
export function responsesOf(
  procedure: RestProcedure,
  success: ResponseObject,
): Record<string, ResponseObject> {
  const responses = successesOf(procedure, success);
  for (const [status, names] of refusalsOf(procedure)) responses[status] = refusal(names);
  responses['default'] = {
    description: 'Any other error',
    content: { 'application/json': { schema: refTo('ErrorDetail'), example: exampleOf('not_found') } },
  };
  return responses;
}

/**
 * Returns the successful responses of an operation. The 202 has the same body as the 200, or a separate one. A procedure
 * has one output, which is then a union of both bodies.
 * @throws Error if the body of an additional 202 is neither the output nor a named member of this union
 */
function successesOf(
  { path, route }: RestProcedure,
  { content }: ResponseObject,
): Record<string, ResponseObject> {
  const status = route.status ?? 200;
  if (status === 204) return { 204: { description: successes[204] } };
  const output = content?.['application/json']?.schema;
  // An estimate is never a 202.
  const pending = (output?.anyOf ?? (output ? [output] : [])).filter(({ $ref }) => $ref !== estimate.$ref);
  if (route.respondsAsync)
    return {
      [status]: responseObject(status, content),
      202: responseObject(202, structuredClone(jsonOf(pending))),
    };
  if (!route.accepted) return { [status]: responseObject(status, content) };
  const accepted = refTo(route.accepted.meta()?.id ?? '');
  const others = pending.filter(({ $ref }) => $ref !== accepted.$ref);
  if (others.length !== pending.length - 1)
    throw new Error(
      `${path}: the body of status 202 must be the output of the procedure, or a named one of its outputs`,
    );
  const finished = others.length === 0 ? content : jsonOf(others);
  return { [status]: responseObject(status, finished), 202: responseObject(202, jsonOf([accepted])) };
}

const estimate = refTo('TranslationEstimate');

function responseObject(status: 200 | 202, content: Content | undefined): ResponseObject {
  return { description: successes[status], ...(content && { content }) };
}

/** Returns an error response: the possible error codes, their meanings, and an example of each. */
function refusal(names: readonly ErrorName[]): ResponseObject {
  const shapes = names.map((name) => (name === 'invalid_fields' ? 'HTTPValidationError' : 'ErrorDetail'));
  const words = names.map((name) => `\`${name}\`: ${meanings[name] ?? name}`);
  const json = jsonOf([...new Set(shapes)].map(refTo))['application/json'] as Content[string];
  const examples = Object.fromEntries(names.map((name) => [name, { value: exampleOf(name) }]));
  return { description: `${words.join('; ')}.`, content: { 'application/json': { ...json, examples } } };
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

type Headers = NonNullable<ResponseObject['headers']>;

const text = (description: string): Headers[string] => ({ description, schema: { type: 'string' } });
const flag = (description: string): Headers[string] => ({
  description,
  schema: { type: 'string', enum: ['true'] },
});

const ignoredParameters = text(
  'Names of the query parameters and body fields that were ignored, because the operation does not have them. Otherwise absent.',
);
const nextCursor = text('Send this value as `cursor` to get the next page. Absent on the last page.');
const suggestedName = text(
  'A percent-encoded file name with the language, so that it differs from the source file and other translations.',
);
const replayed = flag(
  'The response is that of an earlier request with the same Idempotency-Key. Otherwise absent.',
);
const requestDiffers = flag(
  'An earlier, different request used this Idempotency-Key, and its job is returned. Otherwise absent.',
);
const keyIgnored = flag(
  'The request has an Idempotency-Key, which this operation ignores. Otherwise absent.',
);
const location = text('The path of the job, if the request created one job only.');
const preferenceApplied: Headers[string] = {
  description: 'The request has `Prefer: respond-async`. Otherwise absent.',
  schema: { type: 'string', enum: ['respond-async'] },
};
const retryAfter: Headers[string] = {
  description: 'Seconds after which a repeated request may succeed. Absent if unknown.',
  schema: { type: 'integer', minimum: 0 },
};

const prefer: Operation['parameters'][number] = {
  in: 'header',
  name: 'Prefer',
  required: false,
  description:
    '`respond-async`: the response is a 202 with the pending jobs, which workers translate (RFC 7240). Other preferences are ignored.',
  schema: { type: 'string' },
};

/**
 * Adds to an operation the preference of its request, and those response headers that callers can use. Headers that every
 * response has are in the introduction.
 */
export function describeHeaders(procedure: RestProcedure, operation: Operation): Operation {
  const success = headersOfSuccess(procedure);
  const responses = Object.entries(operation.responses).map(([status, { description, ...rest }]) => {
    const isLater = status === '429' || status === '503';
    const accepted = status === '202' && procedure.route.respondsAsync;
    const headers = accepted
      ? { ...success, Location: location, 'Preference-Applied': preferenceApplied }
      : status.startsWith('2')
        ? success
        : isLater
          ? { 'Retry-After': retryAfter }
          : undefined;
    return [status, { description, ...(headers && { headers }), ...rest }];
  });
  const parameters = procedure.route.respondsAsync ? [...operation.parameters, prefer] : operation.parameters;
  return { ...operation, parameters, responses: Object.fromEntries(responses) };
}

function headersOfSuccess({ route, type }: RestProcedure): Headers {
  return {
    'X-Ignored-Parameters': ignoredParameters,
    ...(route.paged && { 'X-Next-Cursor': nextCursor }),
    ...(route.suggestsName && { 'X-Suggested-Filename': suggestedName }),
    ...(isKeyed(route) && {
      'Idempotency-Replayed': replayed,
      'Idempotency-Request-Differs': requestDiffers,
    }),
    ...(type === 'mutation' && !isKeyed(route) && { 'Idempotency-Key-Ignored': keyIgnored }),
  };
}
