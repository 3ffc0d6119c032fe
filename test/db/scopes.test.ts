import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase, type Tx } from '#db/client.ts';
import { openPool } from '#db/pool.ts';
import { credentialDirectory } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { size: 2, applicationName: 'scopes test' });
  for (const id of ['a', 'b']) await database.inTenant(id, (tx) => insertTenant(tx, id));
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const insertTenant = (tx: Tx, tenantId: string) =>
  tx.insert(tenants).values({ tenantId, name: tenantId, apiKeyPrefix: '', monthlyCharLimit: 1 });
const tenantIds = async (tx: Tx) =>
  (await tx.select({ id: tenants.tenantId }).from(tenants)).map(({ id }) => id).sort();

test('days and times do not depend on the time zone and the date style of the database', async () => {
  const superuser = openSuperuser(testDatabase.superuserUrl);
  // In this zone, a day in September begins at one o'clock, and a series of days would lack its last one.
  for (const setting of ["timezone = 'America/Santiago'", "datestyle = 'SQL, DMY'"])
    await superuser.unsafe(`alter database ${new URL(testDatabase.url).pathname.slice(1)} set ${setting}`);
  const fresh = openDatabase(testDatabase.url, { size: 1 });
  onTestFinished(() => fresh.close());
  const [row] = await fresh.inPlatform((tx) =>
    tx.execute(sql`select count(*)::int as days, max(day)::text as last
      from generate_series('2026-09-01'::date, '2026-09-09'::date, interval '1 day') day`),
  );
  expect(row).toEqual({ days: 9, last: '2026-09-09 00:00:00+00' });
});

describe('scopes', () => {
  test('a tenant sees its own rows and no others, whatever the query asks', async () => {
    expect(await database.inTenant('a', tenantIds)).toEqual(['a']);
    expect(await database.inTenant('b', tenantIds)).toEqual(['b']);
    for (const id of ['nobody', '', '%', '*']) expect(await database.inTenant(id, tenantIds)).toEqual([]);
  });

  test('a tenant cannot write a row of another, or move one there', async () => {
    await expect(database.inTenant('a', (tx) => insertTenant(tx, 'c'))).rejects.toThrow();
    await expect(database.inTenant('a', (tx) => tx.update(tenants).set({ tenantId: 'c' }))).rejects.toThrow();
    const changed = await database.inTenant('a', (tx) =>
      tx.update(tenants).set({ name: 'stolen' }).where(sql`tenant_id = 'b'`).returning(),
    );
    expect(changed).toEqual([]);
  });

  test('the platform sees all rows', async () => {
    expect(await database.inPlatform(tenantIds)).toEqual(['a', 'b']);
  });

  test('no scope stays behind on a connection', async () => {
    // There are at most two connections, and the scopes of a tenant and of the platform have already used both.
    for (let i = 0; i < 4; i++) await database.inPlatform(tenantIds);
    const plain = postgres(testDatabase.url, { max: 1 });
    expect(await plain`select tenant_id from tenants`).toEqual([]);
    await plain.end();
    const unknown = { accessToken: null, apiKey: Buffer.alloc(32) };
    expect(await database.inTenantOfCredential(unknown, tenantIds)).toEqual([]);
  });

  test('a credential opens the scope of the tenant it belongs to; an expired token does not', async () => {
    const hash = (byte: number) => Buffer.alloc(32, byte);
    await database.inPlatform((tx) =>
      tx.insert(credentialDirectory).values([
        { credentialHash: hash(1), kind: 'api_key', tenantId: 'a' },
        {
          credentialHash: hash(2),
          kind: 'access_token',
          tenantId: 'b',
          expiresAt: new Date(Date.now() + 60_000),
        },
        {
          credentialHash: hash(3),
          kind: 'access_token',
          tenantId: 'b',
          expiresAt: new Date(Date.now() - 1000),
        },
      ]),
    );
    const open = (accessToken: number | null, apiKey: number | null) =>
      database.inTenantOfCredential(
        {
          accessToken: accessToken === null ? null : hash(accessToken),
          apiKey: apiKey === null ? null : hash(apiKey),
        },
        async (tx, owner) => ({ rows: await tenantIds(tx), owner: await owner }),
      );
    const unlimited = { keyId: null, scope: null };
    expect(await open(null, 1)).toEqual({
      rows: ['a'],
      owner: { tenantId: 'a', kind: 'api_key', ...unlimited },
    });
    expect(await open(2, null)).toEqual({
      rows: ['b'],
      owner: { tenantId: 'b', kind: 'access_token', ...unlimited },
    });
    expect(await open(2, 1)).toMatchObject({ owner: { tenantId: 'b' } });
    expect(await open(3, 1)).toMatchObject({ owner: { tenantId: 'a' } });
    expect(await open(3, null)).toEqual({ rows: [], owner: null });
    expect(await open(1, null), 'a key is no access token').toEqual({ rows: [], owner: null });
    expect(await open(null, 2), 'an access token is no key').toEqual({ rows: [], owner: null });
  });
});

describe('transactions', () => {
  test('PostgreSQL ends the transactions of a host that was cut off, and its sessions', async () => {
    const rows = await database.inPlatform((tx) =>
      tx.execute<{ name: string; setting: string }>(sql`
        select name, setting from pg_settings where name ~ '^tcp_|idle_in_transaction|^client_conn'`),
    );
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toMatchObject({
      client_connection_check_interval: 10_000,
      idle_in_transaction_session_timeout: 20_000,
      ...(process.platform === 'linux' && {
        tcp_keepalives_idle: 10,
        tcp_keepalives_interval: 5,
        tcp_keepalives_count: 3,
        tcp_user_timeout: 20_000,
      }),
    });
  });

  test('an exception rolls back, and the connection stays usable', async () => {
    await expect(
      database.inPlatform(async (tx) => {
        await insertTenant(tx, 'lost');
        throw new Error('after the insert');
      }),
    ).rejects.toThrow('after the insert');
    expect(await database.inPlatform(tenantIds)).not.toContain('lost');
  });

  test('a failed statement rolls back, even if its error is swallowed or it is the last one', async () => {
    const swallowed = database.inPlatform(async (tx) => {
      await insertTenant(tx, 'swallowed');
      await tx.execute(sql`select 1 / 0`).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('rolled back');
    const last = database.inPlatform(async (tx) => {
      await insertTenant(tx, 'swallowed');
      return tx.last(insertTenant(tx, 'a'));
    });
    await expect(last).rejects.toThrow();
    expect(await database.inPlatform(tenantIds)).not.toContain('swallowed');
  });

  test('a handle kept past its transaction can send no statement', async () => {
    const kept = await database.inTenant('a', async (tx) => ({ tx }));
    await expect(tenantIds(kept.tx)).rejects.toThrow();
  });

  test('`last` commits with its statement, and nothing can follow it', async () => {
    let late: unknown;
    const rows = await database.inPlatform(async (tx) => {
      const answer = await tx.last(insertTenant(tx, 'last').returning());
      late = await tenantIds(tx).catch((error: unknown) => error);
      return answer;
    });
    expect(rows).toHaveLength(1);
    expect(String((late as Error).cause ?? late)).toContain('after its transaction had ended');
    expect(await database.inPlatform(tenantIds)).toContain('last');
  });

  test('a connection lost midway fails the transaction, and the next one works', async () => {
    const failed = database.inPlatform(async (tx) => {
      await insertTenant(tx, 'cut');
      await terminateBackends();
      await insertTenant(tx, 'after-the-cut');
    });
    await expect(failed).rejects.toThrow();
    const ids = await database.inPlatform(tenantIds);
    expect(ids).not.toContain('cut');
    expect(ids).not.toContain('after-the-cut');
  });

  test('callers wait for a connection, up to the limit, and are served in order', async () => {
    const pool = openPool(testDatabase.url, { size: 1, waitMs: 50 });
    const held = await pool.acquire();
    await expect(pool.acquire()).rejects.toThrow('no database connection was free within 50 ms');
    const order: number[] = [];
    const first = pool.acquire().then((connection) => {
      order.push(1);
      pool.release(connection);
    });
    const second = pool.acquire().then((connection) => {
      order.push(2);
      pool.release(connection);
    });
    pool.release(held);
    await Promise.all([first, second]);
    expect(order).toEqual([1, 2]);
    await pool.close();
  });
});

async function terminateBackends(): Promise<void> {
  const superuser = postgres(testDatabase.superuserUrl, { max: 1 });
  await superuser`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'scopes test'`;
  await superuser.end();
}
