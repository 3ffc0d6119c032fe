import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
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

export function styleGuides({ mutateOnce, query }: Connection): StyleGuides {
  return {
    list: (options) => query('styleGuides.list', undefined, options),
    get: (targetLang, options) => query('styleGuides.get', { target_lang: targetLang }, options),
    // Not repeatable: the first call has changed the version.
    save: (request, options) => mutateOnce('styleGuides.save', request, options),
    delete: (request, options) => mutateOnce('styleGuides.delete', request, options),
  };
}
