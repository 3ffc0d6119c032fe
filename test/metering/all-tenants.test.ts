import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { beforeAll, expect, test } from 'vitest';
import type { Tx } from '#db/client.ts';
import { foldUsage } from '#server/billing/metering/daily-usage.ts';
import { useTestApp } from '#test/setup/app.ts';

const operatorKey = 'the-operator';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });
const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  for (let n = 0; n < 3; n++) await app.signUp();
  await asSuperuser(`
    insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, source_chars, billable_chars, total_tokens)
    select tenant_id, current_date - d, '', s, d + s, 10 * d, 20 * d, 30
    from tenants, generate_series(0, 99) d, generate_series(0, 2) s where d % 7 <> 3`);
});

async function asSuperuser(statement: string) {
  const superuser = postgres(app.superuserUrl, { max: 1 });
  try {
    return await superuser.unsafe(statement);
  } finally {
    await superuser.end();
  }
}

const report = async (from = day(99), to = day(0)) => {
  const path = `/api/tenants/usage/daily?from=${from}&to=${to}`;
  const { status, body } = await app.json('GET', path, { headers: { 'x-api-key': operatorKey } });
  expect(status).toBe(200);
  return body;
};

test('folding the days does not change the usage of all tenants', async () => {
  const before = await report();
  expect(before.totals.jobs).toBeGreaterThan(0);
  await Promise.all([foldUsage(app.database), foldUsage(app.database)]);
  const [folded] = await asSuperuser(`select count(*)::int as days, max(day)::text as last from usage_days`);
  // All completed days are folded, except perhaps the last one, which is folded an hour after its end.
  expect(folded!['days']).toBeGreaterThanOrEqual(98);
  expect(folded!['last'] < day(0)).toBe(true);
  expect(await report()).toEqual(before);
  await foldUsage(app.database);
  expect(await report()).toEqual(before);
  expect(await report(day(50), day(40))).toMatchObject({ days: before.days.slice(49, 60) });
});

test('today’s usage counts at once, from every process', async () => {
  await foldUsage(app.database);
  const before = await report();
  const { tenantId } = await app.signUp();
  await asSuperuser(`
    insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, billable_chars)
    values ('${tenantId}', (now() at time zone 'UTC')::date, '', 0, 5, 500)`);
  expect((await report()).totals.jobs).toBe(before.totals.jobs + 5);
});

test('days folded while the clock ran ahead are not counted, and are folded again when they are over', async () => {
  await foldUsage(app.database);
  const before = await report(day(99), day(-5));
  const days = async () =>
    (await asSuperuser(`select day::text from usage_days order by day`)).map((row) => row['day'] as string);
  const folded = await days();
  // Simulates a clock that was three days ahead: it has folded the current, incomplete day, and days without usage.
  await asSuperuser(`
    insert into usage_days (tenant_id, day)
    select '*', (now() at time zone 'UTC')::date + n from generate_series(0, 3) n`);
  expect(await report(day(99), day(-5))).toEqual(before);
  // In addition, the sweep did not run for four days.
  await asSuperuser(
    `delete from usage_days where day > current_date - 6 and day < (now() at time zone 'UTC')::date`,
  );
  await foldUsage(app.database);
  expect(await days()).toEqual(folded);
  expect(await report(day(99), day(-5))).toEqual(before);
});

test('the sums over all tenants are readable neither without a scope nor by a tenant', async () => {
  await foldUsage(app.database);
  const { tenantId } = await app.signUp();
  const sums = async (tx: Tx) => [...(await tx.execute(sql`select day from usage_days`))];
  expect((await app.database.inPlatform(sums)).length).toBeGreaterThan(90);
  const unknown = Buffer.alloc(32);
  expect(await app.database.inTenantOfToken(unknown, sums)).toEqual([]);
  expect(await app.database.inTenantOfCredential({ accessToken: unknown, apiKey: unknown }, sums)).toEqual(
    [],
  );
  for (const scope of ['', '*', tenantId]) expect(await app.database.inTenant(scope, sums)).toEqual([]);
});
