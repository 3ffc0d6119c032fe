import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type { StyleGuide, StyleGuideDeleteRequest, StyleGuideList, StyleGuideSaveRequest } from './types.ts';

/**
 * The style guides of a tenant: rules for its translations into one language, or into all. All members read them;
 * administrators and API keys with the scope `admin` change them.
 */
export interface StyleGuides {
  /** Returns the guides: the one of all languages first, then by language code. */
  list(options?: CallOptions): ApiPromise<StyleGuideList>;
  /** Returns the guide of a language; null is the guide of all languages. Throws NotFoundError. */
  get(targetLang: string | null, options?: CallOptions): ApiPromise<StyleGuide>;
  /**
   * Saves a guide, which applies to the next text. Throws ConflictError if the guide is not the given version any longer.
   * Retried only if the service certainly did nothing.
   */
  save(request: StyleGuideSaveRequest, options?: CallOptions): ApiPromise<StyleGuide>;
  /**
   * Deletes a guide. Throws ConflictError if the guide is not the given version any longer. Retried only if the service
   * certainly did nothing.
   */
  delete(request: StyleGuideDeleteRequest, options?: CallOptions): ApiPromise<void>;
}

const listCall: Call = { name: 'styleGuides.list', repeatable: true };
const getCall: Call = { name: 'styleGuides.get', repeatable: true };
/** Not repeatable: the first call has changed the version. */
const saveCall: Call = { name: 'styleGuides.save', repeatable: false };
const deleteCall: Call = { name: 'styleGuides.delete', repeatable: false };

export function styleGuides({ mutate, query }: Connection): StyleGuides {
  return {
    list: (options) => query(listCall, {}, options),
    get: (targetLang, options) => query(getCall, { target_lang: targetLang }, options),
    save: (request, options) => mutate(saveCall, request, options),
    delete: (request, options) => mutate(deleteCall, request, options),
  };
}
