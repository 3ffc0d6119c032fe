import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { seal, secretsKeyId } from '#server/platform/encryption.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { AccountStore } from '#server/platform/stores/blob-store.ts';
import { defaultPrefixes, type StorageBinding } from './schema.ts';

/** Returns the tenant's binding; undefined if the tenant uses platform storage. */
export async function selectBinding(tx: Tx, tenantId: string): Promise<Binding | undefined> {
  const [row] = await tx.select().from(storageBindings).where(eq(storageBindings.tenantId, tenantId));
  return row;
}

/** Returns the binding of the transaction's tenant, whose id need not be known yet. */
export async function selectBindingInScope(tx: Tx): Promise<Binding | undefined> {
  const [row] = await tx
    .select()
    .from(storageBindings)
    .where(sql`${storageBindings.tenantId} = tenant_scope_from()`);
  return row;
}

/** Returns the tenant's view of its binding; without a binding, the view of platform storage. */
export function bindingView(
  binding: Binding | undefined,
  { STORAGE_PRINCIPAL_CLIENT_ID }: Services['settings'],
): StorageBinding {
  const principal_client_id = STORAGE_PRINCIPAL_CLIENT_ID ?? null;
  if (!binding)
    return {
      provider: 'platform',
      account_url: null,
      filesystem: null,
      auth_mode: null,
      has_secret: false,
      prefixes: { ...defaultPrefixes },
      status: 'verified',
      last_error: null,
      principal_client_id,
      created_at: null,
      updated_at: null,
      updated_by: null,
      last_verified_at: null,
    };
  return {
    provider: 'datalake',
    account_url: binding.accountUrl,
    filesystem: binding.filesystem,
    auth_mode: binding.authMode,
    has_secret: binding.secret !== null,
    prefixes: prefixesOf(binding),
    status: binding.status,
    last_error: binding.lastError,
    principal_client_id,
    created_at: binding.createdAt.toISOString(),
    updated_at: binding.updatedAt.toISOString(),
    updated_by: binding.updatedBy,
    last_verified_at: binding.lastVerifiedAt?.toISOString() ?? null,
  };
}

function prefixesOf({ documentsPrefix, goldenPrefix, terminologyPrefix }: Binding) {
  return { documents: documentsPrefix, golden: goldenPrefix, terminology: terminologyPrefix };
}

/** Returns the columns that store an encrypted secret. */
export function sealSecret(
  { secretsKeys }: Pick<Services, 'secretsKeys'>,
  tenantId: string,
  secret: string,
): Pick<Binding, 'secret' | 'secretKeyId'> {
  return {
    secret: seal(secretsKeys, 'storage', tenantId, Buffer.from(secret)),
    secretKeyId: secretsKeyId(secretsKeys.current),
  };
}

/**
 * Opens the account of a binding. If a tenant's account cannot be used, work of the tenant is rejected: nothing is
 * written elsewhere.
 * @throws AppError 409 storage_binding_not_verified
 */
export function openVerified(
  { accountStores }: Pick<Services, 'accountStores'>,
  binding: Binding,
): AccountStore {
  if (binding.status !== 'verified')
    throw notVerified(
      `the storage of this workspace is not verified (status=${binding.status}); verify it with POST /api/storage/binding/verify, or return to platform storage`,
    );
  const store = accountStores.open(binding);
  if (!store)
    throw notVerified(
      'the stored secret of the storage binding is missing or cannot be decrypted; send it again with PUT /api/storage/binding, and verify the binding',
    );
  return store;
}

export function notVerified(detail: string): AppError {
  return new AppError('storage_binding_not_verified', detail);
}

/** Returns the https URL of an object in the account. */
export function addressIn({ accountUrl, filesystem }: Binding, path: string): string {
  return `${accountUrl}/${filesystem}/${path}`;
}

/** Returns the path of an object from its URL; undefined if the URL is not in the container of this binding. */
export function pathIn(binding: Binding, address: string): string | undefined {
  const start = addressIn(binding, '');
  return address.startsWith(start) ? address.slice(start.length) : undefined;
}
