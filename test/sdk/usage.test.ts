import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';

const operatorKey = 'operator-key-of-the-tests';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

const operator = () => new sdk.LinguaLoop({ baseUrl: app.address, apiKey: operatorKey });
const today = () => new Date().toISOString().slice(0, 10);

async function founded() {
  const { tenantId, apiKey, accessToken } = await app.signUp();
  const client = new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
  const admin = new sdk.LinguaLoop({ baseUrl: app.address, accessToken });
  return { tenantId, apiKey, accessToken, client, admin };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** More records than the service reads at a time, in a month that is over. */
const many = 4500;
const period = '2025-02';
let ledger: Awaited<ReturnType<typeof founded>>;
const jobId = (n: number) => String(n).padStart(32, '0');

beforeAll(async () => {
  ledger = await founded();
  const sql = postgres(app.superuserUrl, { max: 1 });
  await sql`
    insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars,
      billable_chars, job_status, recorded_at, total_tokens, models)
    select ${ledger.tenantId}, lpad(n::text, 32, '0'), 'text', ${period}, 'en', 'fr', n, n, 'published',
      timestamptz '2025-02-01T00:00:00Z' + n * interval '1 second', n, '["gelbfüßig 漢字"]'
    from generate_series(1, ${many}) n`;
  await sql.end();
});

describe('A 4.4: daily', () => {
  test('an administrator’s own, characters only; an operator’s of one tenant or of all, with tokens', async () => {
    const { client, admin, tenantId } = await founded();
    await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    const day = today();
    const own = await admin.usage.daily({ from: day, to: day });
    expect(own).toMatchObject({ tenant_id: tenantId, days: [{ date: day, jobs: 1, billable_chars: 5 }] });
    expect(own.totals).toEqual({ jobs: 1, billable_chars: 5 });
    expect((await admin.usage.daily()).days).toHaveLength(30);
    const one = await operator().usage.daily({}, { tenantId });
    expect(one).toMatchObject({ tenant_id: tenantId, totals: { jobs: 1, total_tokens: expect.any(Number) } });
    expect((await operator().usage.daily()).tenant_id).toBeNull();
    await expect(admin.usage.daily({ from: '2024-01-01', to: '2025-12-31' })).rejects.toMatchObject({
      name: 'BadRequestError',
      detail: 'date range must not exceed 366 days',
    });
  });
});

describe('A 4.4: summary', () => {
  test('a month in figures, with its newest records', async () => {
    const { client, admin, tenantId } = await founded();
    await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    const newest = await client.translations.create({ source_text: 'Hallo!', target_lang: 'de' });
    const summary = await admin.usage.summary(tenantId, { limit: 1 });
    expect(summary).toMatchObject({ tenant_id: tenantId, jobs: 2, billable_chars: 11 });
    expect(summary.allowance).toMatchObject({ used: 11, reserved: 0 });
    expect(summary.records).toMatchObject([{ job_id: newest.id, target_lang: 'de', billable_chars: 6 }]);
    expect(await admin.usage.summary(tenantId, { period: '2020-01' })).toMatchObject({
      jobs: 0,
      records: [],
    });
  });
});

describe('A 4.4: records', () => {
  const records = (accessToken: string, month: string) =>
    new sdk.LinguaLoop({ baseUrl: app.address, accessToken }).usage.records(ledger.tenantId, {
      period: month,
    });

  test('all of a month, the oldest first, over all pages of the ledger', async () => {
    const { admin, tenantId } = ledger;
    const records = await all(admin.usage.records(tenantId, { period }));
    expect(records.map(({ job_id }) => job_id)).toEqual(
      Array.from({ length: many }, (_, index) => jobId(index + 1)),
    );
    expect(records[0]).toMatchObject({ tenant_id: tenantId, billing_period: period, billable_chars: 1 });
    expect(records.some((record) => 'total_tokens' in record || 'models' in record)).toBe(false);
  });

  test('the current month by default; no records is not an error', async () => {
    const { client, admin, tenantId } = await founded();
    expect(await all(admin.usage.records(tenantId))).toEqual([]);
    const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    const records = await all(admin.usage.records(tenantId));
    expect(records).toMatchObject([{ job_id: job.id, source_chars: 5, fast_path: null }]);
    expect(records).toEqual((await admin.usage.summary(tenantId)).records);
  });

  test('A 2.5: an operator sees tokens and models', async () => {
    for await (const record of operator().usage.records(ledger.tenantId, { period })) {
      expect(record).toMatchObject({ total_tokens: 1, models: ['gelbfüßig 漢字'] });
      break;
    }
  });

  test('each loop is its own download', async () => {
    const records = ledger.admin.usage.records(ledger.tenantId, { period });
    for await (const record of records) {
      expect(record.job_id).toBe(jobId(1));
      break;
    }
    expect(await all(records)).toHaveLength(many);
  });

  test.each<[string, () => AsyncIterable<unknown>, unknown]>([
    ['a foreign tenant', () => ledger.admin.usage.records('1'.repeat(32)), sdk.NotFoundError],
    ['a period that is none', () => records(ledger.accessToken, '2025-13'), sdk.UnprocessableContentError],
    ['a wrong token', () => records('wrong', period), sdk.AuthenticationError],
    ['a tenant’s key', () => ledger.client.usage.records(ledger.tenantId), sdk.AuthenticationError],
  ])('refusals are typed: %s', async (_, walk, errorClass) => {
    const error = await all(walk()).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ answeredBy: 'service', requestId: expect.any(String) });
  });

  test('a member whose access token is no longer valid reads with a renewed one', async () => {
    const { tenantId } = ledger;
    const tokens = store();
    const client = new sdk.LinguaLoop({ baseUrl: app.address, tokens });
    const { user } = await ledger.admin.auth.me();
    const issued = await client.auth.signIn({ email: user.email, password: 'a long enough passphrase' });
    tokens.save({ ...issued, access_token: 'ended' });
    expect(await all(client.usage.records(tenantId, { period }))).toHaveLength(many);
    expect(tokens.load()?.refresh_token).not.toBe(issued.refresh_token);
  });
});

function store() {
  let kept: sdk.Tokens | null = null;
  return {
    load: () => kept,
    save(tokens: sdk.Tokens | null) {
      kept = tokens;
    },
  };
}

describe('A 4.4: export', () => {
  test.each<[sdk.UsageExportFormat, string, (text: string) => number]>([
    ['json', 'application/json; charset=utf-8', (text) => JSON.parse(text).records.length],
    ['jsonl', 'application/x-ndjson; charset=utf-8', (text) => text.trimEnd().split('\n').length],
    ['csv', 'text/csv; charset=utf-8', (text) => text.trimEnd().split('\r\n').length - 1],
  ])('%s, under the name that the service gives it', async (format, contentType, count) => {
    const { admin, tenantId } = ledger;
    const { body, ...file } = await admin.usage.export(tenantId, { format, period });
    expect(file).toEqual({ contentType, fileName: `usage-${tenantId}-${period}.${format}` });
    expect(count(await new Response(body).text())).toBe(many);
  });

  test('is saved as it comes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-usage-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { admin, tenantId } = ledger;
    const { fileName, body } = await admin.usage.export(tenantId, { format: 'jsonl', period });
    await writeFile(join(folder, fileName), body);
    const lines = (await readFile(join(folder, fileName), 'utf8')).trimEnd().split('\n');
    const records = await all(admin.usage.records(tenantId, { period }));
    expect(lines.map((line) => JSON.parse(line))).toEqual(records);
  });

  test('json by default; a refused one fails before there is a body', async () => {
    const { admin, tenantId } = await founded();
    const { body, contentType } = await admin.usage.export(tenantId);
    expect(contentType).toBe('application/json; charset=utf-8');
    expect(await new Response(body).json()).toMatchObject({ tenant_id: tenantId, records: [] });
    await expect(admin.usage.export(ledger.tenantId)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });
});
