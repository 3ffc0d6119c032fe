import { newIdempotencyKey } from './idempotency-key.ts';
import type { CallOptions, CreateOptions } from './options.ts';
import { itemsOf, type Page } from './pages.ts';
import type { Rpc } from './rpc.ts';
import type { Call, Send } from './send.ts';
import type { TranslationJob, TranslationListQuery, TranslationRequest } from './types.ts';

/** Texts and their translation jobs. */
export interface Translations {
  /**
   * Translates a text and answers its job: `published`, or `awaiting_review` where a person must look first.
   * Sent with an idempotency key, so that a retry never translates or bills twice.
   */
  create(request: TranslationRequest, options?: CreateOptions): Promise<TranslationJob>;
  /** The job of this id; NotFoundError where there is none that this credential may see. */
  get(jobId: string, options?: CallOptions): Promise<TranslationJob>;
  /** The tenant's jobs, last changed first, page after page as they are asked for. */
  list(query?: TranslationListQuery, options?: CallOptions): AsyncIterable<TranslationJob>;
  /** One page of `list`. */
  listPage(query?: TranslationListQuery, options?: CallOptions): Promise<Page<TranslationJob>>;
}

const createCall: Call = { name: 'translations.create', repeatable: true };
const getCall: Call = { name: 'translations.get', repeatable: true };
const listCall: Call = { name: 'translations.list', repeatable: true };

export function translations(rpc: Rpc, send: Send): Translations {
  const { create, get, list } = rpc.translations;

  const listPage: Translations['listPage'] = async (query = {}, options) => {
    let nextCursor: string | null = null;
    const onHeaders: Call['onHeaders'] = (headers) => {
      nextCursor = headers.get('x-next-cursor');
    };
    const items = await send({ ...listCall, onHeaders }, (attempt) => list.query(query, attempt), options);
    return { items, nextCursor };
  };

  return {
    create(request, options) {
      const idempotency_key = request.idempotency_key ?? options?.idempotencyKey ?? newIdempotencyKey();
      const input = { ...request, idempotency_key };
      return send(createCall, (attempt) => create.mutate(input, attempt), options);
    },
    get: (jobId, options) => send(getCall, (attempt) => get.query({ job_id: jobId }, attempt), options),
    list: (query, options) => ({
      [Symbol.asyncIterator]: () =>
        itemsOf(
          (cursor) => listPage(cursor === undefined ? query : { ...query, cursor }, options),
          query?.cursor,
        ),
    }),
    listPage,
  };
}
