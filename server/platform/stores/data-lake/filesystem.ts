import type { TokenCredential } from '@azure/identity';
import {
  AnonymousCredential,
  DataLakeFileSystemClient,
  StorageSharedKeyCredential,
} from '@azure/storage-file-datalake';
import { Agent, type Dispatcher } from 'undici';
import { rangeOf } from '#server/platform/outbound/checked-lookup.ts';
import { azureIdentity } from '../../azure-identity.ts';
import { checkedLookup, type Resolve } from '../../outbound/checked-lookup.ts';
import { StoreError } from '../blob-store.ts';
import {
  accountOf,
  bareSas,
  checkSecret,
  type DataLakeAddress,
  type DataLakeCredential,
  readConnectionString,
} from '../data-lake-address.ts';
import { accountClient } from './account-client.ts';
import { toStoreError } from './failures.ts';

export interface FilesystemOptions {
  /**
   * The URL to connect to in place of account URLs (STORAGE_ENDPOINT_OVERRIDE). `{account}` in the URL is replaced by
   * the name of the account.
   */
  endpointOverride?: string | undefined;
  /** Selects one managed identity, if the deployment has several (STORAGE_PRINCIPAL_CLIENT_ID). */
  principalClientId?: string | undefined;
  /**
   * Timeout of a request in milliseconds. For a body that is streamed, it applies to each wait for data. Default: 20
   * seconds.
   */
  timeout?: number;
  /** Milliseconds before a request is repeated. Default: 300. */
  retryDelay?: number;
  resolve?: Resolve;
}

/** The access for an authentication mode: the signer of requests, and the token for their URLs. */
interface Access {
  signer: StorageSharedKeyCredential | AnonymousCredential | TokenCredential;
  sas?: string;
  /** Texts that no error message may contain. */
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
      // Check the format: the token becomes part of URLs, so no other text may be used as a token.
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

/** The connections that all Data Lakes of this process share. */
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
    // The package must not retry: the account's client does, because it has more details about a failure.
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

/** Returns the identity of this deployment, whose failures are errors of the store. */
async function managedIdentity(clientId: string | undefined): Promise<TokenCredential> {
  const identity = await azureIdentity(clientId);
  return {
    getToken: (scopes, options) =>
      identity.getToken(scopes, options).catch((error: unknown) => {
        throw toStoreError(error);
      }),
  };
}

/** Maximum connections to one account. Other requests wait; the wait counts as part of their timeout. */
const maxConnections = 64;
/** Milliseconds after which an unused connection is closed. */
const keptAlive = 30_000;
/** Timeout to connect, in milliseconds. */
const connectTimeout = 10_000;

/**
 * Ranges of addresses that are rejected for accounts. Private addresses are allowed, because accounts may have
 * private endpoints.
 */
const rejected = new Set(['loopback', 'link_local', 'reserved']);

function admit(host: string, addresses: string[]): void {
  for (const address of addresses) {
    const range = rangeOf(address);
    if (rejected.has(range))
      throw new StoreError(`${host} has a ${range} IP address, which is not allowed`, 'address_refused');
  }
}

/** Opens connections to accounts. Connections are kept alive; each checks the address of its host once. */
export function openConnections(resolve?: Resolve): Dispatcher {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    keepAliveTimeout: keptAlive,
    connect: { lookup: checkedLookup(admit, resolve), timeout: connectTimeout },
  });
}

/** Opens connections to STORAGE_ENDPOINT_OVERRIDE. Any address is allowed. */
function openOverrideConnections(): Dispatcher {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    keepAliveTimeout: keptAlive,
    connect: { timeout: connectTimeout },
  });
}
