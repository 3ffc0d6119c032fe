import { isKeyed, type RestProcedure } from '../procedures.ts';
import type { Operation, ResponseObject } from './document.ts';

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
