import type { TokenCredential } from '@azure/identity';
import {
  AnonymousCredential,
  DataLakeFileSystemClient,
  StorageSharedKeyCredential,
} from '@azure/storage-file-datalake';
import type { Dispatcher } from 'undici';
import type { Resolve } from '../../outbound/checked-lookup.ts';
import {
  accountOf,
  bareSas,
  checkSecret,
  type DataLakeAddress,
  type DataLakeCredential,
  readConnectionString,
} from '../data-lake-address.ts';
import { StoreError } from '../store-error.ts';
import { accountClient } from './account-client.ts';
import { openConnections, openOverrideConnections } from './connections.ts';
import { managedIdentity } from './managed-identity.ts';

export interface FilesystemOptions {
  /**
   * STORAGE_ENDPOINT_OVERRIDE: the URL to connect to instead of account URLs; `{account}` in it is replaced by the
   * account's name.
   */
  endpointOverride?: string | undefined;
  /** STORAGE_PRINCIPAL_CLIENT_ID: which managed identity, if the deployment has several. */
  principalClientId?: string | undefined;
  /** Milliseconds for a request, 20 seconds unless given; of a body that is streamed, for each wait. */
  timeout?: number;
  /** Milliseconds before a request is tried again, 300 unless given. */
  retryDelay?: number;
  resolve?: Resolve;
}

/** The signer of a mode's requests, and the token for their URLs. */
interface Access {
  signer: StorageSharedKeyCredential | AnonymousCredential | TokenCredential;
  sas?: string;
  /** Texts that no message may repeat. */
  secrets: string[];
}

async function accessWith(
  accountUrl: string,
  credential: DataLakeCredential,
  principalClientId: string | undefined,
): Promise<Access> {
  switch (credential.mode) {
    case 'managed_identity':
      return { signer: await managedIdentity(principalClientId), secrets: [] };
    case 'sas': {
      // The token becomes part of URLs: a secret of another form must not.
      const wrong = checkSecret(accountUrl, credential);
      if (wrong) throw new StoreError(wrong.problem, 'sas');
      return accessBySas(bareSas(credential.token));
    }
    case 'connection_string': {
      const access = readConnectionString(accountUrl, credential.connectionString);
      if ('problem' in access) throw new StoreError(access.problem, 'connection_string');
      if ('sas' in access) return accessBySas(access.sas);
      return {
        signer: new StorageSharedKeyCredential(accountOf(accountUrl), access.accountKey),
        secrets: [access.accountKey],
      };
    }
  }
}

function accessBySas(sas: string): Access {
  const signature = new URLSearchParams(sas).get('sig') ?? '';
  const secrets = [sas, signature, encodeURIComponent(signature)].filter(Boolean);
  return { signer: new AnonymousCredential(), sas, secrets };
}

/** Shared by all lakes of this process. */
let checkedConnections: Dispatcher | undefined;
let overrideConnections: Dispatcher | undefined;

/** Opens a filesystem. Makes no request to it yet. */
export async function openFilesystem(
  { accountUrl, filesystem }: DataLakeAddress,
  credential: DataLakeCredential,
  options: FilesystemOptions,
): Promise<DataLakeFileSystemClient> {
  const { signer, sas, secrets } = await accessWith(accountUrl, credential, options.principalClientId);
  const httpClient = accountClient({
    accountUrl,
    base: options.endpointOverride?.replaceAll('{account}', accountOf(accountUrl)),
    sas,
    secrets,
    connections: connectionsFor(options),
    timeout: options.timeout ?? 20_000,
    retryDelay: options.retryDelay ?? 300,
  });
  return new DataLakeFileSystemClient(`${accountUrl}/${filesystem}`, signer, {
    httpClient,
    // The account's client retries, because it has more details of the failure.
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
