import { environment, readSecretFiles, type Settings, SettingsError } from './settings/environment.ts';

const secondEngine = [
  'ENGINES',
  {
    engines: { second: { kind: 'openai', api_key: '...', url: 'https://...', model: '...' } },
    routes: [{ use: ['openai', 'second'] }],
  },
] as const;

/**
 * Former names of settings, each with the setting that has it as a field now, and an example of the field; or with what to
 * do if the setting is gone. An ignored one could delete too little, or send data elsewhere.
 */
const formerNames: Readonly<Record<string, readonly [setting: string, fields: object] | string>> = {
  DATABASE_POOL_SIZE: ['DATABASE_POOLS', { requests: 10 }],
  DATABASE_WORKER_POOL_SIZE: ['DATABASE_POOLS', { jobs: 6 }],
  METRICS_HOST: ['METRICS', { host: '0.0.0.0', port: 9464 }],
  METRICS_PORT: ['METRICS', { host: '0.0.0.0', port: 9464 }],
  METRICS_TOP_WORKSPACES: ['METRICS', { host: '0.0.0.0', port: 9464, top_workspaces: 10 }],
  SMTP_URL: ['MAIL_SERVER', { url: 'smtps://...' }],
  MAIL_FROM: ['MAIL_SERVER', { from: '...' }],
  MAIL_LANGUAGE: ['MAIL_SERVER', { language: 'en' }],
  MAIL_DIGEST_HOUR: ['MAIL_SERVER', { digest_hour: 6 }],
  OPENAI_FALLBACK: secondEngine,
  OPENAI_FALLBACK_API_KEY: secondEngine,
  OPENAI_FALLBACK_BASE_URL: secondEngine,
  OPENAI_FALLBACK_MODEL: secondEngine,
  OPENAI_FALLBACK_REFINER_MODEL: secondEngine,
  OPENAI_FALLBACK_ON: secondEngine,
  PAGES_DIR: 'put the pages into the directory pages under DATA_DIR',
  SESSION_MAX_AGE_SECONDS: 'a session lasts at most three times REFRESH_TOKEN_TTL_SECONDS',
  OCR_MIN_CONFIDENCE: 'unset it',
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

/**
 * Rejects former names: all at once, with one example for each new one, because of two lines with it, only the last counts.
 * @throws SettingsError
 */
function refuseFormerNames(env: NodeJS.ProcessEnv): void {
  const examples = new Map<string, object>();
  const found: string[] = [];
  for (const [name, replacement] of Object.entries(formerNames))
    for (const variable of [name, `${name}_FILE`].filter((one) => env[one] !== undefined)) {
      if (typeof replacement === 'string')
        throw new SettingsError(`${variable}: has been removed; ${replacement}`);
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

export { type Settings, SettingsError, settingNames } from './settings/environment.ts';

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

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
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
