import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type { StorageBinding, StorageBindingRequest, StorageUsage } from './types.ts';

/**
 * The storage of a tenant's published records and documents: platform storage, or the tenant's own Azure Data Lake
 * account.
 */
export interface Storage {
  /** The binding and its status; that of platform storage without a binding. */
  binding(options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Connects an account: the request is the complete desired state. Work is rejected (ConflictError with the code
   * `storage_binding_not_verified`) until `verify` succeeds. With the same `auth_mode` the stored `secret` stays if
   * none is given. For administrators and the tenant's key.
   */
  bind(request: StorageBindingRequest, options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Returns to platform storage. Translations that waited for storage are published there: `replay` counts them.
   * Existing data stays in the account. For administrators and the tenant's key.
   */
  unbind(options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Writes, reads and removes an object in the account. A failed probe is not an error: `status` is `error`, and
   * `last_error` has the provider's message. A success publishes translations that waited for storage: `replay`
   * counts them. It may take half a minute.
   */
  verify(options?: CallOptions): ApiPromise<StorageBinding>;
  /** The platform storage that the tenant's documents use, and its limit. */
  usage(options?: CallOptions): ApiPromise<StorageUsage>;
}

const bindingCall: Call = { name: 'storage.binding', repeatable: true, result: ['provider'] };
/** Repeatable: the same desired state twice is that state. */
const bindCall: Call = { name: 'storage.bind', repeatable: true, result: ['provider'] };
const unbindCall: Call = { name: 'storage.unbind', repeatable: true, result: ['provider'] };
const verifyCall: Call = { name: 'storage.verify', repeatable: true, result: ['provider'] };
const usageCall: Call = { name: 'storage.usage', repeatable: true, result: ['bytes_used'] };

const path = '/api/storage/binding';

export function storage({ json }: Connection): Storage {
  return {
    binding: (options) => json(bindingCall, { method: 'GET', path }, options),
    bind: (request, options) => json(bindCall, { method: 'PUT', path, json: request }, options),
    unbind: (options) => json(unbindCall, { method: 'DELETE', path }, options),
    verify: (options) => json(verifyCall, { method: 'POST', path: `${path}/verify` }, options),
    usage: (options) => json(usageCall, { method: 'GET', path: '/api/storage/usage' }, options),
  };
}
