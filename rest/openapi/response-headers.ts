import { isKeyed, type RestProcedure } from '../procedures.ts';
import type { Operation, ResponseObject } from './document.ts';

type Headers = NonNullable<ResponseObject['headers']>;

const text = (description: string): Headers[string] => ({ description, schema: { type: 'string' } });
const flag = (description: string): Headers[string] => ({
  description,
  schema: { type: 'string', enum: ['true'] },
});

const ignoredParameters = text(
  'Names of the query parameters that were ignored, because the operation does not have them. Otherwise absent.',
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
const retryAfter: Headers[string] = {
  description: 'Seconds after which a repeated request may succeed. Absent if unknown.',
  schema: { type: 'integer', minimum: 0 },
};

/**
 * Adds to an operation those response headers that callers can use. Headers that every response has are in the
 * introduction.
 */
export function describeHeaders(procedure: RestProcedure, operation: Operation): Operation {
  const success = headersOfSuccess(procedure);
  const responses = Object.entries(operation.responses).map(([status, { description, ...rest }]) => {
    const isLater = status === '429' || status === '503';
    const headers = status.startsWith('2') ? success : isLater ? { 'Retry-After': retryAfter } : undefined;
    return [status, { description, ...(headers && { headers }), ...rest }];
  });
  return { ...operation, responses: Object.fromEntries(responses) };
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
