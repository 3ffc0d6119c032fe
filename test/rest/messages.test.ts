import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as sdk from '#sdk/index.ts';
import '#server/platform/input-messages.ts';
import { refusalOf, type Signup, useTestApp } from '#test/setup/app.ts';

const operatorKey = 'the-operator-of-the-messages-test';
const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    OPERATOR_API_KEY: operatorKey,
    MAX_REQUEST_BYTES: '1000000',
    MAX_UPLOAD_BYTES: '3000000',
  },
});

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

const path = '/api/translations';
const client = () => new sdk.LinguaLoop({ baseUrl: app.address, apiKey: tenant.apiKey, maxRetries: 0 });

describe('what is wrong with a field is said in words', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['a missing field', z.string(), undefined, 'is required'],
    ['a missing choice', z.enum(['a', 'b']), undefined, 'is required: one of a, b'],
    ['another type', z.string(), 5, 'must be a string'],
    ['null', z.object({}), null, 'must be an object'],
    ['a fraction', z.int(), 1.5, 'must be a whole number'],
    ['a choice', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    ['an empty text', z.string().min(1), '', 'must not be empty'],
    ['a short text', z.string().min(2), 'a', 'must have at least 2 characters'],
    ['many entries', z.array(z.int()).max(1), [1, 2], 'must have at most 1 entry'],
    ['a large number', z.number().max(200), 201, 'must be at most 200'],
    ['an address', z.email(), 'a', 'must be an email address'],
    [
      'a time',
      z.iso.datetime(),
      'a',
      'must be a date and time with a time zone, such as 2026-11-22T08:00:00Z',
    ],
    ['a pattern', z.string().regex(/^a$/), 'b', 'does not have the right format'],
    ['unknown fields', z.strictObject({}), { a: 1, b: 2 }, 'has unknown fields: a, b'],
    ['a union', z.union([z.string(), z.number()]), true, 'must be a string, or must be a number'],
    [
      'a key',
      z.record(z.string().max(1), z.int()),
      { ab: 1 },
      'has a key that must have at most 1 character',
    ],
    ['a rule without words', z.string().refine(() => false), 'a', 'is not accepted'],
    ['words of the schema', z.string().refine(() => false, 'must rhyme'), 'a', 'must rhyme'],
  ])('%s', (_name, schema, value, message) => {
    expect(schema.safeParse(value).error?.issues[0]?.message).toBe(message);
  });

  test('the same over the API, and no rejected value is repeated', async () => {
    const { body } = await app.json('POST', path, {
      headers: tenant.headers,
      body: { target_lang: 7, text_type: 'secret' },
    });
    expect(body.detail.map(({ loc, msg }: sdk.FieldProblem) => `${loc.join('.')} ${msg}`)).toEqual([
      'body.source_text is required',
      'body.target_lang must be a string',
      'body.text_type must be one of Plain, Html',
    ]);
  });
});

describe('a 413 keeps its text and says the limit and what was sent', () => {
  const inputs = [
    { Text: 'a', Targets: Array.from({ length: 26 }, () => ({ Language: 'fr' })) },
    { Text: 'b', Targets: Array.from({ length: 30 }, () => ({ Language: 'fr' })) },
  ];

  test('of a batch, by pairs', async () => {
    const error = await client()
      .translations.createBatch({ inputs })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(sdk.PayloadTooLargeError);
    expect(error).toMatchObject({
      ...{ detail: 'batch exceeds MAX_BATCH_ITEMS', limit: 50, actual: 56, unit: 'items' },
      message: expect.stringMatching(
        /^413 batch exceeds MAX_BATCH_ITEMS: 56 items; at most 50 in a batch \(request /,
      ),
    });
  });

  test('of a text, by characters, over both transports', async () => {
    const text = { source_text: '🙂'.repeat(50_001), target_lang: 'fr' };
    const figures = { limit: 50_000, actual: 50_001, unit: 'characters' };
    const { status, body } = await app.json('POST', path, { headers: tenant.headers, body: text });
    expect([status, body]).toEqual([413, refusalOf('source text exceeds MAX_SOURCE_CHARS', figures)]);
    const rpc = await app.json('POST', '/trpc/translations.create', {
      headers: tenant.headers,
      body: { json: text },
    });
    expect(rpc.body.error.json.data).toMatchObject(figures);
    await expect(client().translations.create(text)).rejects.toThrow(
      '50,001 characters; at most 50,000 in a text',
    );
  });
});

describe('a 401 says how to send a credential', () => {
  const hintOf = async (address: string, headers: Record<string, string>) => {
    const { status, body, headers: answered } = await app.json('GET', address, { headers });
    expect(status).toBe(401);
    expect(body).toEqual(refusalOf(expect.any(String)));
    const challenge = answered.get('www-authenticate') ?? '';
    expect(challenge.replace(/, error_description="[^"]*"/, '')).toBe(
      'Bearer realm="LinguaLoop", ApiKey realm="LinguaLoop", header="X-API-Key"',
    );
    return [body.detail, /error_description="([^"]*)"/.exec(challenge)?.[1]];
  };
  const missing = 'missing or invalid tenant credentials';

  test('and which kind, where another kind was sent', async () => {
    const either = "send a workspace's API key as X-API-Key, or an access token as Authorization: Bearer";
    expect(await hintOf(path, {})).toEqual([missing, undefined]);
    expect(await hintOf(path, { 'x-api-key': operatorKey })).toEqual([
      missing,
      `the operator key belongs to no workspace; ${either}`,
    ]);
    expect(await hintOf('/api/auth/users', { 'x-api-key': tenant.apiKey })).toEqual([
      'admin credentials required',
      expect.stringContaining("a workspace's API key is not accepted"),
    ]);
    expect(await hintOf('/api/auth/me', { 'x-api-key': tenant.apiKey })).toEqual([
      'missing bearer token',
      expect.stringContaining('an API key is not accepted'),
    ]);
  });

  test('but a wrong key of the right kind gets no more than the fixed text', async () => {
    expect(await hintOf(path, { 'x-api-key': 'wrong' })).toEqual([missing, undefined]);
  });
});

test('a glossary of another type is refused by the fixed text, and a hint names the others', async () => {
  const upload = client().terminology.upload({ name: 'a.xls', data: new Blob(['a,b']) }, { name: 'G' });
  const error = await upload.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    ...{ status: 415, detail: 'terminology_file must be a .csv or .tmx file' },
    hint: '.tsv, .tbx, .xlsx and .json files are accepted too',
    message: expect.stringContaining('.csv or .tmx file; .tsv, .tbx, .xlsx and .json files'),
  });
});
