import { isKeyed, type RestProcedure } from '../procedures.ts';
import type { Operation, ResponseObject } from './document.ts';

type Headers = NonNullable<ResponseObject['headers']>;

const text = (description: string): Headers[string] => ({ description, schema: { type: 'string' } });
const flag = (description: string): Headers[string] => ({
  description,
  schema: { type: 'string', enum: ['true'] },
});

const ignoredParameters = text(
  'Names of query parameters that the operation does not have. Absent if there are none.',
);
const nextCursor = text('Continues the list, as `cursor`. Absent at the end of the list.');
const suggestedName = text(
  'Percent-encoded: a name for the file that overwrites neither the source nor another language.',
);
const replayed = flag('An earlier request with this key made what is returned. Absent otherwise.');
const requestDiffers = flag(
  'The key belongs to an earlier request that asked for something else, and its job is returned. Absent otherwise.',
);
const keyIgnored = flag('The request has an Idempotency-Key, which has no effect here. Absent otherwise.');
const retryAfter: Headers[string] = {
  description: 'Seconds until it may succeed. Absent if that is unknown.',
  schema: { type: 'integer', minimum: 0 },
};

/** Adds the headers of an operation's responses that callers act on. Those of every response are in the introduction. */
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
