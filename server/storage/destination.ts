import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { AccountStore, PlatformStore } from '#server/platform/stores/blob-store.ts';
import { StoreError } from '#server/platform/stores/blob-store.ts';
import { addressIn, openVerified, pathIn, selectBinding, selectBindingInScope } from './bindings.ts';

/*
 * Determines the store of a tenant's records and files. The address of an object is either a path in the tenant's part
 * of platform storage (`golden/…`), or the https URL of an object in the tenant's account. Objects stay in place when
 * the binding changes.
 */

/** The store of a tenant's new records and files. */
export type Destination =
  | { provider: 'platform' }
  | { provider: 'datalake'; binding: Binding; store: AccountStore };

export type DestinationServices = Pick<Services, 'accountStores' | 'database' | 'settings'>;

/**
 * Returns the store of the tenant's new records and files.
 * @throws AppError 409 storage_binding_not_verified: if the tenant's own account cannot be used, platform storage is
 *   not used instead
 */
export async function destinationOf(services: DestinationServices, tenantId: string): Promise<Destination> {
  if (!services.settings.STORAGE_BINDING_ENABLED) return { provider: 'platform' };
  return services.database.inTenant(tenantId, (tx) => destinationIn(tx, services, tenantId));
}

/** Returns the same as `destinationOf`, for a binding that was already read. */
export function destinationBy(
  services: Pick<Services, 'accountStores'>,
  binding: Binding | undefined,
): Destination {
  if (!binding) return { provider: 'platform' };
  return { provider: 'datalake', binding, store: openVerified(services, binding) };
}

/** Returns the reason why the storage of the transaction's tenant cannot be used; null if it can be used. */
export async function storageRefusalIn(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
): Promise<AppError | null> {
  if (!services.settings.STORAGE_BINDING_ENABLED) return null;
  const binding = await selectBindingInScope(tx);
  try {
    destinationBy(services, binding);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** An object: the store that has it, and its path there. */
export interface Located {
  store: AccountStore | PlatformStore;
  path: string;
}

/** An object that is to be written, with its address. */
export type Placed = Located & { address: string };

/** Returns the object with this address in platform storage. */
export function onPlatform(
  { storage }: Pick<Services, 'storage'>,
  tenantId: string,
  address: string,
): Located {
  return { store: storage, path: `${tenantId}/${address}` };
}

export function isInAccount(address: string): boolean {
  return address.startsWith('https://');
}

/** Returns the store and path at which an object is to be written for a destination, and the object's address. */
export function placeAt(
  services: Pick<Services, 'storage'>,
  tenantId: string,
  destination: Destination,
  path: { platform: string; account: (binding: Binding) => string },
): Placed {
  if (destination.provider === 'platform')
    return { ...onPlatform(services, tenantId, path.platform), address: path.platform };
  const { binding, store } = destination;
  const inAccount = path.account(binding);
  return { store, path: inAccount, address: addressIn(binding, inAccount) };
}

export type LocatingServices = DestinationServices & Pick<Services, 'storage'>;

/**
 * Finds the object with an address.
 * @returns null for an object in an account that the tenant's binding no longer opens
 * @throws AppError 409 storage_binding_not_verified while the binding of the account cannot be used
 */
export async function locate(
  services: LocatingServices,
  tenantId: string,
  address: string,
): Promise<Located | null> {
  if (!isInAccount(address)) return onPlatform(services, tenantId, address);
  const destination = await destinationOf(services, tenantId);
  if (destination.provider === 'platform') return null;
  const path = pathIn(destination.binding, address);
  return path === undefined ? null : { store: destination.store, path };
}

/**
 * Converts the error of a store into the error for a caller. It contains the message of the tenant's own provider, and
 * the caller can retry.
 */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  return new AppError('transient_error', `the storage of this workspace failed: ${error.message}`, {
    dependency: 'storage',
    cause: error,
  });
}

/**
 * Returns the store of a tenant's new files. For a transaction that checks a request.
 * @throws AppError 409 storage_binding_not_verified
 */
export async function destinationIn(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
  tenantId: string,
): Promise<Destination> {
  if (!services.settings.STORAGE_BINDING_ENABLED) return { provider: 'platform' };
  return destinationBy(services, await selectBinding(tx, tenantId));
}

/**
 * Removes the object with an address.
 * @returns whether the object existed and its store could be reached
 * @throws AppError 409 storage_binding_not_verified; the store's error
 */
export async function removeAt(
  services: LocatingServices,
  tenantId: string,
  address: string,
): Promise<boolean> {
  const located = await locate(services, tenantId, address);
  return (await located?.store.remove(located.path)) ?? false;
}
