import { z } from 'zod';
import { canonicalLanguage } from '../languages.ts';

/*
 * The kinds of values that settings have, and the settings with several fields. `environment.ts` names the variables.
 */

const boolean = z
  .enum(['true', 'false', '1', '0'], { error: 'must be true, false, 1 or 0' })
  .transform((value) => value === 'true' || value === '1');
export const flag = (fallback: boolean) => boolean.default(fallback);

export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

export const integer = (fallback: number, min: number, max?: number) =>
  wholeNumber(min, max).default(fallback);

/** Ten years, in seconds. Longer times could overflow dates. */
export const tenYears = 315_360_000;

/** A hundred years. */
export const maxRetentionDays = 36_500;

/** Two months, the longest time for which a moment can be in the current or the previous billing period. */
export const minUsageDays = 62;

/** Why usage records cannot be removed earlier. */
export const minUsageDaysReason = `must be at least ${minUsageDays}: records of the current and the previous month are always kept`;

export const decimal = (fallback: number, min: number, max = Number.MAX_SAFE_INTEGER) =>
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

export const optional = z.string().optional();
/** A key that clients send in a header. A header can carry only these characters. */
export const headerValue = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
  .optional();
export const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  );

export const address = (protocols: string[]) =>
  z
    .string({ error: mustBe('a string') })
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
      error: `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    });
export const webAddress = address(['http:', 'https:']).transform((value) => value.replace(/\/+$/, ''));

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
export const origins = list.superRefine((items, { addIssue }) => {
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
export const proxyCount = z
  .string()
  .regex(/^(\d{1,2}|true|false)$/, 'must be a whole number, true or false')
  .transform((value) => (value === 'true' ? 1 : value === 'false' ? 0 : Number(value)))
  .default(0);

export const secretsKey = z
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
export const json = <Shape extends z.ZodType>(shape: Shape, example: string) =>
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
export const engines = fields({
  engines: z
    .record(z.string().regex(/^[\w.-]{1,60}$/, 'must be a short name'), engine, mustBe('an object')({}))
    .refine((value) => Object.keys(value).length > 0, 'must not be empty'),
  routes: z.array(route, 'must be a list').min(1, 'must not be empty').optional(),
  judge: text.optional(),
  without_judge: z.enum(['review', 'checks'], 'must be review or checks').default('review'),
}).transform((value) => ({ ...value, routes: value.routes ?? [{ use: Object.keys(value.engines) }] }));

const days = number(1, maxRetentionDays);
/** Days after which data is deleted; null if it is kept. */
export const retentionDays = fields({
  jobs: days.nullable().default(null),
  documents: days.nullable().default(null),
  audit: days.nullable().default(null),
  usage: days.min(minUsageDays, minUsageDaysReason).nullable().default(null),
  invites: days.nullable().default(null),
  queue: days.default(30),
  events: days.default(7),
});

/** The address of metrics and health checks without a credential. `top_workspaces` are in the metrics by ID. */
export const metrics = fields({
  port: number(0, 65_535),
  host: text.default('127.0.0.1'),
  top_workspaces: number(0, 100).default(0),
});

/** Limits of each workspace. */
export const workspaceLimits = fields({
  failed_runs_per_hour: number(0, 1_000_000).default(200),
  tokens_per_day: number(0).default(0),
  storage_bytes: number(0).default(10_000_000_000),
  translation_memories: number(1).default(200),
  glossaries: number(1).default(200),
  glossary_chars: number(2, 1_000_000).default(200_000),
});

const pricePart = z.number({ error: mustBe('a number') }).min(0, 'must be at least 0');
/** The prices of models for a million tokens, in any currency, by the model's name. */
export const modelPrices = z.record(z.string(), fields({ input: pricePart, output: pricePart.default(0) }));

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
export const mailServer = fields({
  url: address(['smtp:', 'smtps:'])
    .refine(isDecodable, 'must percent-encode special characters')
    .refine(hasOnlyHost, 'must have a host, and neither a path nor a query'),
  from: mailSender,
  language: z.enum(mailLanguages, { error: `must be one of ${mailLanguages.join(', ')}` }).default('en'),
  digest_hour: number(0, 23).default(6),
});

/** The URL of a database of PostgreSQL. */
export const databaseAddress = address(['postgres:', 'postgresql:'])
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
export const databasePools = fields({
  requests: number(2, 500).default(10),
  jobs: number(2, 500).default(6),
  pooler: databaseAddress.refine(
    (value) => value === undefined || !URL.canParse(value) || !/^[^/]*\/\/[^/]*@/.test(value),
    'must have no user and password: those of DATABASE_URL are used',
  ),
});
