import { isKeyed, type RestProcedure } from '../procedures.ts';
import type { Operation, ResponseObject } from './document.ts';

type Headers = NonNullable<ResponseObject['headers']>;

const text = (description: string): Headers[string] => ({ description, schema: { type: 'string' } });
const flag = (description: string): Headers[string] => ({
  description,
  schema: { type: 'string', enum: ['true'] },
});

const ignoredParameters = text('Names of unknown query parameters. Absent without any.');
const nextCursor = text('Continues the list, as `cursor`. Absent at the end of the list.');
const suggestedName = text(
  'Percent-encoded: a file name that overwrites neither the source nor another language.',
);
const replayed = flag('The response is from an earlier request with this key. Absent otherwise.');
const requestDiffers = flag(
  'The key belongs to an earlier, different request, whose job is returned. Absent otherwise.',
);
const keyIgnored = flag('The request has an Idempotency-Key, which has no effect here. Absent otherwise.');
const retryAfter: Headers[string] = {
  description: 'Seconds until it may succeed. Absent if that is unknown.',
  schema: { type: 'integer', minimum: 0 },
};

/**
 * Adds the headers of an operation's responses that are useful to callers. Headers that every response has are in the
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
