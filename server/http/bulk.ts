import { z } from 'zod';
import type { Services } from '#server/context.ts';
import { describeForLog, toAppError } from '#server/errors.ts';

/** Items of one request that are processed at the same time. Each item waits mostly for storage writes. */
const lanes = 4;

/** Why one of several items was rejected. Equals the error response that a request for only this item would get. */
export const itemRefusal = z.object({
  http_status: z.int().describe('The HTTP status that a separate request for this item would return.'),
  detail: z.string().describe('The reason why the item was rejected.'),
  error_code: z
    .string()
    .nullable()
    .describe('The error_code that a separate request for this item would return.'),
  retry_after: z
    .int()
    .nullable()
    .meta({ description: 'Seconds after which a repeat may succeed; null if unknown.' }),
});

export type ItemRefusal = z.infer<typeof itemRefusal>;

/**
 * Processes the items of one request, `lanes` at a time. A rejected item does not stop the others.
 * @returns the result of each item, in the order of the items
 */
export async function eachItem<T, R>(
  { services, requestId }: { services: Pick<Services, 'log'>; requestId: string },
  items: readonly T[],
  { work, refuse }: { work: (item: T) => Promise<R>; refuse: (item: T, refusal: ItemRefusal) => R },
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting)
      results[index] = await work(item).catch((error: unknown) =>
        refuse(item, refusalOf(services, requestId, error)),
      );
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function refusalOf({ log }: Pick<Services, 'log'>, requestId: string, thrown: unknown): ItemRefusal {
  const error = toAppError(thrown);
  if (error.code === 'internal_error')
    log.error({ request_id: requestId, error: describeForLog(error.cause) }, 'unexpected failure');
  return {
    http_status: error.status,
    detail: error.message,
    error_code: error.code,
    retry_after: error.retryAfter ?? null,
  };
}
