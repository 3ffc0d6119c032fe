import { beforeEach, expect, test } from 'vitest';
import { recordFailedRun } from '#server/billing/metering/entitlement.ts';
import { AppError } from '#server/errors.ts';
import { SaturatedError } from '#server/platform/concurrency-limit.ts';
import { completion, failure } from '#test/fakes/openai.ts';
import { type Signup, type TestApp, useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { engineOf } from '#test/setup/engine.ts';
import { bread, cat, good, liveEngine } from '#test/translations/live.ts';

const fake = await useFakeOpenAi();
const most = 4;
/** The share of an hour, in seconds, for which one failed run counts. */
const share = 3600 / most;
const env = { WORKSPACE_LIMITS: `{"failed_runs_per_hour":${most}}` };
const app = useTestApp({ env, engine: liveEngine(fake) });
const usual = useTestApp({ engine: liveEngine(fake) });
const stub = useTestApp({
  env,
  engine: engineOf(() => Promise.reject(new Error('an echo that fails'))),
});

let saturated = true;
const full = useTestApp({
  env,
  engine: engineOf(
    async () => {
      if (saturated) throw new SaturatedError('translation capacity is saturated; try again later');
      throw new AppError('transient_error', 'the model is out of reach');
    },
    { live: true },
  ),
});

beforeEach(() => {
  fake.requests.length = 0;
  // A response that costs tokens and cannot be used.
  fake.otherwise(completion({ content: 'no JSON' }));
});

const tooMany = {
  detail: 'too many failed runs (limit: 4 per hour); try again later',
  error_code: 'rate_limit',
  request_id: expect.any(String),
};

/** Submits a text once. */
function send(at: TestApp, { headers }: Signup, source_text = cat, key?: string) {
  return at.json('POST', '/api/translations', {
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    body: { source_text, target_lang: 'de' },
  });
}

const sql = () => openSuperuser(app.superuserUrl);

test('past the limit a tenant’s work is 429 with Retry-After, and no model is called', async () => {
  const mine = await app.signUp();
  for (let n = 0; n < most; n++) expect((await send(app, mine)).status).toBe(503);
  const asked = fake.requests.length;
  const { status, headers, body } = await send(app, mine);
  expect([status, body]).toEqual([429, tooMany]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(share);
  expect(fake.requests).toHaveLength(asked);
  // The rejected request creates no job, and does not affect other tenants.
  const list = await app.json('GET', '/api/translations', { headers: mine.headers });
  expect(list.body).toHaveLength(most);
  fake.otherwise(good);
  expect((await send(app, await app.signUp())).status).toBe(200);
});

test('a failed run counts less with each second: work continues before the hour is over', async () => {
  const mine = await app.signUp();
  for (let n = 0; n < most; n++) await send(app, mine);
  expect((await send(app, mine)).status).toBe(429);
  await sql()`
    update tenants set failed_runs_until = failed_runs_until - make_interval(secs => ${share})
    where tenant_id = ${mine.tenantId}`;
  fake.otherwise(good);
  // Successful runs do not count.
  for (const text of [cat, bread, cat]) expect((await send(app, mine, text)).status).toBe(200);
});

test('requests that start no work are still served: the replay of a finished job, and reads', async () => {
  const mine = await app.signUp();
  fake.otherwise(good);
  const done = await send(app, mine, cat, 'done');
  expect(done.status).toBe(200);
  fake.otherwise(failure(500));
  for (let n = 0; n < most; n++) expect((await send(app, mine, bread, `failed ${n}`)).status).toBe(503);
  const replay = await send(app, mine, cat, 'done');
  expect([replay.status, replay.body.id]).toEqual([200, done.body.id]);
  // Repeating a failed job starts a run, so it is rejected, too.
  expect((await send(app, mine, bread, 'failed 0')).body.error_code).toBe('rate_limit');
  const list = await app.json('GET', '/api/translations', { headers: mine.headers });
  expect(list.body).toHaveLength(most + 1);
});

test('after an outage in which all of its runs failed, a tenant works again when six shares have expired', async () => {
  const mine = await usual.signUp();
  const shareOfUsual = 3600 / 200;
  await usual.database.inTenant(mine.tenantId, async (tx) => {
    for (let n = 0; n < 300; n++) await recordFailedRun(tx, mine.tenantId, shareOfUsual);
  });
  const refused = await send(usual, mine);
  expect([refused.status, refused.body.error_code]).toEqual([429, 'rate_limit']);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(4 * shareOfUsual);
  expect(wait).toBeLessThanOrEqual(6 * shareOfUsual);
  await openSuperuser(usual.superuserUrl)`
    update tenants set failed_runs_until = failed_runs_until - make_interval(secs => ${wait})
    where tenant_id = ${mine.tenantId}`;
  fake.otherwise(good);
  expect((await send(usual, mine)).status).toBe(200);
});

test('a batch counts the item that fails, and the items that ran side by side with it', async () => {
  const mine = await app.signUp();
  const inputs = [cat, bread].map((Text) => ({ Text, Targets: [{ Language: 'de' }] }));
  const batch = () => app.json('POST', '/api/translations', { headers: mine.headers, body: { inputs } });
  for (let n = 0; n < most / 2; n++) expect((await batch()).status).toBe(503);
  expect((await batch()).body.error_code).toBe('rate_limit');
  // A batch stops at its first failing item: the other item leaves no job.
  const list = await app.json('GET', '/api/translations', { headers: mine.headers });
  expect(list.body).toHaveLength(most / 2);
});

test('an engine that is not live costs nothing, and is not counted', async () => {
  const mine = await stub.signUp();
  for (let n = 0; n < most + 2; n++) expect((await send(stub, mine)).status).toBe(500);
  const [row] = await openSuperuser(stub.superuserUrl)`
    select failed_runs_until from tenants where tenant_id = ${mine.tenantId}`;
  expect(row).toEqual({ failed_runs_until: null });
});

test('a run that got no slot at the model does not count as a failed run of the tenant', async () => {
  const mine = await full.signUp();
  for (let n = 0; n <= most; n++) {
    const { status, body } = await send(full, mine);
    expect([status, body.detail]).toEqual([429, 'translation capacity is saturated; try again later']);
  }
  saturated = false;
  for (let n = 0; n < most; n++) expect((await send(full, mine)).status).toBe(503);
  expect((await send(full, mine)).body.detail).toBe(tooMany.detail);
});
