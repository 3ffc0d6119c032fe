import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';

/** An invalid setting. The message names its variable, and the start ends with this message. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

const boolean = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true, false, 1 or 0' })
  .transform((value) => value === 'true' || value === '1');
const flag = (fallback: boolean) => boolean.default(fallback);

const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

const integer = (fallback: number, min: number, max?: number) => wholeNumber(min, max).default(fallback);

/** Ten years, in seconds. Longer times could overflow dates. */
const tenYears = 315_360_000;

/** A hundred years. */
export const maxRetentionDays = 36_500;

/** Two months, the longest time for which a moment can be in the current or the previous billing period. */
export const minUsageDays = 62;

/** Why usage records cannot be removed earlier. */
export const minUsageDaysReason = `must be at least ${minUsageDays}: records of the current and the previous month are always kept`;

const decimal = (fallback: number, min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
    .default(fallback);

const optional = z.string().optional();
/** A key that clients send in a header. A header can carry only these characters. */
const headerValue = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .optional();
const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );

const address = (protocols: string[]) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });
const webAddress = address(['http:', 'https:']).transform((value) => value.replace(/\/+$/, ''));

function isDecodable(value: string): boolean {
  try {
    const { username, password, pathname } = new URL(value);
    return [username, password, pathname].map(decodeURIComponent).length === 3;
  } catch {
    return false;
  }
}

function hasOnlyHost(value: string): boolean {
  if (!URL.canParse(value)) return true;
  const { hostname, pathname, search, hash } = new URL(value);
  return hostname !== '' && (pathname === '' || pathname === '/') && search === '' && hash === '';
}

/**
 * Whether the TLS parameters of a database URL are usable. PostgreSQL's two drivers interpret only these in the same
 * way; other TLS parameters would reach PostgreSQL as unknown settings and fail there.
 */
function hasUsableTls(value: string): boolean {
  if (!URL.canParse(value)) return true;
  return [...new URL(value).searchParams].every(([name, mode]) =>
    name === 'sslmode' ? ['disable', 'require', 'verify-full'].includes(mode) : !/^(ssl|uselibpq)/.test(name),
  );
}

/** Origins, each exactly as a browser sends it, because they are compared as whole texts. */
const origins = list.superRefine((items, { addIssue }) => {
  const wrong = items.find((item) => !isOrigin(item));
  if (wrong !== undefined)
    addIssue({
      code: 'custom',
      message: `must be exact origins like https://app.example.org, separated by commas; ${JSON.stringify(wrong)} is not: ${whyNoOrigin(wrong)}`,
    });
});

function isOrigin(value: string): boolean {
  // Check for asterisks, because URL accepts a host with one.
  return (
    /^https?:/.test(value) && !value.includes('*') && URL.canParse(value) && new URL(value).origin === value
  );
}

function whyNoOrigin(value: string): string {
  if (value.includes('*')) return 'wildcards are not supported, list each origin';
  if (value === 'null') return 'null is not a safe origin, because a page of any site can send it';
  if (!URL.canParse(value) || !/^https?:/.test(value)) return 'it must start with https:// or http://';
  return `browsers send ${new URL(value).origin}, without a path and without a slash at the end`;
}

/** Number of trusted proxies in front of the service: `true` is one, `false` none. */
const proxyCount = z
  .string()
  .regex(/^(\d{1,2}|true|false)$/, 'must be a whole number, true or false')
  .transform((value) => (value === 'true' ? 1 : value === 'false' ? 0 : Number(value)))
  .default(0);

const secretsKey = z
  .string()
  .refine((value) => Buffer.from(value, 'base64').length === 32, 'must be 32 bytes in base64')
  .optional();

/** The failures of the first endpoint after which the second one is asked. */
const fallbackCauses = ['rate_limit', 'outage', 'unusable', 'misconfigured', 'content_filtered'] as const;

const fallbackOn = z
  .string()
  .default('rate_limit,outage,unusable,misconfigured')
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(
    z.array(
      z.enum(fallbackCauses, {
        error: `must be a list of ${fallbackCauses.join(', ')}, separated by commas`,
      }),
    ),
  );

const pricePart = z.number('must be a number').min(0, 'must be at least 0');
/** The prices of a model for a million tokens, in any currency. */
const modelPrice = z.strictObject({ input: pricePart, output: pricePart.default(0) });

/** The prices of models as JSON, by the model's name. */
const modelPrices = z
  .string()
  .default('{}')
  .transform((text, { addIssue }) => {
    const read = z.record(z.string(), modelPrice).safeParse(parseJson(text));
    if (read.success) return Object.freeze(read.data);
    const { path, message } = read.error.issues[0] as z.core.$ZodIssue;
    const place = path.length > 0 ? `; ${path.join('.')}: ${message}` : '';
    addIssue({
      code: 'custom',
      message: `must be JSON like {"a-model":{"input":1.25,"output":10}}${place}`,
    });
    return z.NEVER;
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Languages of mails and of the interface. */
export const mailLanguages = ['en', 'fr', 'de', 'es', 'pt', 'ar', 'ja'] as const;

/** The sender of mails: an address, or a name and an address in angle brackets. */
const mailSender = z
  .string()
  .regex(
    /^(?:[^<>"\\\p{Cc}@,;:]{1,100} <[^\s<>"@,;:]+@[^\s<>"@,;:]+>|[^\s<>"@,;:]+@[^\s<>"@,;:]+)$/u,
    'must be an address like noreply@example.org, or a name and an address like LinguaLoop <noreply@example.org>',
  );

/** The URL of a database of PostgreSQL. */
const databaseAddress = address(['postgres:', 'postgresql:'])
  .refine(isDecodable, 'must percent-encode special characters')
  .refine(
    (value) => !URL.canParse(value) || !new URL(value).hostname.startsWith('['),
    'must have a host name; IPv6 addresses are not supported',
  )
  .refine(
    hasUsableTls,
    'supports only sslmode=disable, require and verify-full; to trust a private certificate authority, set NODE_EXTRA_CA_CERTS to its file',
  )
  .optional();

/** All environment variables of the service, with defaults. */
const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(8080, 0, 65_535),
  BASE_URL: webAddress.optional(),
  DATABASE_URL: databaseAddress,
  DATABASE_MIGRATION_URL: databaseAddress,
  DATA_DIR: z.string().default('./.data'),
  CORS_ORIGINS: origins,
  PAGES_DIR: optional,
  RUN_WORKERS: flag(true),
  WORKER_CONCURRENCY: integer(2, 1, 100),
  DATABASE_POOL_SIZE: integer(10, 2, 500),
  DATABASE_WORKER_POOL_SIZE: integer(6, 2, 500),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_TOP_WORKSPACES: integer(0, 0, 100),
  TRUST_PROXY: proxyCount,
  OPERATOR_API_KEY: headerValue,
  SERVICE_API_KEY: headerValue,
  OPERATOR_EMAILS: list,
  OPERATOR_TENANT_ID: optional,
  TRANSLATION_ENABLED: flag(true),
  EMAIL_SIGNUP_ENABLED: flag(true),
  PASSWORD_SIGNIN_ENABLED: flag(true),
  MFA_REQUIRED: flag(false),
  AUTH_RATE_LIMIT_ENABLED: flag(true),
  ACCESS_TOKEN_TTL_SECONDS: integer(3600, 1, tenYears),
  REFRESH_TOKEN_TTL_SECONDS: integer(2_592_000, 1, tenYears),
  SESSION_MAX_AGE_SECONDS: integer(7_776_000, 1, tenYears),
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
  SMTP_URL: address(['smtp:', 'smtps:'])
    .refine(isDecodable, 'must percent-encode special characters')
    .refine(hasOnlyHost, 'must have a host, and neither a path nor a query')
    .optional(),
  MAIL_FROM: mailSender.optional(),
  MAIL_LANGUAGE: z.enum(mailLanguages, { error: `must be one of ${mailLanguages.join(', ')}` }).default('en'),
  MAIL_DIGEST_HOUR: integer(6, 0, 23),
  OPENAI_API_KEY: optional,
  OPENAI_BASE_URL: webAddress.optional(),
  OPENAI_MODEL: z.string().default('gpt-6.1-terra'),
  OPENAI_REFINER_MODEL: z.string().default('gpt-6-luna'),
  OPENAI_EMBEDDING_MODEL: z.string().default('text-embedding-3-small'),
  OPENAI_TIMEOUT_SECONDS: decimal(60, 0.001),
  OPENAI_MAX_RETRIES: integer(3, 0, 20),
  OPENAI_FALLBACK_API_KEY: optional,
  OPENAI_FALLBACK_BASE_URL: webAddress.optional(),
  OPENAI_FALLBACK_MODEL: optional,
  OPENAI_FALLBACK_REFINER_MODEL: optional,
  OPENAI_FALLBACK_ON: fallbackOn,
  ALLOWED_MODELS: list,
  MODEL_PRICES: modelPrices,
  MAX_FAILED_RUNS_PER_HOUR: integer(200, 0, 1_000_000),
  MAX_TOKENS_PER_DAY: integer(0, 0),
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
  TRIAL_DAYS: decimal(14, 0),
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
  MAX_TM_SETS: integer(200, 1),
  MAX_TERMINOLOGY_SETS: integer(200, 1),
  MAX_TERMINOLOGY_CHARS: integer(200_000, 2, 1_000_000),
  TM_ASYNC_THRESHOLD: integer(5000, 0),
  STALE_PENDING_SECONDS: integer(600, 1, tenYears),
  SWEEP_INTERVAL_SECONDS: integer(600, 1, tenYears),
  DOCUMENT_STAGE_TIMEOUT_SECONDS: integer(1800, 1, tenYears),
  OCR_MIN_CONFIDENCE: integer(70, 0, 100),
  OUTAGE_HOURS: decimal(6, 0, 8760),
  RETENTION_JOBS_DAYS: wholeNumber(1, maxRetentionDays).optional(),
  RETENTION_DOCUMENTS_DAYS: wholeNumber(1, maxRetentionDays).optional(),
  RETENTION_AUDIT_DAYS: wholeNumber(1, maxRetentionDays).optional(),
  RETENTION_USAGE_DAYS: wholeNumber(1, maxRetentionDays)
    .refine((days) => days >= minUsageDays, minUsageDaysReason)
    .optional(),
  RETENTION_INVITES_DAYS: wholeNumber(1, maxRetentionDays).optional(),
  RETENTION_QUEUE_DAYS: integer(30, 1, maxRetentionDays),
  EVENTS_DAYS: integer(7, 1, maxRetentionDays),
  SANDBOX_MINIMUM: z
    .enum(['namespaces', 'network', 'seccomp', 'node'], {
      error: 'must be one of namespaces, network, seccomp, node',
    })
    .default('node'),
  DRAIN_DELAY_SECONDS: decimal(0, 0, 300),
  REQUEST_DEADLINE_SECONDS: decimal(100, 0.1, 86_400),
  PLATFORM_STORAGE_URL: address(['file:', 'https:']).optional(),
  PLATFORM_STORAGE_CAP_BYTES: wholeNumber(0).optional(),
  WORKSPACE_STORAGE_CAP_BYTES: wholeNumber(0).default(10_000_000_000),
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

const secretNames = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'OPERATOR_API_KEY',
  'SERVICE_API_KEY',
  'OIDC_CLIENT_SECRET',
  'OPENAI_API_KEY',
  'OPENAI_FALLBACK_API_KEY',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
  'SMTP_URL',
] as const satisfies (keyof Settings)[];

/**
 * The settings that a file can hold: the variable `NAME_FILE` has its path. PLATFORM_STORAGE_URL is one, because its
 * query can be a SAS token.
 */
export const settingsInFiles = [...secretNames, 'PLATFORM_STORAGE_URL'] as const satisfies (keyof Settings)[];

/** Maximum bytes of such a file. The longest secret, a URL with a SAS token, has a few hundred. */
const maxSecretBytes = 10_000;

/**
 * Reads the settings once. An empty variable counts as unset, as in compose files.
 * @throws SettingsError with a one-line message that names the variable
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const fromFiles = readSecretFiles(present);
  const read = environment.safeParse({ ...present, ...fromFiles });
  if (!read.success) {
    const issue = read.error.issues[0];
    const name = String(issue?.path[0]);
    throw new SettingsError(`${name in fromFiles ? `${name}_FILE` : name}: ${issue?.message}`);
  }
  for (const value of Object.values(read.data)) if (Array.isArray(value)) Object.freeze(value);
  return Object.freeze(read.data);
}

/** The settings of an endpoint with models. */
type EndpointSettings = Pick<
  Settings,
  'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL'
>;

/** The settings of the second endpoint, as variables of the environment have them. */
export type FallbackSettings = Pick<
  Settings,
  | 'OPENAI_FALLBACK_API_KEY'
  | 'OPENAI_FALLBACK_BASE_URL'
  | 'OPENAI_FALLBACK_MODEL'
  | 'OPENAI_FALLBACK_REFINER_MODEL'
>;

/**
 * Returns the settings of the second endpoint in the form of those of the first one; undefined without a second one.
 * Without its own URL and key, it is the first endpoint with other models.
 */
export function fallbackEndpoint(settings: EndpointSettings & Partial<FallbackSettings>) {
  const { OPENAI_FALLBACK_MODEL: model, OPENAI_FALLBACK_API_KEY: key } = settings;
  if (model === undefined) return undefined;
  return {
    OPENAI_API_KEY: key ?? settings.OPENAI_API_KEY,
    OPENAI_BASE_URL: key === undefined ? settings.OPENAI_BASE_URL : settings.OPENAI_FALLBACK_BASE_URL,
    OPENAI_MODEL: model,
    OPENAI_REFINER_MODEL: settings.OPENAI_FALLBACK_REFINER_MODEL ?? model,
  };
}

/** Returns the values of the settings for which the environment names a file. */
function readSecretFiles(env: NodeJS.ProcessEnv): Record<string, string> {
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

/**
 * Returns the URL of the service, for links, redirects and browsers. It never comes from the request's Host header,
 * which a client can forge.
 */
export function publicAddress({ BASE_URL, HOST, PORT }: Settings): string {
  return BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}

/**
 * Returns the path of the service's public URL, without a slash at its end. It is the prefix of each path in a page.
 */
export function basePathOf(settings: Settings): string {
  return new URL(publicAddress(settings)).pathname.replace(/\/+$/, '');
}

/** Returns the settings for logs. A secret is logged as `(set)`. */
export function redactSettings(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      value !== undefined && secretNames.some((secret) => secret === name)
        ? '(set)'
        : withoutQuery(name, value),
    ]),
  );
}

/**
 * Removes the query of PLATFORM_STORAGE_URL, which is a secret: the SAS token of a Data Lake. The rest of the URL
 * locates the data.
 */
function withoutQuery(name: string, value: unknown): unknown {
  if (name !== ('PLATFORM_STORAGE_URL' satisfies keyof Settings) || typeof value !== 'string') return value;
  return value.replace(/[?#].*$/s, '?(set)');
}
