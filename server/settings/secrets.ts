import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { type EngineSettings, type Settings, SettingsError } from './environment.ts';

/** The settings that are secrets. */
const secretNames = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'OPERATOR_API_KEY',
  'SERVICE_API_KEY',
  'OIDC_CLIENT_SECRET',
  'OPENAI_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
] as const satisfies (keyof Settings)[];

/** The field of a structured setting that is a secret. The others are logged. */
const secretFields: Partial<Record<keyof Settings, string>> = {
  MAIL_SERVER: 'url',
};

/**
 * The settings that a file can hold: the variable `NAME_FILE` has its path. PLATFORM_STORAGE_URL is one, because its
 * query can be a SAS token.
 */
export const settingsInFiles = [
  ...secretNames,
  'ENGINES',
  'MAIL_SERVER',
  'PLATFORM_STORAGE_URL',
] as const satisfies (keyof Settings)[];

/** Maximum bytes of a file with a secret. The longest secret, a URL with a SAS token, has a few hundred. */
const maxSecretBytes = 10_000;

/** Returns the values of the settings for which the environment names a file. */
export function readSecretFiles(env: NodeJS.ProcessEnv): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of settingsInFiles) {
    const path = env[`${name}_FILE`];
    if (path === undefined) continue;
    if (env[name] !== undefined) throw new SettingsError(`${name}_FILE: must not be set if ${name} is set`);
    values[name] = readSecretFile(`${name}_FILE`, path);
  }
  return values;
}

/**
 * Returns the content of a file without its last line break. A second line is an error, because URL would ignore a
 * line break, and a key would contain it.
 */
function readSecretFile(variable: string, path: string): string {
  const refuse = (problem: string): never => {
    throw new SettingsError(`${variable}: ${JSON.stringify(path)} ${problem}`);
  };
  let bytes: Buffer;
  try {
    const found = statSync(path);
    // Reading a pipe without a writer would block the start.
    if (!found.isFile()) return refuse('is not a file');
    if (found.size > maxSecretBytes)
      return refuse(`has ${found.size} bytes; a secret has at most ${maxSecretBytes}`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return refuse('does not exist');
    return refuse(`cannot be read by the user of this process (${code})`);
  }
  const content = bytes.toString().replace(/\r?\n$/, '');
  if (!isUtf8(bytes)) return refuse('is not UTF-8 text');
  if (content === '') return refuse('is empty');
  if (/[\r\n]/.test(content)) return refuse('has more than one line');
  return content;
}

/** Returns the settings for logs. A secret is logged as `(set)`. */
export function redactSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const field = secretFields[name as keyof Settings];
      if (value === undefined) return [name, value];
      if (name === ('ENGINES' satisfies keyof Settings)) return [name, withoutKeys(value as EngineSettings)];
      if (secretNames.some((secret) => secret === name)) return [name, '(set)'];
      if (field === undefined || !(field in (value as object))) return [name, withoutQuery(name, value)];
      return [name, { ...(value as object), [field]: '(set)' }];
    }),
  );
}

function withoutKeys(value: EngineSettings): object {
  const engines = Object.entries(value.engines).map(([name, of]) => [
    name,
    'api_key' in of ? { ...of, api_key: '(set)' } : of,
  ]);
  return { ...value, engines: Object.fromEntries(engines) };
}

/**
 * Removes the query of PLATFORM_STORAGE_URL, which is a secret: the SAS token of a Data Lake. The rest of the URL
 * locates the data.
 */
function withoutQuery(name: string, value: unknown): unknown {
  if (name !== ('PLATFORM_STORAGE_URL' satisfies keyof Settings) || typeof value !== 'string') return value;
  return value.replace(/[?#].*$/s, '?(set)');
}
