/*
 * The URLs and secrets of Data Lake accounts, and checks of their format. A user may enter a secret in the field for
 * a URL, so no message contains the entered text.
 */

/** The location of a Data Lake. */
export interface DataLakeAddress {
  /** `https://<account>.dfs.core.windows.net` */
  accountUrl: string;
  /** The name of the container. */
  filesystem: string;
}

/** The credential with which the service accesses a Data Lake. */
export type DataLakeCredential =
  | { mode: 'managed_identity' }
  | { mode: 'sas'; token: string }
  | { mode: 'connection_string'; connectionString: string };

/** A problem of an entered text, as a message for people. It never contains the text. */
export interface Problem {
  problem: string;
}

/** Maximum characters of a secret. A SAS token has about 150 to 400. */
const maxSecretLength = 8192;

/**
 * Reads the URL of an account: the https URL of the account's dfs or blob endpoint, without port, path (except for
 * one slash), query, fragment or user.
 * @returns the URL of the dfs endpoint
 */
export function parseAccountUrl(text: string): { accountUrl: string } | Problem {
  const account = /^https:\/\/([a-z0-9]{3,24})\.(?:dfs|blob)\.core\.windows\.net\/?$/.exec(text)?.[1];
  if (account) return { accountUrl: `https://${account}.dfs.core.windows.net` };
  return {
    problem:
      "must be the account's own endpoint, https://<account>.dfs.core.windows.net or https://<account>.blob.core.windows.net, without port, path or query",
  };
}

/** Returns the name of the account from a URL that `parseAccountUrl` has returned. */
export function accountOf(accountUrl: string): string {
  return accountUrl.slice('https://'.length, accountUrl.indexOf('.'));
}

/**
 * Checks the name of a filesystem (a container).
 * @returns null if the name is valid
 */
export function checkFilesystem(name: string): Problem | null {
  if (/^[a-z0-9](-?[a-z0-9])+$/.test(name) && name.length >= 3 && name.length <= 63) return null;
  return {
    problem:
      'must be 3 to 63 lowercase letters, digits and single hyphens, beginning and ending with a letter or digit',
  };
}

/**
 * Checks the format of a secret.
 * @returns null if the secret has the format that its authentication mode requires
 */
export function checkSecret(accountUrl: string, credential: DataLakeCredential): Problem | null {
  switch (credential.mode) {
    case 'managed_identity':
      return null;
    case 'sas':
      return isSas(credential.token)
        ? null
        : { problem: 'must be a SAS token: the query of a URL, with sv and sig' };
    case 'connection_string': {
      const access = readConnectionString(accountUrl, credential.connectionString);
      return 'problem' in access ? access : null;
    }
  }
}

/** Returns a SAS token without its leading question mark. */
export function bareSas(token: string): string {
  return token.replace(/^\?/, '');
}

function isSas(token: string): boolean {
  const bare = bareSas(token);
  // The characters that are valid in a query (RFC 3986). The token is inserted into URLs without escaping.
  if (bare.length > maxSecretLength || !/^[\w.~!$&'()*+,;=:@/?%-]+$/.test(bare)) return false;
  const fields = new URLSearchParams(bare);
  return ['sv', 'sig'].every((name) => fields.get(name));
}

/**
 * Reads the credential in a connection string. Endpoints in the connection string are ignored, because the URL of the
 * account is known.
 */
export function readConnectionString(
  accountUrl: string,
  text: string,
): { accountKey: string } | { sas: string } | Problem {
  const fields = new Map(
    text
      .split(';')
      .map((field) => field.trim())
      .filter(Boolean)
      .map((field): [string, string] => {
        const equals = field.indexOf('=');
        return [field.slice(0, equals).toLowerCase(), field.slice(equals + 1)];
      }),
  );
  if (text.length > maxSecretLength || !fields.has('accountname'))
    return { problem: 'must be a connection string with AccountName' };
  if (fields.get('accountname') !== accountOf(accountUrl))
    return { problem: 'must be a connection string of the account in account_url' };
  const accountKey = fields.get('accountkey');
  if (accountKey !== undefined)
    return isBase64(accountKey) ? { accountKey } : { problem: 'must have an AccountKey in base64' };
  const sas = fields.get('sharedaccesssignature');
  if (sas === undefined) return { problem: 'must have an AccountKey or a SharedAccessSignature' };
  return isSas(sas)
    ? { sas: bareSas(sas) }
    : { problem: 'must have a SharedAccessSignature with sv and sig' };
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0;
}

/** The Data Lake in which the platform stores its objects. */
interface PlatformLake {
  address: DataLakeAddress;
  /** The folder in the filesystem that contains all objects; empty if they are at the top. */
  folder: string;
  credential: DataLakeCredential;
}

/** Reads PLATFORM_STORAGE_URL: `https://<account>.dfs.core.windows.net/<filesystem>[/folder][?<SAS token>]`. */
export function parsePlatformLake(text: string): PlatformLake | Problem {
  const { protocol, host, pathname, search, hash, username, password } = new URL(text);
  const account = parseAccountUrl(`${protocol}//${host}`);
  if ('problem' in account || hash || username || password)
    return {
      problem: 'must be https://<account>.dfs.core.windows.net/<filesystem>, with or without a SAS token',
    };
  const [filesystem = '', ...folders] = pathname.split('/').filter(Boolean);
  const wrong = checkFilesystem(filesystem);
  if (wrong) return { problem: `the filesystem ${wrong.problem}` };
  if (!folders.every((part) => /^[\w-][\w.-]*$/.test(part)))
    return { problem: 'the directory may have only letters, digits, "_", "-" and "."' };
  const credential: DataLakeCredential = search
    ? { mode: 'sas', token: bareSas(search) }
    : { mode: 'managed_identity' };
  const secret = checkSecret(account.accountUrl, credential);
  if (secret) return { problem: `the query ${secret.problem}` };
  return {
    address: { accountUrl: account.accountUrl, filesystem },
    folder: folders.join('/'),
    credential,
  };
}
