import { describe, expect, test } from 'vitest';
import { settingNames } from '#server/settings/environment.ts';
import { formerSettingNames, readSettings, SettingsError } from '#server/settings.ts';

type Settings = Record<string, unknown>;

const read = (env: Record<string, string> = {}) => readSettings(env) as unknown as Settings;

const KEY = Buffer.alloc(32, 7).toString('base64');

/** The variables of C 1, and ours, that have a default. */
const defaults: [name: string, value: unknown][] = [
  ['HOST', '127.0.0.1'],
  ['PORT', 8080],
  ['DATA_DIR', './.data'],
  ['RUN_WORKERS', true],
  ['WORKER_CONCURRENCY', 2],
  ['LOG_LEVEL', 'info'],
  ['TRUST_PROXY', 0],
  ['TRANSLATION_ENABLED', true],
  ['EMAIL_SIGNUP_ENABLED', true],
  ['PASSWORD_SIGNIN_ENABLED', true],
  ['MFA_REQUIRED', false],
  ['AUTH_RATE_LIMIT_ENABLED', true],
  ['ACCESS_TOKEN_TTL_SECONDS', 3600],
  ['REFRESH_TOKEN_TTL_SECONDS', 2_592_000],
  ['INVITE_TTL_SECONDS', 604_800],
  ['PASSWORD_RESET_TTL_SECONDS', 3600],
  ['MFA_CHALLENGE_TTL_SECONDS', 600],
  ['OIDC_ENABLED', false],
  ['OIDC_ORG_CLAIM', 'org_id'],
  ['OPENAI_TIMEOUT_SECONDS', 60],
  ['OPENAI_MAX_RETRIES', 3],
  ['BILLING_ENABLED', false],
  ['TRIAL_CHARS', 150_000],
  ['TRIAL_DAYS', 14],
  ['TRIAL_GRANTS_PER_ADDRESS', 3],
  ['DEFAULT_MONTHLY_CHAR_LIMIT', 500_000],
  ['MONTHLY_CHAR_CEILING', 10_000_000],
  ['DENSE_SCRIPT_WEIGHT', 3.5],
  ['MAX_SOURCE_CHARS', 50_000],
  ['MAX_BATCH_ITEMS', 50],
  ['MAX_PAGE_CHARS', 5000],
  ['MAX_REQUEST_BYTES', 10_000_000],
  ['MAX_UPLOAD_BYTES', 30_000_000],
  ['MAX_TM_SEGMENTS', 50_000],
  ['MAX_TERMINOLOGY_TERMS', 2000],
  ['TM_ASYNC_THRESHOLD', 5000],
  ['STALE_PENDING_SECONDS', 600],
  ['SWEEP_INTERVAL_SECONDS', 600],
  ['DOCUMENT_STAGE_TIMEOUT_SECONDS', 1800],
  ['STORAGE_BINDING_ENABLED', false],
  ['ALLOW_UNREADABLE_SECRETS', false],
];

/** The variables of C 1 that have no default, each with a valid value. */
const unset: [name: string, sample: string][] = [
  ['DATABASE_URL', 'postgres://user:pass@localhost:5432/db'],
  ['OPERATOR_API_KEY', 'an-operator-key-0123456789'],
  ['SERVICE_API_KEY', 'a-service-key-0123456789'],
  ['OPERATOR_TENANT_ID', '0123456789abcdef0123456789abcdef'],
  ['OIDC_ISSUER', 'https://id.example.org'],
  ['OIDC_CLIENT_ID', 'client'],
  ['OIDC_CLIENT_SECRET', 'secret'],
  ['OPENAI_API_KEY', 'sk-test'],
  ['STRIPE_SECRET_KEY', 'sk_test_1'],
  ['STRIPE_WEBHOOK_SECRET', 'whsec_1'],
  ['STRIPE_PRICE_PERSONAL', 'price_1'],
  ['STRIPE_PRICE_PRO', 'price_2'],
  ['STRIPE_PRICE_STUDIO', 'price_3'],
  ['STRIPE_PRICE_TOPUP', 'price_4'],
  ['STORAGE_PRINCIPAL_CLIENT_ID', 'principal'],
  ['STORAGE_ENDPOINT_OVERRIDE', 'http://127.0.0.1:10000'],
  ['SECRETS_KEY', KEY],
  ['SECRETS_KEY_PREVIOUS', KEY],
];

const lists = ['OPERATOR_EMAILS', 'OIDC_REDIRECT_URIS', 'ALLOWED_MODELS', 'CORS_ORIGINS'];
const booleans = defaults.filter(([, value]) => typeof value === 'boolean').map(([name]) => name);
const numbers = defaults
  .filter(([name, value]) => typeof value === 'number' && name !== 'TRUST_PROXY')
  .map(([name]) => name);
const wholeNumbers = numbers.filter(
  (name) => !['TRIAL_DAYS', 'DENSE_SCRIPT_WEIGHT', 'OPENAI_TIMEOUT_SECONDS'].includes(name),
);

/** The start must fail with one line that names the variable. */
function expectRefused(env: Record<string, string>, name: string): string {
  let thrown: unknown;
  try {
    readSettings(env);
  } catch (error) {
    thrown = error;
  }
  expect(thrown, `${JSON.stringify(env)} is accepted`).toBeInstanceOf(SettingsError);
  const { message } = thrown as Error;
  expect(message).toContain(name);
  expect(message.trim()).not.toMatch(/[\r\n]/);
  return message;
}

describe('C 1: defaults', () => {
  test.each(defaults)('%s is %j', (name, value) => {
    expect(read()[name]).toEqual(value);
  });

  test.each(unset)('%s is unset', (name) => {
    expect(read()[name] ?? null).toBeNull();
  });

  test.each(lists)('%s is empty', (name) => {
    expect(read()[name] ?? []).toEqual([]);
  });

  test('PLATFORM_STORAGE_CAP_BYTES has no cap by default', () => {
    expect(read()['PLATFORM_STORAGE_CAP_BYTES'] || null).toBeNull();
  });

  test('the models have defaults', () => {
    for (const name of ['OPENAI_MODEL', 'OPENAI_REFINER_MODEL', 'OPENAI_EMBEDDING_MODEL']) {
      expect(read()[name]).toMatch(/./);
    }
  });

  test('the addresses of OpenAI and Stripe have defaults, or those of their clients', () => {
    expect(read()['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1').toMatch(/^https:\/\/api\.openai\.com/);
    expect(read()['STRIPE_API_URL'] ?? 'https://api.stripe.com').toMatch(/^https:\/\/api\.stripe\.com/);
  });

  test('BASE_URL follows HOST and PORT, or is left until they are bound', () => {
    expect(read()['BASE_URL'] ?? 'http://127.0.0.1:8080').toBe('http://127.0.0.1:8080');
    const moved = read({ HOST: '0.0.0.0', PORT: '9000' });
    expect(moved['BASE_URL'] ?? 'http://0.0.0.0:9000').toBe('http://0.0.0.0:9000');
  });

  test('the platform storage is a folder under DATA_DIR, or left until that is known', () => {
    const url = read({ DATA_DIR: '/var/lib/lingua' })['PLATFORM_STORAGE_URL'];
    expect(url ?? '/var/lib/lingua/files').toMatch(/^(file:(\/\/)?)?\/var\/lib\/lingua\//);
  });
});

describe('C 1: parsing of values', () => {
  test.each(unset)('%s', (name, sample) => {
    expect(read({ SECRETS_KEY: KEY, [name]: sample })[name]).toBe(sample);
  });

  test.each(booleans)('%s takes true, false, 1 and 0', (name) => {
    expect(['true', '1', 'false', '0'].map((value) => read({ [name]: value })[name])).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.each(numbers)('%s takes a number', (name) => {
    expect(read({ [name]: '7' })[name]).toBe(7);
  });

  test('C 7: TRIAL_DAYS and DENSE_SCRIPT_WEIGHT may be fractions', () => {
    expect(read({ TRIAL_DAYS: '0.5', DENSE_SCRIPT_WEIGHT: '2.25' })).toMatchObject({
      TRIAL_DAYS: 0.5,
      DENSE_SCRIPT_WEIGHT: 2.25,
    });
    // No date is 100 million days after 1970.
    expect(expectRefused({ TRIAL_DAYS: '100000000' }, 'TRIAL_DAYS')).toBe(
      'TRIAL_DAYS: must be at most 1000000',
    );
  });

  test.each([
    ['true', 1],
    ['false', 0],
    ['0', 0],
    ['1', 1],
    ['2', 2],
    ['10', 10],
  ])('TRUST_PROXY=%s means %d proxies', (value, proxies) => {
    expect(read({ TRUST_PROXY: value })['TRUST_PROXY']).toBe(proxies);
  });

  test('C 7: OPERATOR_EMAILS and OIDC_REDIRECT_URIS are comma-separated, blanks do not count', () => {
    const settings = read({
      OPERATOR_EMAILS: 'ops@example.org, Second@Example.org ,',
      OIDC_REDIRECT_URIS: 'https://a.example/cb, https://b.example/cb',
    });
    const emails = settings['OPERATOR_EMAILS'] as string[];
    expect(emails.map((email) => email.toLowerCase())).toEqual(['ops@example.org', 'second@example.org']);
    expect(settings['OIDC_REDIRECT_URIS']).toEqual(['https://a.example/cb', 'https://b.example/cb']);
  });

  test.each(['silent', 'debug', 'info', 'warn', 'error'])('LOG_LEVEL=%s', (level) => {
    expect(read({ LOG_LEVEL: level })['LOG_LEVEL']).toBe(level);
  });

  test.each(['http://localhost:9000', 'https://lingua.example.org'])('BASE_URL=%s', (url) => {
    expect(String(read({ BASE_URL: url })['BASE_URL']).replace(/\/$/, '')).toBe(url);
  });

  test.each(['file:///var/lib/store', 'https://acct.dfs.core.windows.net/container'])(
    'PLATFORM_STORAGE_URL=%s',
    (url) => {
      expect(read({ PLATFORM_STORAGE_URL: url })['PLATFORM_STORAGE_URL']).toBe(url);
    },
  );

  test('PLATFORM_STORAGE_CAP_BYTES, models, providers', () => {
    const env = {
      OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1',
      OPENAI_MODEL: 'model-a',
      OPENAI_REFINER_MODEL: 'model-b',
      OPENAI_EMBEDDING_MODEL: 'model-c',
      STRIPE_API_URL: 'http://127.0.0.1:12111',
      OIDC_ORG_CLAIM: 'org',
      HOST: '0.0.0.0',
      DATA_DIR: '/srv/data',
    };
    expect(read({ ...env, PLATFORM_STORAGE_CAP_BYTES: '1048576' })).toMatchObject({
      ...env,
      PLATFORM_STORAGE_CAP_BYTES: 1_048_576,
    });
  });

  test('only the given environment is read, and it is not changed', () => {
    process.env['PORT'] = '9999';
    try {
      expect(read()['PORT']).toBe(8080);
    } finally {
      delete process.env['PORT'];
    }
    const env = Object.freeze({ PORT: '7', LOG_LEVEL: 'silent', NOBODY_KNOWS_THIS: 'x' });
    expect(read(env)['PORT']).toBe(7);
  });
});

describe('C 1: a bad value is one line that names its variable', () => {
  test.each(booleans)('%s takes no other word', (name) => {
    for (const value of ['yes', 'no', 'on', 'off', '2', '-1', 'tru', 'null', 'true false', 'TRUE']) {
      expectRefused({ [name]: value }, name);
    }
  });

  test.each(numbers)('%s takes numbers only', (name) => {
    for (const value of [
      'abc',
      '-1',
      'NaN',
      'Infinity',
      '-Infinity',
      '7 days',
      '1,000',
      '0x',
      '--1',
      '1e999',
    ]) {
      expectRefused({ [name]: value }, name);
    }
  });

  test.each(wholeNumbers)('%s takes whole numbers only', (name) => {
    for (const value of ['1.5', '0.1']) expectRefused({ [name]: value }, name);
  });

  test('PORT ends at 65535', () => {
    expect(read({ PORT: '65535' })['PORT']).toBe(65_535);
    for (const port of ['65536', '99999999999999999999']) expectRefused({ PORT: port }, 'PORT');
  });

  test('MODEL_PRICES is JSON with numbers, and the message names the wrong model', () => {
    expect(read()['MODEL_PRICES']).toEqual({});
    for (const price of ['1', '{"input":-1}', '{"in":1}'])
      expectRefused({ MODEL_PRICES: `{"a-model":${price}}` }, 'MODEL_PRICES');
    expect(() => read({ MODEL_PRICES: '{"a-model":{"input":"1"}}' })).toThrow(
      'MODEL_PRICES: must be JSON like {"a-model":{"input":1.25,"output":10}}; a-model.input: must be a number',
    );
  });

  test('PLATFORM_STORAGE_CAP_BYTES is a whole number', () => {
    for (const value of ['abc', '-1', '1.5', '1GB']) {
      expectRefused({ PLATFORM_STORAGE_CAP_BYTES: value }, 'PLATFORM_STORAGE_CAP_BYTES');
    }
  });

  test('TRUST_PROXY is true, false or a number of proxies', () => {
    for (const value of ['yes', '-1', '1.5', 'loopback', '10.0.0.0/8', 'NaN', 'Infinity']) {
      expectRefused({ TRUST_PROXY: value }, 'TRUST_PROXY');
    }
  });

  test('LOG_LEVEL is a level', () => {
    for (const value of ['loud', 'INFORMATION', '30']) expectRefused({ LOG_LEVEL: value }, 'LOG_LEVEL');
  });

  test.each(['BASE_URL', 'DATABASE_URL', 'OPENAI_BASE_URL', 'STRIPE_API_URL', 'PLATFORM_STORAGE_URL'])(
    '%s is an address',
    (name) => {
      for (const value of ['nonsense', '//', 'http://', 'ftp://example.org']) {
        expectRefused({ SECRETS_KEY: KEY, [name]: value }, name);
      }
    },
  );

  test('OIDC_ISSUER is an address; C 7: http is good on a loopback address', () => {
    for (const issuer of ['http://127.0.0.1:4000', 'http://localhost:4000', 'https://id.example.org']) {
      expect(read({ OIDC_ISSUER: issuer })['OIDC_ISSUER']).toBe(issuer);
    }
    expectRefused({ OIDC_ISSUER: 'nonsense' }, 'OIDC_ISSUER');
  });

  test('SECRETS_KEY is 32 bytes in base64, and a wrong one is not shown', () => {
    const wrong = [
      Buffer.alloc(31, 1).toString('base64'),
      Buffer.alloc(33, 1).toString('base64'),
      'not base64 at all, but of 44 characters!!!!!',
      '0123456789abcdef0123456789abcdef',
    ];
    for (const value of wrong) {
      expect(expectRefused({ SECRETS_KEY: value }, 'SECRETS_KEY')).not.toContain(value);
    }
  });

  test('a refused DATABASE_URL does not show its password', () => {
    const env = { SECRETS_KEY: KEY, DATABASE_URL: 'mysql://user:hunter2secret@localhost/db' };
    expect(expectRefused(env, 'DATABASE_URL')).not.toContain('hunter2secret');
  });

  test('DATABASE_URL has nothing that its two drivers would read differently', () => {
    const base = 'postgres://user:hunter2secret@db.example/lingualoop';
    for (const url of [
      base,
      `${base}?sslmode=disable`,
      `${base}?sslmode=require`,
      `${base}?sslmode=verify-full`,
    ])
      expect(read({ SECRETS_KEY: KEY, DATABASE_URL: url })['DATABASE_URL']).toBe(url);
    const refused = ['sslmode=prefer', 'sslmode=allow', 'sslmode=verify-ca', 'sslmode=no-verify', 'ssl=true'];
    for (const query of [...refused, 'sslmode=verify-full&sslrootcert=/ca.pem', 'uselibpqcompat=true']) {
      const words = expectRefused({ SECRETS_KEY: KEY, DATABASE_URL: `${base}?${query}` }, 'DATABASE_URL');
      expect(words).toMatch(/sslmode=disable, require and verify-full/);
      expect(words).not.toContain('hunter2secret');
    }
    for (const host of ['user:secret@[::1]:5432', 'user@[2001:db8::1]', '[::1]'])
      expect(
        expectRefused({ SECRETS_KEY: KEY, DATABASE_URL: `postgres://${host}/db` }, 'DATABASE_URL'),
      ).toMatch(/IPv6/);
  });

  test('an empty operator or service key counts as unset, or is refused', () => {
    for (const name of ['OPERATOR_API_KEY', 'SERVICE_API_KEY', 'OPENAI_API_KEY']) {
      let value: unknown;
      try {
        value = read({ [name]: '' })[name];
      } catch (error) {
        expect(error).toBeInstanceOf(SettingsError);
      }
      expect(value ?? null).toBeNull();
    }
  });

  test('several bad values are still one line', () => {
    const env = { PORT: 'abc', MFA_REQUIRED: 'maybe', TRIAL_DAYS: 'soon' };
    let message = '';
    try {
      readSettings(env);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(Object.keys(env).some((name) => message.includes(name))).toBe(true);
    expect(message.trim()).not.toMatch(/[\r\n]/);
  });

  test('a SettingsError is an Error', () => {
    expect(new SettingsError('PORT: nonsense')).toBeInstanceOf(Error);
  });
});

/** The settings with several fields, each with valid JSON, and what that becomes. */
const structured: [name: string, json: string, value: unknown][] = [
  ['DATABASE_POOLS', '{"jobs":8}', { requests: 10, jobs: 8 }],
  ['METRICS', '{"port":9464}', { port: 9464, host: '127.0.0.1', top_workspaces: 0 }],
  [
    'MAIL_SERVER',
    '{"url":"smtp://x","from":"a@b.example"}',
    { url: 'smtp://x', from: 'a@b.example', language: 'en', digest_hour: 6 },
  ],
  [
    'ENGINES',
    '{"engines":{"a":{"kind":"apertium","url":"http://a/"}}}',
    {
      engines: { a: { kind: 'apertium', url: 'http://a' } },
      routes: [{ use: ['a'] }],
      without_judge: 'review',
    },
  ],
  ['MODEL_PRICES', '{"m":{"input":1}}', { m: { input: 1, output: 0 } }],
  [
    'WORKSPACE_LIMITS',
    '{"tokens_per_day":7}',
    {
      failed_runs_per_hour: 200,
      tokens_per_day: 7,
      storage_bytes: 10_000_000_000,
      translation_memories: 200,
      glossaries: 200,
      glossary_chars: 200_000,
    },
  ],
  [
    'RETENTION_DAYS',
    '{"jobs":90,"audit":null}',
    { jobs: 90, documents: null, audit: null, usage: null, invites: null, queue: 30, events: 7 },
  ],
];

describe('settings with several fields', () => {
  test.each(structured)('%s takes JSON', (name, json, value) => {
    expect(read({ [name]: json })[name]).toEqual(value);
  });

  test.each(structured)('%s takes no other text, and no unknown field', (name, json) => {
    for (const other of ['7', '[]', 'null', 'jobs=7', `${json},`]) expectRefused({ [name]: other }, name);
    const message = expectRefused({ [name]: json.replace('{', '{"wrong":1,') }, name);
    expect(message).toMatch(/; (wrong: must be an object|unknown field wrong)$/);
  });

  test.each([
    [{ RETENTION_DAYS: '{"jobs":0}' }, 'jobs: must be at least 1'],
    [{ RETENTION_DAYS: '{"events":36501}' }, 'events: must be at most 36500'],
    [{ RETENTION_DAYS: '{"queue":"30"}' }, 'queue: must be a number'],
    [{ METRICS: '{"host":"::"}' }, 'port: is required'],
    [{ METRICS: '{"port":1,"top_workspaces":101}' }, 'top_workspaces: must be at most 100'],
    [{ DATABASE_POOLS: '{"requests":1}' }, 'requests: must be at least 2'],
    [
      { DATABASE_POOLS: '{"pooler":"postgres://role@pooler:6432"}' },
      'pooler: must have no user and password: .*',
    ],
    [
      { DATABASE_POOLS: '{"pooler":"pooler:6432"}' },
      'pooler: must be a URL that starts with postgres:// or .*',
    ],
    [{ WORKSPACE_LIMITS: '{"glossaries":1.5}' }, 'glossaries: must be a whole number'],
  ])('%j names the field: %s', (env, message) => {
    const [name = ''] = Object.keys(env);
    expect(expectRefused(env, name)).toMatch(new RegExp(`^${name}: must be JSON like .*; ${message}$`));
  });

  test.each(formerSettingNames)('%s, a former name, and its _FILE stop the start', (name) => {
    expect(settingNames).not.toContain(name);
    for (const variable of [name, `${name}_FILE`]) {
      const message = expectRefused({ [variable]: '30' }, variable);
      const [, setting, json] = /: has a new form, ([A-Z_]+)=(\{.*\}) \(/.exec(message) ?? [];
      if (setting === undefined) expect(message).toContain(`${variable}: has been removed; `);
      else
        for (const field of Object.keys(JSON.parse(json as string)))
          expect(expectRefused({ [setting]: `{"${field}":[]}` }, setting)).not.toContain('unknown');
    }
    // Compose files pass unset variables as empty ones.
    expect(read({ [name]: '' })).toEqual(read());
  });

  test('all former names are named at once, with one example of each new setting', () => {
    expect(() => read({ RETENTION_AUDIT_DAYS: '9', EVENTS_DAYS: '9', MAX_TM_SETS: '9' })).toThrow(
      'RETENTION_AUDIT_DAYS, EVENTS_DAYS, MAX_TM_SETS: have a new form, RETENTION_DAYS={"audit":90,"events":7} and WORKSPACE_LIMITS={"translation_memories":200} (',
    );
  });
});

describe('C 1: settings are frozen', () => {
  test('nothing in them can be changed, nor in their lists', () => {
    const settings = read({ OPERATOR_EMAILS: 'ops@example.org' });
    expect(Object.isFrozen(settings)).toBe(true);
    for (const value of Object.values(settings)) {
      if (typeof value === 'object' && value !== null) expect(Object.isFrozen(value)).toBe(true);
    }
    expect(() => {
      settings['PORT'] = 1;
    }).toThrow(TypeError);
  });

  test('two readings share nothing', () => {
    expect(read({ PORT: '1' })['PORT']).toBe(1);
    expect(read()['PORT']).toBe(8080);
  });
});
