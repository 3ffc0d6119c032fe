import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { canonicalLanguage } from './languages.ts';

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

/** The message for a field that is missing, or has another type. */
const mustBe =
  (kind: string) =>
  ({ input }: { input?: unknown }) =>
    input === undefined ? 'is required' : `must be ${kind}`;

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
  z
    .string({ error: mustBe('a string') })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A setting with several fields, as JSON. The message for a wrong field names it. */
const json = <Shape extends z.ZodType>(shape: Shape, example: string) =>
  z.string().transform((text, { addIssue }): z.output<Shape> => {
    const read = shape.safeParse(parseJson(text));
    if (read.success) return read.data;
    const { path, message, code } = read.error.issues[0] as z.core.$ZodIssue;
    const isField = path.length > 0 || code === 'unrecognized_keys';
    const place = isField ? `; ${[path.join('.'), message].filter(Boolean).join(': ')}` : '';
    addIssue({ code: 'custom', message: `must be JSON like ${example}${place}` });
    return z.NEVER;
  });

const fields = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: ({ code, keys, input }) =>
      code === 'unrecognized_keys' ? `unknown field ${keys?.[0]}` : mustBe('an object')({ input }),
  });

const text = z.string({ error: mustBe('a string') }).min(1, 'must not be empty');
const number = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .number({ error: mustBe('a number') })
    .int('must be a whole number')
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

/** The failures of the first endpoint after which the second one is asked. */
const fallbackCauses = ['rate_limit', 'outage', 'unusable', 'misconfigured', 'content_filtered'] as const;

/** A second endpoint. Without `api_key`, it is the first endpoint with other models. */
const fallback = fields({
  model: text,
  refiner_model: text.optional(),
  api_key: text.optional(),
  base_url: webAddress.optional(),
  on: z
    .array(z.enum(fallbackCauses, { error: `must be one of ${fallbackCauses.join(', ')}` }), 'must be a list')
    .min(1, 'must not be empty')
    .default(['rate_limit', 'outage', 'unusable', 'misconfigured']),
}).refine(({ api_key, base_url }) => base_url === undefined || api_key !== undefined, {
  // The key of one endpoint is never sent to another.
  error: 'is required with base_url (any text, if the endpoint needs no key)',
  path: ['api_key'],
});

const key = text;
const chatModel = { api_key: key, url: webAddress.optional(), model: text, refiner_model: text.optional() };
/** The engines that a deployment may have, each with what its service needs. */
const engine = z.discriminatedUnion(
  'kind',
  [
    fields({ kind: z.literal('openai'), ...chatModel }),
    fields({ kind: z.literal('anthropic'), ...chatModel }),
    fields({ kind: z.literal('deepl'), api_key: key, url: webAddress.optional() }),
    fields({ kind: z.literal('azure'), api_key: key, region: text.optional(), url: webAddress.optional() }),
    fields({ kind: z.literal('google'), api_key: key, url: webAddress.optional() }),
    fields({ kind: z.literal('libretranslate'), api_key: key.optional(), url: webAddress }),
    fields({ kind: z.literal('apertium'), url: webAddress }),
  ],
  'must be openai, anthropic, deepl, azure, google, libretranslate or apertium',
);

/** A language or several, by canonical codes. */
const languages = z
  .union([text, z.array(text).min(1, 'must not be empty')], 'must be a language code or a list of them')
  .transform((value, { addIssue }): string[] =>
    [value].flat().map((code) => {
      const known = canonicalLanguage(code);
      if (known === undefined) addIssue({ code: 'custom', message: `has the unknown language ${code}` });
      return known ?? code;
    }),
  );

/** Which engines translate a task: the first route whose conditions all hold. The engines are asked in order. */
const route = fields({
  from: languages.optional(),
  to: languages.optional(),
  domain: text.transform((value) => value.trim().toLowerCase()).optional(),
  text_type: z.enum(['Plain', 'Html'], 'must be Plain or Html').optional(),
  use: z.array(text, 'must be a list').min(1, 'must not be empty'),
});

/** The engines, their routes, and the one that judges. Without routes, all engines are asked in their order. */
const engines = fields({
  engines: z
    .record(z.string().regex(/^[\w.-]{1,60}$/, 'must be a short name'), engine, mustBe('an object')({}))
    .refine((value) => Object.keys(value).length > 0, 'must not be empty'),
  routes: z.array(route, 'must be a list').min(1, 'must not be empty').optional(),
  judge: text.optional(),
  without_judge: z.enum(['review', 'checks'], 'must be review or checks').default('review'),
}).transform((value) => ({ ...value, routes: value.routes ?? [{ use: Object.keys(value.engines) }] }));

const days = number(1, maxRetentionDays);
/** Days after which data is deleted; null if it is kept. */
const retentionDays = fields({
  jobs: days.nullable().default(null),
  documents: days.nullable().default(null),
  audit: days.nullable().default(null),
  usage: days.min(minUsageDays, minUsageDaysReason).nullable().default(null),
  invites: days.nullable().default(null),
  queue: days.default(30),
  events: days.default(7),
});

/** The address of metrics and health checks without a credential. `top_workspaces` are in the metrics by ID. */
const metrics = fields({
  port: number(0, 65_535),
  host: text.default('127.0.0.1'),
  top_workspaces: number(0, 100).default(0),
});

/** Limits of each workspace. */
const workspaceLimits = fields({
  failed_runs_per_hour: number(0, 1_000_000).default(200),
  tokens_per_day: number(0).default(0),
  storage_bytes: number(0).default(10_000_000_000),
  translation_memories: number(1).default(200),
  glossaries: number(1).default(200),
  glossary_chars: number(2, 1_000_000).default(200_000),
});

const pricePart = z.number({ error: mustBe('a number') }).min(0, 'must be at least 0');
/** The prices of models for a million tokens, in any currency, by the model's name. */
const modelPrices = z.record(z.string(), fields({ input: pricePart, output: pricePart.default(0) }));

/** Languages of mails and of the interface. */
export const mailLanguages = ['en', 'fr', 'de', 'es', 'pt', 'ar', 'ja'] as const;

/** The sender of mails: an address, or a name and an address in angle brackets. */
const mailSender = z
  .string({ error: mustBe('a string') })
  .regex(
    /^(?:[^<>"\\\p{Cc}@,;:]{1,100} <[^\s<>"@,;:]+@[^\s<>"@,;:]+>|[^\s<>"@,;:]+@[^\s<>"@,;:]+)$/u,
    'must be an address like noreply@example.org, or a name and an address like LinguaLoop <noreply@example.org>',
  );

/** A mail server, with which the service sends mails. `digest_hour` is in UTC. */
const mailServer = fields({
  url: address(['smtp:', 'smtps:'])
    .refine(isDecodable, 'must percent-encode special characters')
    .refine(hasOnlyHost, 'must have a host, and neither a path nor a query'),
  from: mailSender,
  language: z.enum(mailLanguages, { error: `must be one of ${mailLanguages.join(', ')}` }).default('en'),
  digest_hour: number(0, 23).default(6),
});

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

/** The maximum numbers of database connections of a process, and the address of their pooler. */
const databasePools = fields({
  requests: number(2, 500).default(10),
  jobs: number(2, 500).default(6),
  pooler: databaseAddress.refine(
    (value) => value === undefined || !URL.canParse(value) || !/^[^/]*\/\/[^/]*@/.test(value),
    'must have no user and password: those of DATABASE_URL are used',
  ),
});

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
  OPENAI_FALLBACK: json(fallback, '{"model":"a-model","refiner_model":"another"}').optional(),
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
    .enum(['namespaces', 'network', 'seccomp', 'node'], {
      error: 'must be one of namespaces, network, seccomp, node',
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
  OPENAI_FALLBACK: 'api_key',
  MAIL_SERVER: 'url',
};

/**
 * The settings that a file can hold: the variable `NAME_FILE` has its path. PLATFORM_STORAGE_URL is one, because its
 * query can be a SAS token.
 */
export const settingsInFiles = [
  ...secretNames,
  'OPENAI_FALLBACK',
  'ENGINES',
  'MAIL_SERVER',
  'PLATFORM_STORAGE_URL',
] as const satisfies (keyof Settings)[];

/**
 * Former names of settings, each with the setting that has it as a field now, and an example of the field (null: the
 * setting is gone). An ignored one could delete too little, or send data elsewhere.
 */
const formerNames: Readonly<Record<string, readonly [setting: string, fields: object] | null>> = {
  DATABASE_POOL_SIZE: ['DATABASE_POOLS', { requests: 10 }],
  DATABASE_WORKER_POOL_SIZE: ['DATABASE_POOLS', { jobs: 6 }],
  METRICS_HOST: ['METRICS', { host: '0.0.0.0', port: 9464 }],
  METRICS_PORT: ['METRICS', { host: '0.0.0.0', port: 9464 }],
  METRICS_TOP_WORKSPACES: ['METRICS', { host: '0.0.0.0', port: 9464, top_workspaces: 10 }],
  SMTP_URL: ['MAIL_SERVER', { url: 'smtps://...' }],
  MAIL_FROM: ['MAIL_SERVER', { from: '...' }],
  MAIL_LANGUAGE: ['MAIL_SERVER', { language: 'en' }],
  MAIL_DIGEST_HOUR: ['MAIL_SERVER', { digest_hour: 6 }],
  OPENAI_FALLBACK_API_KEY: ['OPENAI_FALLBACK', { api_key: '...' }],
  OPENAI_FALLBACK_BASE_URL: ['OPENAI_FALLBACK', { base_url: 'https://...' }],
  OPENAI_FALLBACK_MODEL: ['OPENAI_FALLBACK', { model: '...' }],
  OPENAI_FALLBACK_REFINER_MODEL: ['OPENAI_FALLBACK', { refiner_model: '...' }],
  OPENAI_FALLBACK_ON: ['OPENAI_FALLBACK', { on: ['outage'] }],
  OCR_MIN_CONFIDENCE: null,
  RETENTION_JOBS_DAYS: ['RETENTION_DAYS', { jobs: 90 }],
  RETENTION_DOCUMENTS_DAYS: ['RETENTION_DAYS', { documents: 90 }],
  RETENTION_AUDIT_DAYS: ['RETENTION_DAYS', { audit: 90 }],
  RETENTION_USAGE_DAYS: ['RETENTION_DAYS', { usage: 90 }],
  RETENTION_INVITES_DAYS: ['RETENTION_DAYS', { invites: 90 }],
  RETENTION_QUEUE_DAYS: ['RETENTION_DAYS', { queue: 30 }],
  EVENTS_DAYS: ['RETENTION_DAYS', { events: 7 }],
  MAX_FAILED_RUNS_PER_HOUR: ['WORKSPACE_LIMITS', { failed_runs_per_hour: 200 }],
  MAX_TOKENS_PER_DAY: ['WORKSPACE_LIMITS', { tokens_per_day: 1_000_000 }],
  WORKSPACE_STORAGE_CAP_BYTES: ['WORKSPACE_LIMITS', { storage_bytes: 10_000_000_000 }],
  MAX_TM_SETS: ['WORKSPACE_LIMITS', { translation_memories: 200 }],
  MAX_TERMINOLOGY_SETS: ['WORKSPACE_LIMITS', { glossaries: 200 }],
  MAX_TERMINOLOGY_CHARS: ['WORKSPACE_LIMITS', { glossary_chars: 200_000 }],
};

/** The names of these variables. */
export const formerSettingNames: readonly string[] = Object.keys(formerNames);

/** Maximum bytes of such a file. The longest secret, a URL with a SAS token, has a few hundred. */
const maxSecretBytes = 10_000;

/**
 * Reads the settings once. An empty variable counts as unset, as in compose files.
 * @throws SettingsError with a one-line message that names the variable
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  refuseFormerNames(present);
  const fromFiles = readSecretFiles(present);
  const read = environment.safeParse({ ...present, ...fromFiles });
  if (!read.success) {
    const issue = read.error.issues[0];
    const name = String(issue?.path[0]);
    throw new SettingsError(`${name in fromFiles ? `${name}_FILE` : name}: ${issue?.message}`);
  }
  return freeze(read.data);
}

/** The settings of an empty environment, for descriptions of the API. */
export const defaultSettings = readSettings({});

/** Names all former settings at once, with one example for each new one: of two lines with it, only the last counts. */
function refuseFormerNames(env: NodeJS.ProcessEnv): void {
  const examples = new Map<string, object>();
  const found: string[] = [];
  for (const [name, replacement] of Object.entries(formerNames))
    for (const variable of [name, `${name}_FILE`].filter((one) => env[one] !== undefined)) {
      if (replacement === null) throw new SettingsError(`${variable}: has been removed; unset it`);
      const [setting, fields] = replacement;
      examples.set(setting, { ...examples.get(setting), ...fields });
      found.push(variable);
    }
  if (found.length === 0) return;
  const forms = Array.from(examples, ([setting, fields]) => `${setting}=${JSON.stringify(fields)}`);
  throw new SettingsError(
    `${found.join(', ')}: ${found.length === 1 ? 'has' : 'have'} a new form, ${forms.join(' and ')} (docs/upgrading.md#former-settings)`,
  );
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** The settings of an endpoint with models. */
type EndpointSettings = Pick<
  Settings,
  'OPENAI_API_KEY' | 'OPENAI_BASE_URL' | 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL'
>;

/**
 * Returns the settings of the second endpoint in the form of those of the first one; undefined without a second one.
 * Without its own URL and key, it is the first endpoint with other models.
 */
export function fallbackEndpoint({
  OPENAI_FALLBACK: second,
  OPENAI_API_KEY: key,
  OPENAI_BASE_URL: url,
}: EndpointSettings & Partial<Pick<Settings, 'OPENAI_FALLBACK'>>) {
  if (second === undefined) return undefined;
  return {
    OPENAI_API_KEY: second.api_key ?? key,
    OPENAI_BASE_URL: second.api_key === undefined ? url : second.base_url,
    OPENAI_MODEL: second.model,
    OPENAI_REFINER_MODEL: second.refiner_model ?? second.model,
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

export type EngineSettings = NonNullable<Settings['ENGINES']>;

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
