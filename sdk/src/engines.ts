import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { EngineKey, EngineRemoval, EngineRequest, EngineTest, WorkspaceEngine } from './types.ts';

/**
 * The engine that a tenant uses with its own key at DeepL, Azure Translator, Google, OpenAI or Anthropic, in place of the
 * engines of the deployment. Allowed for administrators and for API keys with the scope `admin`.
 */
export interface Engines {
  /** Returns the engine, without its key. All fields are null if the tenant has none. */
  get(options?: CallOptions): ApiPromise<WorkspaceEngine>;
  /**
   * Stores the complete engine, which translates from now on. Only `api_key` may be omitted while `kind` stays: the stored
   * key is then kept. A session that has not proved its identity in the last ten minutes gets a PermissionDeniedError.
   */
  save(request: EngineRequest, options?: CallOptions): ApiPromise<WorkspaceEngine>;
  /**
   * Removes the engine and its key. Within a minute, every process has stopped using the key. Needs a proof like `save`.
   * @param engine the engine that was read: if it has changed since then, the call throws a ConflictError
   */
  remove(engine?: EngineRemoval, options?: CallOptions): ApiPromise<WorkspaceEngine>;
  /**
   * Translates a short text with a key, or with the stored one if `api_key` is missing. A failed test is not an error of the
   * call: `result` has the reason. The call may take 15 seconds.
   */
  test(key: EngineKey, options?: CallOptions): ApiPromise<EngineTest>;
}

export function engines({ mutate, query }: Connection): Engines {
  return {
    get: (options) => query('engines.get', undefined, options),
    save: (request, options) => mutate('engines.save', request, options),
    remove: (engine = {}, options) => mutate('engines.remove', engine, options),
    test: (key, options) => mutate('engines.test', key, options),
  };
}
