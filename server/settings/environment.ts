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

export type EngineSettings = NonNullable<Settings['ENGINES']>;
