import type { storageBindings } from '#db/schema/storage.ts';
import type { Settings } from '#server/settings.ts';
import { type SecretsKeys, secretsKeyId, unseal } from '../encryption.ts';
import type { AccountStore } from './blob-store.ts';
import { type DataLakeOptions, openDataLake } from './data-lake.ts';
import type { DataLakeCredential } from './data-lake-address.ts';

/** The stored connection of a tenant to its own account. */
export type Binding = typeof storageBindings.$inferSelect;

/**
 * The tenants' own accounts. A store keeps connections and tokens, so it is opened only once for each revision of a
 * binding.
 */
export interface AccountStores {
  /** Returns the store of a binding; undefined if the binding's secret is missing or cannot be read. */
  open(binding: Binding): AccountStore | undefined;
}

/** Maximum stores that stay open. The others are opened again when they are needed. */
const maxOpen = 500;

export function openAccountStores(
  settings: Settings,
  secretsKeys: SecretsKeys,
  times: Pick<DataLakeOptions, 'timeout' | 'retryDelay'> = {},
): AccountStores {
  const opened = new Map<string, { revision: string; store: AccountStore }>();
  return {
    open(binding) {
      const { tenantId, accountUrl, filesystem } = binding;
      const revision = `${binding.createdAt.getTime()} ${binding.revision}`;
      const known = opened.get(tenantId);
      if (known?.revision === revision) return known.store;
      const credential = readCredential(secretsKeys, binding);
      if (!credential) return undefined;
      const store = openDataLake({ accountUrl, filesystem }, credential, {
        endpointOverride: settings.STORAGE_ENDPOINT_OVERRIDE,
        principalClientId: settings.STORAGE_PRINCIPAL_CLIENT_ID,
        ...times,
      });
      opened.delete(tenantId);
      const [oldest] = opened.keys();
      if (oldest !== undefined && opened.size >= maxOpen) opened.delete(oldest);
      opened.set(tenantId, { revision, store });
      return store;
    },
  };
}

function readCredential(secretsKeys: SecretsKeys, binding: Binding): DataLakeCredential | undefined {
  const { authMode } = binding;
  if (authMode === 'managed_identity') return { mode: 'managed_identity' };
  const secret = readSecret(secretsKeys, binding);
  return secret === undefined ? undefined : credentialBy(authMode, secret);
}

/** Returns the secret of a binding; undefined if it is missing or was sealed with a deleted key. */
export function readSecret(
  secretsKeys: SecretsKeys,
  { tenantId, secret, secretKeyId }: Pick<Binding, 'tenantId' | 'secret' | 'secretKeyId'>,
): string | undefined {
  const { current, previous } = secretsKeys;
  const keyIds = [current, previous].flatMap((key) => (key ? [secretsKeyId(key)] : []));
  if (secret === null || secretKeyId === null || !keyIds.includes(secretKeyId)) return undefined;
  try {
    return unseal(secretsKeys, 'storage', tenantId, secret).toString();
  } catch {
    return undefined;
  }
}

/** Returns the credential for an authentication mode and its secret. */
export function credentialBy(mode: 'sas' | 'connection_string', secret: string): DataLakeCredential {
  return mode === 'sas' ? { mode, token: secret } : { mode, connectionString: secret };
}
