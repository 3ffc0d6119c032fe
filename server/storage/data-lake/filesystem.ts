import type { TokenCredential } from '@azure/identity';
import type {
  AnonymousCredential,
  DataLakeFileSystemClient,
  StorageSharedKeyCredential,
} from '@azure/storage-file-datalake';
import type { Dispatcher } from 'undici';
import type { Resolve } from '#server/outbound/checked-lookup.ts';
import {
  accountOf,
  bareSas,
  type DataLakeAddress,
  type DataLakeCredential,
  readConnectionString,
} from '../data-lake-address.ts';
import { StoreError } from '../store-error.ts';
import { accountClient } from './account-client.ts';
import { openConnections, openOverrideConnections } from './connections.ts';
import { managedIdentity } from './managed-identity.ts';

export interface FilesystemOptions {
  /** STORAGE_ENDPOINT_OVERRIDE: what is dialled instead of account URLs; `{account}` in it stands for the account's name. */
  endpointOverride?: string | undefined;
  /** STORAGE_PRINCIPAL_CLIENT_ID: which managed identity, if the deployment has several. */
  principalClientId?: string | undefined;
  /** Milliseconds for a request. */
  timeout?: number;
  resolve?: Resolve;
}

type Package = typeof import('@azure/storage-file-datalake');

/** The signer of a mode's requests, and the token for their addresses. */
interface Access {
  signer: StorageSharedKeyCredential | AnonymousCredential | TokenCredential;
  sas?: string;
}

type AccessOf<M extends DataLakeCredential['mode']> = (
  loaded: Package,
  accountUrl: string,
  credential: Extract<DataLakeCredential, { mode: M }>,
  options: FilesystemOptions,
) => Access | Promise<Access>;

const accessOf: { [M in DataLakeCredential['mode']]: AccessOf<M> } = {
  managed_identity: async (_, __, ___, { principalClientId }) => ({
    signer: await managedIdentity(principalClientId),
  }),
  sas: ({ AnonymousCredential }, _, { token }) => ({
    signer: new AnonymousCredential(),
    sas: bareSas(token),
  }),
  connection_string: (
    { AnonymousCredential, StorageSharedKeyCredential },
    accountUrl,
    { connectionString },
  ) => {
    const access = readConnectionString(accountUrl, connectionString);
    if ('problem' in access) throw new StoreError(access.problem, 'connection_string');
    if ('sas' in access) return { signer: new AnonymousCredential(), sas: access.sas };
    return { signer: new StorageSharedKeyCredential(accountOf(accountUrl), access.accountKey) };
  },
};

let checkedConnections: Dispatcher | undefined;
let overrideConnections: Dispatcher | undefined;

/** Opens a filesystem. Makes no request yet. The packages are loaded with the first: they take a quarter of a second and 45 MB. */
export async function openFilesystem(
  { accountUrl, filesystem }: DataLakeAddress,
  credential: DataLakeCredential,
  options: FilesystemOptions,
): Promise<DataLakeFileSystemClient> {
  const loaded = await import('@azure/storage-file-datalake');
  const access = accessOf[credential.mode] as AccessOf<typeof credential.mode>;
  const { signer, sas } = await access(loaded, accountUrl, credential as never, options);
  const httpClient = accountClient({
    accountUrl,
    base: options.endpointOverride?.replaceAll('{account}', accountOf(accountUrl)),
    sas,
    connections: connectionsFor(options),
    timeout: options.timeout ?? 20_000,
  });
  return new loaded.DataLakeFileSystemClient(`${accountUrl}/${filesystem}`, signer, {
    httpClient,
    // Tries are repeated by the account's client, which knows more about what failed.
    retryOptions: { maxTries: 1 },
  });
}

function connectionsFor({ endpointOverride, resolve }: FilesystemOptions): Dispatcher {
  if (endpointOverride !== undefined) {
    overrideConnections ??= openOverrideConnections();
    return overrideConnections;
  }
  if (resolve) return openConnections(resolve);
  checkedConnections ??= openConnections();
  return checkedConnections;
}
