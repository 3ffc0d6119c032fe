import { randomBytes } from 'node:crypto';
import { type DataLakeOptions, openDataLake } from '#server/platform/stores/data-lake.ts';
import type { DataLakeCredential } from '#server/platform/stores/data-lake-address.ts';
import { type DataLakeEmulator, type DataLakeEmulatorParts, startDataLake } from './data-lake-emulator.ts';

/** An emulated account with one filesystem, and the secrets that it accepts. */
export interface TestAccount {
  lake: DataLakeEmulator;
  name: string;
  address: { accountUrl: string; filesystem: string };
  sas: string;
  key: string;
  /** The credentials for the two modes that need a secret. */
  credentials: { [mode in 'sas' | 'connection_string']: Extract<DataLakeCredential, { mode: mode }> };
  /** An access token. */
  bearer: string;
  open(options?: DataLakeOptions & { credential?: DataLakeCredential }): ReturnType<typeof openDataLake>;
  /** The visible content of an object as text; undefined if there is no such object. */
  text(path: string): string | undefined;
}

/** Starts an emulator with the account `contoso` and its filesystem `files`. */
export async function startAccount(
  parts: Omit<DataLakeEmulatorParts, 'accounts'> = {},
): Promise<TestAccount> {
  return addAccount(await startDataLake({ accounts: {}, ...parts }), 'contoso');
}

/** Adds an account with the filesystem `files` to an emulator. */
export function addAccount(lake: DataLakeEmulator, account: string): TestAccount {
  const signature = randomBytes(32).toString('base64');
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  const sas = new URLSearchParams({
    sv: '2024-11-04',
    sr: 'c',
    sp: 'rwcdl',
    se: expiry,
    sig: signature,
  }).toString();
  const key = randomBytes(64).toString('base64');
  const bearer = randomBytes(32).toString('base64url');
  lake.addAccount(account, { filesystems: ['files'], sas: [sas], key, bearer: [bearer] });
  const address = { accountUrl: `https://${account}.dfs.core.windows.net`, filesystem: 'files' };
  const credentials = {
    sas: { mode: 'sas', token: `?${sas}` },
    connection_string: {
      mode: 'connection_string',
      connectionString: `DefaultEndpointsProtocol=https;AccountName=${account};AccountKey=${key};EndpointSuffix=core.windows.net`,
    },
  } satisfies TestAccount['credentials'];
  return {
    lake,
    name: account,
    address,
    sas,
    key,
    bearer,
    credentials,
    open: ({ credential = credentials.sas, ...options } = {}) =>
      openDataLake(address, credential, { endpointOverride: lake.url, retryDelay: 10, ...options }),
    text: (path) => lake.files(account, 'files').get(path)?.toString('utf8'),
  };
}
