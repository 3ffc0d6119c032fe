import { afterEach, beforeEach, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSession, openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { poll } from '#test/setup/poll.ts';

/** Texts that begin with `held` are held until the test releases them; all others take a moment. */
const waiting: (() => void)[] = [];
const engine = engineOf(async ({ segments }) => {
  if (segments[0]?.startsWith('held')) await new Promise<void>((resolve) => waiting.push(resolve));
  else await new Promise((resolve) => setTimeout(resolve, 3));
  return answered(segments.map((segment) => `«${segment}»`));
});
const operator = { 'x-api-key': 'operator-key-for-twins' };
const app = useTestApp({
  ownDatabase: 'the server counts deadlocks of a database',
  engine,
  env: {
    BILLING_ENABLED: 'true',
    STRIPE_SECRET_KEY: 'sk_test_x',
    OPERATOR_API_KEY: operator['x-api-key'],
    STALE_PENDING_SECONDS: '60',
    AUTH_RATE_LIMIT_ENABLED: 'false',
  },
});
const letGo = () => {
  for (const go of waiting.splice(0)) go();
};
beforeEach(() => {
  waiting.length = 0;
});
afterEach(letGo);

async function subscriber(monthly_char_limit: number, metadata: Record<string, unknown> = {}) {
  const { body: tenant } = await app.json('POST', '/api/tenants', {
    headers: operator,
    body: { name: 'Twins', monthly_char_limit, metadata: { pay_subscription_status: 'active', ...metadata } },
  });
  const send = (body: unknown, key?: string) =>
    app.json('POST', '/api/translations', {
      headers: { 'x-api-key': tenant.api_key, ...(key !== undefined && { 'idempotency-key': key }) },
      body,
    });
  return {
    tenantId: tenant.id as string,
    text: (chars: number, key?: string, start = '') =>
      send({ source_text: start.padEnd(chars, 'x'), target_lang: 'fr' }, key),
    batch: (chars: readonly number[], key?: string, start = '') =>
      send(
        { inputs: chars.map((count) => ({ Text: start.padEnd(count, 'x'), Targets: [{ Language: 'fr' }] })) },
        key,
      ),
    summary: async () => {
      const { body } = await app.json('GET', `/api/tenants/${tenant.id}/billing`, { headers: operator });
      return { ...body.allowance, drawn: body.topup.used, balance: body.topup.balance };
    },
  };
}

test('three concurrent submissions with one key do not reserve three times', async () => {
  for (let round = 0; round < 8; round++) {
    const tenant = await subscriber(100);
    const answers = await Promise.all(['k', 'k', 'k'].map((key) => tenant.text(90, key)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await tenant.summary()).toMatchObject({ used: 90, reserved: 0 });
  }
});

test('a batch that is sent again while it runs shares the first one’s reservation for the rest', async () => {
  const tenant = await subscriber(100);
  const first = tenant.batch([30, 30, 30], 'b', 'held');
  await poll(async () => waiting.length === 1);
  const second = tenant.batch([30, 30, 30], 'b', 'held');
  expect((await second).body.map(({ status }: { status: string }) => status)).toEqual(
    Array(3).fill('pending'),
  );
  // 90 characters are reserved, even if the batch is sent several times. Of 100 characters, at most 10 remain for other
  // requests.
  expect((await tenant.text(11)).status).toBe(429);
  let over = false;
  const done = Promise.all([first, second]).finally(() => {
    over = true;
  });
  await poll(async () => {
    letGo();
    return over;
  });
  expect((await done).map(({ status }) => status)).toEqual([200, 200]);
  expect(await tenant.summary()).toMatchObject({ used: 90, reserved: 0 });
});

test('the reservation of a stale job counts for its own work only, and only while it is stale', async () => {
  const tenant = await subscriber(1000);
  await tenant.text(10, 'b:1');
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from usage_records where tenant_id = ${tenant.tenantId}`;
  await sql`delete from usage_totals where tenant_id = ${tenant.tenantId}`;
  await sql`update translation_jobs set status = 'pending', reserved_chars = 995,
    updated_at = now() - interval '1 hour' where tenant_id = ${tenant.tenantId}`;
  expect((await tenant.text(10)).status).toBe(429);
  // The tenant lock is held, so that the three requests wait for it in this order.
  const holder = openSession(app.superuserUrl);
  await holder`select pg_advisory_lock(hashtextextended(${tenant.tenantId}, 8202))`;
  const queued = async () => {
    const [row] =
      await sql`select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted`;
    return row?.['count'];
  };
  const answers = [tenant.text(10, 'b:1')];
  await poll(async () => (await queued()) === 1);
  answers.push(tenant.text(900));
  await poll(async () => (await queued()) === 2);
  answers.push(tenant.batch([950, 10], 'b'));
  await poll(async () => (await queued()) === 3);
  await holder`select pg_advisory_unlock(hashtextextended(${tenant.tenantId}, 8202))`;
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(await tenant.summary()).toMatchObject({ used: 910, reserved: 0 });
});

test('a job that was admitted below the allowance and ends last is taken from the balance, too', async () => {
  const tenant = await subscriber(100, { topup_chars_purchased: 300 });
  const slow = tenant.text(50, undefined, 'held');
  await poll(async () => waiting.length === 1);
  expect((await tenant.text(100)).status).toBe(200);
  letGo();
  expect((await slow).status).toBe(200);
  expect(await tenant.summary()).toMatchObject({ used: 150, drawn: 50, balance: 250 });
});

test('one batch sent three times at once, repeatedly, past the allowance: no deadlock', async () => {
  const tenant = await subscriber(5, { topup_chars_purchased: 1_000_000 });
  const sql = openSuperuser(app.superuserUrl);
  const deadlocks = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql`select deadlocks::int from pg_stat_database where datname = current_database()`;
    return row?.['deadlocks'];
  };
  const before = await deadlocks();
  const texts = [1, 2, 3, 4, 5, 6];
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all([0, 1, 2].map(() => tenant.batch(texts, `round ${round}`)));
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [200, 6],
      [200, 6],
      [200, 6],
    ]);
  }
  expect(await deadlocks()).toBe(before);
  expect(await tenant.summary()).toMatchObject({ used: 15 * 21, drawn: 15 * 21 - 5, reserved: 0 });
  const [row] =
    await sql`select count(*)::int as jobs, count(*) filter (where status = 'failed')::int as failed
    from translation_jobs where tenant_id = ${tenant.tenantId}`;
  expect({ ...row }).toEqual({ jobs: 90, failed: 0 });
}, 60_000);
