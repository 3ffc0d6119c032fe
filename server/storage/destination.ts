import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';
import { StoreError } from '#server/platform/stores/store-error.ts';
import { addressIn, openVerified, pathIn, selectBinding, selectBindingInScope } from './bindings.ts';

/*
 * Where a tenant's records and files go, and where they are (B "Routing"). An address is relative to the tenant's part of the platform's
 * storage (`golden/…`), or the https address of an object in its own account: what was written stays where it is when the binding changes.
 */

/** Where a tenant's new records and files go. */
export type Destination =
  | { provider: 'platform' }
  | { provider: 'datalake'; binding: Binding; store: BlobStore };

export type DestinationServices = Pick<Services, 'accountStores' | 'database' | 'settings'>;

/**
 * Where the tenant's records and files go now.
 * @throws AppError 409 storage_binding_not_verified: never to the platform instead of the tenant's own account
 */
export async function destinationOf(services: DestinationServices, tenantId: string): Promise<Destination> {
  if (!services.settings.STORAGE_BINDING_ENABLED) return { provider: 'platform' };
  return services.database.inTenant(tenantId, (tx) => destinationIn(tx, services, tenantId));
}

/** The same by a binding that was read. */
export function destinationBy(
  services: Pick<Services, 'accountStores'>,
  binding: Binding | undefined,
): Destination {
  if (!binding) return { provider: 'platform' };
  return { provider: 'datalake', binding, store: openVerified(services, binding) };
}

/** Why the storage of the transaction's tenant cannot be used; null if it can. */
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

/** An object, as the store that has it names it. */
export interface Located {
  store: BlobStore;
  path: string;
}

/** An object that is to be written, with its address. */
export type Placed = Located & { address: string };

/** Where an address is in the platform's storage. */
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

/** An object that goes to a destination: its address, and where it is written. */
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
 * Finds what an address names.
 * @returns null for an object in an account that the tenant's binding does not open any more
 * @throws AppError 409 storage_binding_not_verified while the binding of its account cannot be used
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

/** What a failing store means for a caller: the words of a tenant's own provider, and that it may be tried again. */
export function storageFailure(error: unknown): unknown {
  if (!(error instanceof StoreError)) return error;
  return new AppError('transient_error', `the storage of this workspace failed: ${error.message}`, {
    dependency: 'storage',
    cause: error,
  });
}

/** The destination of a tenant's files, within a transaction that checks its request. @throws AppError 409 storage_binding_not_verified */
export async function destinationIn(
  tx: Tx,
  services: Pick<Services, 'accountStores' | 'settings'>,
  tenantId: string,
): Promise<Destination> {
  if (!services.settings.STORAGE_BINDING_ENABLED) return { provider: 'platform' };
  return destinationBy(services, await selectBinding(tx, tenantId));
}

/**
 * Removes what an address names. @returns whether it existed and could be reached
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
