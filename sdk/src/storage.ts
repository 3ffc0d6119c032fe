import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type { StorageBinding, StorageBindingRequest, StorageUsage } from './types.ts';

/** Where a tenant keeps its published records and its documents: the platform's storage, or an Azure Data Lake account of its own. */
export interface Storage {
  /** The binding and its status; before anything is bound, the platform's. */
  binding(options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Binds an account: the request is the complete desired state. Work is refused (ConflictError with the code
   * `storage_binding_not_verified`) until `verify` succeeds.
   * With the same `auth_mode` the stored `secret` stays where none is given. For administrators and the tenant's key.
   */
  bind(request: StorageBindingRequest, options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Returns to the platform's storage. Translations that waited for storage are published there: `replay` counts them. What was
   * written to the account stays there. For administrators and the tenant's key.
   */
  unbind(options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Writes, reads and removes an object in the account. A failed probe is no error: `status` is `error`, and `last_error` has the
   * provider's words. A success publishes translations that waited for storage: `replay` counts them. It may take half a minute.
   */
  verify(options?: CallOptions): ApiPromise<StorageBinding>;
  /** What the tenant's documents occupy in the platform's storage, and what they may. */
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
