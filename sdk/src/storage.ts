import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type { StorageBinding, StorageBindingRequest, StorageUsage } from './types.ts';

/**
 * The storage in which a tenant keeps its published records and documents: platform storage, or the tenant's own
 * Azure Data Lake account.
 */
export interface Storage {
  /**
   * Returns the storage binding and its status. A tenant without its own account gets the status of platform storage.
   */
  binding(options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Connects the tenant's own account. The request contains the complete configuration. Only the `secret` may be
   * omitted: if `auth_mode` does not change, the stored secret is kept. Until `verify` succeeds, the service rejects
   * new work with a ConflictError whose code is `storage_binding_not_verified`. Allowed for administrators and for
   * the tenant's API key.
   */
  bind(request: StorageBindingRequest, options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Disconnects the tenant's own account, so that the tenant uses platform storage again. Translations that could not
   * be stored before are published there; `replay` counts them. Data that are already in the account stay there.
   * Allowed for administrators and for the tenant's API key.
   */
  unbind(options?: CallOptions): ApiPromise<StorageBinding>;
  /**
   * Tests the account by writing, reading and removing an object. A failed test is not an error of the call: `status`
   * is `error`, and `last_error` has the message of the storage provider. After a successful test, translations that
   * could not be stored before are published; `replay` counts them. The call may take half a minute.
   */
  verify(options?: CallOptions): ApiPromise<StorageBinding>;
  /** Returns how much platform storage the tenant's documents use, and the limit. */
  usage(options?: CallOptions): ApiPromise<StorageUsage>;
}

const bindingCall: Call = { name: 'storage.binding', repeatable: true, result: ['provider'] };
/** Repeatable: sending the same configuration twice has the same effect as sending it once. */
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
