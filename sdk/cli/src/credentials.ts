import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { LinguaLoop, PermissionDeniedError, type TokenStore, type Tokens, version } from '../../src/index.ts';
import { Failed, UsageError, type Values } from './command.ts';
import type { Io } from './io.ts';

/** The credentials of one service. */
interface Profile {
  /** An API key, or the tokens of a member. */
  apiKey?: string;
  tokens?: Tokens;
}

/** The file with the credentials of all services; only its owner can read it. */
interface CredentialsFile {
  /** The URL of the last login. */
  current?: string;
  services: Record<string, Profile>;
}

/** Returns the path of the file: in APPDATA on Windows, otherwise in XDG_CONFIG_HOME or ~/.config. */
export function credentialsPath({ env }: Pick<Io, 'env'>): string {
  const folder = env['APPDATA'] || env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(folder, 'lingualoop', 'credentials.json');
}

async function readCredentials(io: Pick<Io, 'env'>): Promise<CredentialsFile> {
  const path = credentialsPath(io);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { services: {} };
    throw new Failed(`cannot read ${path}: ${(error as Error).message}`);
  }
  try {
    const file = JSON.parse(text) as CredentialsFile;
    if (typeof file.services === 'object' && file.services !== null) return file;
  } catch {}
  throw new Failed(`${path} is damaged; delete it and run "lingualoop login"`);
}

async function changeCredentials(
  io: Pick<Io, 'env'>,
  change: (file: CredentialsFile) => void,
): Promise<void> {
  const path = credentialsPath(io);
  const file = await readCredentials(io);
  change(file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.tmp`;
  await writeFile(next, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}

export function storeCredentials(io: Pick<Io, 'env'>, url: string, profile: Profile): Promise<void> {
  return changeCredentials(io, (file) => {
    file.services[url] = profile;
    file.current = url;
  });
}

/** Removes the credentials of a service. Returns whether there were any. */
export async function removeCredentials(io: Pick<Io, 'env'>, url: string): Promise<boolean> {
  const known = (await readCredentials(io)).services[url] !== undefined;
  if (known)
    await changeCredentials(io, (file) => {
      delete file.services[url];
      if (file.current === url) delete file.current;
    });
  return known;
}

/** Returns a URL without a slash at its end. @throws UsageError */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(
      `${JSON.stringify(text)} is not the URL of a service, such as https://translate.example.com`,
    );
  return text.replace(/\/+$/, '');
}

/** Returns the URL of the service: of the option, the environment or the last login. @throws UsageError without one */
export async function urlOf(io: Pick<Io, 'env'>, values: Values): Promise<string> {
  const url = values.text('url') ?? (io.env['LINGUALOOP_URL'] || (await readCredentials(io)).current);
  if (!url) throw new UsageError('no service is known; run "lingualoop login" or set LINGUALOOP_URL');
  return readUrl(url);
}

/** The credential that the program uses, for `whoami`. */
export type CredentialSource = 'LINGUALOOP_API_KEY' | 'API key of login' | 'member of login';

/** Opens the client for the service. The environment takes precedence over `login`. */
export async function openClient(
  io: Pick<Io, 'env'>,
  values: Values,
): Promise<{ client: LinguaLoop; url: string; source: CredentialSource; email: string | undefined }> {
  const url = await urlOf(io, values);
  const fromEnvironment = io.env['LINGUALOOP_API_KEY']?.trim();
  if (fromEnvironment)
    return {
      client: clientOf(url, { apiKey: fromEnvironment }),
      url,
      source: 'LINGUALOOP_API_KEY',
      email: undefined,
    };
  const profile = (await readCredentials(io)).services[url];
  if (!profile)
    throw new UsageError(`no credential for ${url}; run "lingualoop login" or set LINGUALOOP_API_KEY`);
  const { apiKey, tokens } = profile;
  if (apiKey !== undefined)
    return { client: clientOf(url, { apiKey }), url, source: 'API key of login', email: undefined };
  const store = tokenStore(io, url);
  return {
    client: clientOf(url, { tokens: store }),
    url,
    source: 'member of login',
    email: tokens?.user.email,
  };
}

/**
 * Creates a client that reads nothing from the environment.
 * @throws UsageError for a URL or a key that cannot be sent
 */
export function clientOf(baseUrl: string, credential: { apiKey?: string; tokens?: TokenStore }): LinguaLoop {
  try {
    return new LinguaLoop({ baseUrl, ...credential, headers: { 'user-agent': userAgent } });
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(error.message) : error;
  }
}

/** The program has the version of the SDK. */
const userAgent = `lingualoop-cli/${version}`;

/** Checks a credential with a short request. A key without the scope for this request is valid. */
export async function checkCredential(client: LinguaLoop, signal: AbortSignal): Promise<void> {
  await client.translations.counts({ signal }).catch((error: unknown) => {
    if (!(error instanceof PermissionDeniedError)) throw error;
  });
}

/** The store of a member's tokens, which several processes share. */
function tokenStore(io: Pick<Io, 'env'>, url: string): TokenStore {
  return {
    load: async () => (await readCredentials(io)).services[url]?.tokens ?? null,
    save: (tokens) =>
      changeCredentials(io, (file) => {
        if (tokens) file.services[url] = { tokens };
        else delete file.services[url];
      }),
  };
}
