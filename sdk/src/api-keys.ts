import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type {
  ApiKey,
  ApiKeyCreateRequest,
  ApiKeyList,
  ApiKeyListQuery,
  ApiKeyRotateRequest,
  ApiKeyUpdateRequest,
  ApiKeyWithSecret,
} from './types.ts';

/**
 * The API keys of a tenant. Requires the session of an administrator; no key is accepted. `create`, `update` and
 * `rotate` also require the password or a verification code.
 */
export interface ApiKeys {
  /** Returns the keys that are not revoked, or the latest revoked ones. */
  list(query?: ApiKeyListQuery, options?: CallOptions): ApiPromise<ApiKeyList>;
  /**
   * Creates a key and returns its secret, which the service never shows again. Throws ConflictError for a name in use,
   * or if the tenant has 100 keys. Retried only if the service certainly did nothing.
   */
  create(request: ApiKeyCreateRequest, options?: CallOptions): ApiPromise<ApiKeyWithSecret>;
  /** Changes the name, the scopes or the end of a key, from its next use on. */
  update(request: ApiKeyUpdateRequest, options?: CallOptions): ApiPromise<ApiKey>;
  /**
   * Gives a key a new secret, which the service never shows again. The previous secret stays valid for the overlap, by
   * default one day. Retried only if the service certainly did nothing.
   */
  rotate(request: ApiKeyRotateRequest, options?: CallOptions): ApiPromise<ApiKeyWithSecret>;
  /** Revokes a key: none of its secrets is accepted from now on. */
  revoke(keyId: string, options?: CallOptions): ApiPromise<ApiKey>;
}

export function apiKeys({ mutate, mutateOnce, query }: Connection): ApiKeys {
  return {
    list: (wanted = {}, options) => query('apiKeys.list', wanted, options),
    // Not repeatable: the first call has taken the name, and its secret would be lost.
    create: (request, options) => mutateOnce('apiKeys.create', request, options),
    // Not repeatable: a verification code is valid once.
    update: (request, options) => mutateOnce('apiKeys.update', request, options),
    // Not repeatable: a second call would replace the secret of the first one, which would be lost.
    rotate: (request, options) => mutateOnce('apiKeys.rotate', request, options),
    revoke: (keyId, options) => mutate('apiKeys.revoke', { key_id: keyId }, options),
  };
}
