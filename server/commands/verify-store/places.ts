import { and, eq } from 'drizzle-orm';
import { storageBindings } from '#db/schema/storage.ts';
import { AppError } from '#server/errors.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { AccountStore, BlobStore, PlatformStore } from '#server/platform/stores/blob-store.ts';
import { StoreError } from '#server/platform/stores/blob-store.ts';
import { addressIn, pathIn, selectBinding } from '#server/storage/bindings.ts';
import { destinationBy, isInAccount, onPlatform } from '#server/storage/destination.ts';
import type { Comparison } from './comparison.ts';
import type { Compared } from './report.ts';

/** A store, and the folders in it that contain the records and files of one tenant. */
export interface Place {
  store: AccountStore | PlatformStore;
  goldenFolder: string;
  documentsFolder: string;
  /** Returns the path of an object from the URL or path in a row; undefined if the object is in another place. */
  pathOf(address: string): string | undefined;
  /** Returns the URL or path of an object in the format that rows have. */
  addressOf(path: string): string;
  isAccount: boolean;
  /**
   * The tenants whose rows may refer to objects in these folders. There may be several, because one account may be
   * connected to several tenants.
   */
  tenantIds: readonly string[];
}

/** The places in which a tenant's records and files may be. */
export interface Places {
  platform: Place;
  /**
   * The tenant's own account. Undefined if the tenant has none; a text with the reason if the account cannot be read.
   */
  account: Place | string | undefined;
}

export async function findPlaces(comparison: Comparison, tenantId: string): Promise<Places> {
  const { database, settings, storage } = comparison;
  const own = `${tenantId}/`;
  const platform: Place = {
    store: storage,
    goldenFolder: `${own}golden`,
    documentsFolder: `${own}documents`,
    pathOf: (address) => (isInAccount(address) ? undefined : onPlatform({ storage }, tenantId, address).path),
    addressOf: (path) => path.slice(own.length),
    isAccount: false,
    tenantIds: [tenantId],
  };
  const binding = settings.STORAGE_BINDING_ENABLED
    ? await database.inTenant(tenantId, (tx) => selectBinding(tx, tenantId))
    : undefined;
  return { platform, account: binding && (await accountOf(comparison, binding)) };
}

async function accountOf(comparison: Comparison, binding: Binding): Promise<Place | string> {
  try {
    const destination = destinationBy(comparison, binding);
    if (destination.provider === 'platform') return 'no account is connected';
    const { goldenPrefix, documentsPrefix } = binding;
    return {
      store: destination.store,
      goldenFolder: goldenPrefix.replace(/\/$/, ''),
      documentsFolder: documentsPrefix.replace(/\/$/, ''),
      pathOf: (address) => pathIn(binding, address),
      addressOf: (path) => addressIn(binding, path),
      isAccount: true,
      tenantIds: await boundTo(comparison, binding),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return binding.status === 'verified'
      ? 'its secret cannot be decrypted'
      : `the connection to it is ${binding.status}`;
  }
}

/** Lists the tenants that use the container of this account. */
async function boundTo({ database }: Comparison, { accountUrl, filesystem }: Binding): Promise<string[]> {
  const rows = await database.inPlatform((tx) =>
    tx
      .select({ tenantId: storageBindings.tenantId })
      .from(storageBindings)
      .where(and(eq(storageBindings.accountUrl, accountUrl), eq(storageBindings.filesystem, filesystem))),
  );
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * Reads the object to which a row refers, in platform storage or in the tenant's own account. If the account fails,
 * it is not read again.
 * @returns undefined if the account cannot be read; the object is then counted as not read
 */
export async function lookAt<T>(
  { report }: Comparison,
  places: Places,
  { what, tenantId, address }: { what: Compared; tenantId: string; address: string },
  look: (store: BlobStore, path: string) => Promise<T>,
): Promise<T | undefined> {
  const { account } = places;
  const place = isInAccount(address) ? account : places.platform;
  const path = typeof place === 'object' ? place.pathOf(address) : undefined;
  if (typeof place !== 'object' || path === undefined) {
    report.unreached(tenantId, typeof place === 'string' ? place : 'it is no longer connected', 1);
    return undefined;
  }
  try {
    const seen = await look(place.store, path);
    report.compared(what, 1);
    return seen;
  } catch (error) {
    if (!place.isAccount || !(error instanceof StoreError)) throw error;
    places.account = failureOf(error);
    report.unreached(tenantId, places.account, 1);
    return undefined;
  }
}

/** Runs work that reads the tenant's own account, if there is one. A failure of the account is reported. */
export async function inAccount(
  { report }: Comparison,
  places: Places,
  tenantId: string,
  work: (account: Place) => Promise<void>,
): Promise<void> {
  if (places.account === undefined) return;
  if (typeof places.account === 'string') return report.unreached(tenantId, places.account, 0);
  try {
    await work(places.account);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    places.account = failureOf(error);
    report.unreached(tenantId, places.account, 0);
  }
}

/** Returns only the code of the error: the message of the service may contain anything. */
function failureOf({ code }: StoreError): string {
  return `it failed: ${code.replaceAll(/[^\w.-]/g, '?')}`;
}
