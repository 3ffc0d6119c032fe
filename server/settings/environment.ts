import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import {
  address,
  databaseAddress,
  databasePools,
  decimal,
  engines,
  flag,
  headerValue,
  integer,
  json,
  list,
  mailServer,
  metrics,
  modelPrices,
  optional,
  origins,
  proxyCount,
  retentionDays,
  secretsKey,
  tenYears,
  webAddress,
  wholeNumber,
  workspaceLimits,
} from './kinds.ts';

/** An invalid setting. The message names its variable, and the start ends with this message. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** All environment variables of the service, with defaults. */
export const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(8080, 0, 65_535),
  BASE_URL: webAddress.optional(),
  DATABASE_URL: databaseAddress,
  DATABASE_MIGRATION_URL: databaseAddress,
  DATA_DIR: z.string().default('./.data'),
  CORS_ORIGINS: origins,
  FONTS_DIR: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  RUN_WORKERS: flag(true),
  WORKER_CONCURRENCY: integer(2, 1, 100),
  DATABASE_POOLS: json(databasePools, '{"requests":10,"jobs":6}').prefault('{}'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  METRICS: json(metrics, '{"port":9464}').optional(),
  TRUST_PROXY: proxyCount,
  OPERATOR_API_KEY: headerValue,
  SERVICE_API_KEY: headerValue,
  OPERATOR_EMAILS: list,
  OPERATOR_TENANT_ID: optional,
  DEMO_WORKSPACE: flag(false),
  TRANSLATION_ENABLED: flag(true),
  EMAIL_SIGNUP_ENABLED: flag(true),
  PASSWORD_SIGNIN_ENABLED: flag(true),
  MFA_REQUIRED: flag(false),
  AUTH_RATE_LIMIT_ENABLED: flag(true),
  ACCESS_TOKEN_TTL_SECONDS: integer(3600, 1, tenYears),
  REFRESH_TOKEN_TTL_SECONDS: integer(2_592_000, 1, tenYears),
  INVITE_TTL_SECONDS: integer(604_800, 1, tenYears),
  PASSWORD_RESET_TTL_SECONDS: integer(3600, 1, tenYears),
  MFA_CHALLENGE_TTL_SECONDS: integer(600, 1, tenYears),
  OIDC_ENABLED: flag(false),
  // Kept exactly as written, including a trailing slash, because issuers are compared character by character.
  OIDC_ISSUER: address(['http:', 'https:']).optional(),
  OIDC_CLIENT_ID: optional,
  OIDC_CLIENT_SECRET: optional,
  OIDC_ORG_CLAIM: z.string().default('org_id'),
  OIDC_REDIRECT_URIS: list.refine((uris) => uris.every((uri) => URL.canParse(uri)), {
    error: 'must be absolute URLs, separated by commas',
  }),
  MAIL_SERVER: json(
    mailServer,
    '{"url":"smtps://user:password@mail.example.org:465","from":"noreply@example.org"}',
  ).optional(),
  OPENAI_API_KEY: optional,
  OPENAI_BASE_URL: webAddress.optional(),
  OPENAI_MODEL: z.string().default('gpt-6.1-terra'),
  OPENAI_REFINER_MODEL: z.string().default('gpt-6-luna'),
  OPENAI_EMBEDDING_MODEL: z.string().default('text-embedding-3-small'),
  OPENAI_TIMEOUT_SECONDS: decimal(60, 0.001),
  OPENAI_MAX_RETRIES: integer(3, 0, 20),
  ENGINES: json(
    engines,
    '{"engines":{"deepl":{"kind":"deepl","api_key":"..."}},"routes":[{"use":["deepl"]}]}',
  ).optional(),
  ALLOWED_MODELS: list,
  MODEL_PRICES: json(modelPrices, '{"a-model":{"input":1.25,"output":10}}').prefault('{}'),
  WORKSPACE_LIMITS: json(workspaceLimits, '{"tokens_per_day":1000000}').prefault('{}'),
  BILLING_ENABLED: flag(false),
  STRIPE_SECRET_KEY: headerValue,
  STRIPE_WEBHOOK_SECRET: headerValue,
  STRIPE_PRICE_PERSONAL: optional,
  STRIPE_PRICE_PRO: optional,
  STRIPE_PRICE_STUDIO: optional,
  STRIPE_PRICE_TOPUP: optional,
  // Stripe's package accepts only a host, a port and a protocol.
  STRIPE_API_URL: webAddress
    .refine((value) => new URL(value).pathname === '/', 'must have no path')
    .optional(),
  TRIAL_CHARS: integer(150_000, 0),
  TRIAL_DAYS: decimal(14, 0, 1_000_000),
  TRIAL_GRANTS_PER_ADDRESS: integer(3, 0),
  DEFAULT_MONTHLY_CHAR_LIMIT: integer(500_000, 1, 2_147_483_647),
  MONTHLY_CHAR_CEILING: integer(10_000_000, 1),
  DENSE_SCRIPT_WEIGHT: decimal(3.5, 0, 100),
  MAX_SOURCE_CHARS: integer(50_000, 1),
  MAX_BATCH_ITEMS: integer(50, 1),
  MAX_PAGE_CHARS: integer(5000, 1),
  MAX_REQUEST_BYTES: integer(10_000_000, 1),
  MAX_UPLOAD_BYTES: integer(30_000_000, 1),
  MAX_TM_SEGMENTS: integer(50_000, 1),
  MAX_TERMINOLOGY_TERMS: integer(2000, 1),
  TM_ASYNC_THRESHOLD: integer(5000, 0),
  STALE_PENDING_SECONDS: integer(600, 1, tenYears),
  SWEEP_INTERVAL_SECONDS: integer(600, 1, tenYears),
  DOCUMENT_STAGE_TIMEOUT_SECONDS: integer(1800, 1, tenYears),
  OUTAGE_HOURS: decimal(6, 0, 8760),
  RETENTION_DAYS: json(retentionDays, '{"jobs":90,"usage":400}').prefault('{}'),
  SANDBOX_MINIMUM: z
    .enum(['namespaces', 'node'], {
      error: 'must be namespaces or node; the levels network and seccomp between them have been removed',
    })
    .default('node'),
  DRAIN_DELAY_SECONDS: decimal(0, 0, 300),
  REQUEST_DEADLINE_SECONDS: decimal(100, 0.1, 86_400),
  PLATFORM_STORAGE_URL: address(['file:', 'https:', 's3:']).optional(),
  PLATFORM_STORAGE_CAP_BYTES: wholeNumber(0).optional(),
  STORAGE_BINDING_ENABLED: flag(false),
  STORAGE_PRINCIPAL_CLIENT_ID: optional,
  STORAGE_ENDPOINT_OVERRIDE: webAddress.optional(),
  SECRETS_KEY: secretsKey,
  SECRETS_KEY_PREVIOUS: secretsKey,
  ALLOW_UNREADABLE_SECRETS: flag(false),
});

/** The names of all variables. */
export const settingNames: readonly string[] = Object.keys(environment.shape);

export type Settings = Readonly<z.infer<typeof environment>>;

type EngineSettings = NonNullable<Settings['ENGINES']>;

/** Whether a language model is connected, which judges and uses tokens. */
export function hasLanguageModel({
  ENGINES,
  OPENAI_API_KEY: key,
}: Pick<Settings, 'ENGINES' | 'OPENAI_API_KEY'>): boolean {
  return key !== undefined || Object.values(ENGINES?.engines ?? {}).some((of) => 'model' in of);
}

/** Returns the models of ENGINES by their roles. A translation service is a model with the name of its engine. */
export function modelsOfEngines({ ENGINES }: Settings): { model: string; role: 'translation' | 'judge' }[] {
  return Object.entries(ENGINES?.engines ?? {}).flatMap(([name, of]) =>
    'model' in of
      ? [
          { model: of.model, role: 'translation' as const },
          { model: of.refiner_model ?? of.model, role: 'judge' as const },
        ]
      : [{ model: name, role: 'translation' as const }],
  );
}

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
