import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase, type Tx } from '#db/client.ts';
import { migrate, migrationLock } from '#db/migrate.ts';
import { ConnectionLostError } from '#db/pool.ts';
import { inspectPooler, urlThrough } from '#db/pooler.ts';
import { tenants } from '#db/schema/tenants.ts';
import { checkDatabase } from '#server/commands/doctor/database.ts';
import { readSettings } from '#server/settings.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { connect, secretsKey } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { startPgbouncer, withoutPgbouncer } from '#test/setup/pgbouncer.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';

async function database() {
  const made = await createTestDatabase();
  onTestFinished(() => made.drop());
  return made.ownerUrl;
}

async function pgbouncer(...given: Parameters<typeof startPgbouncer>) {
  const started = await startPgbouncer(...given);
  onTestFinished(() => started.remove());
  return started;
}

async function environment(url: string) {
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'lingualoop-pooler-'));
  onTestFinished(() => rm(DATA_DIR, { recursive: true, force: true }));
  return { DATABASE_URL: url, SECRETS_KEY: secretsKey, DATA_DIR, AUTH_RATE_LIMIT_ENABLED: 'false' };
}

describe.skipIf(withoutPgbouncer)('PgBouncer between the service and PostgreSQL', () => {
  test.each([
    ['transaction', {}],
    ['statement', {}],
    // Statements may run on any of the pooler's connections to the server.
    ['transaction', { server_round_robin: 1, min_pool_size: 2 }],
  ] as const)('in %s mode %j the start ends with what to use instead', async (mode, options) => {
    const { url } = await pgbouncer(await database(), mode, options);
    await expect(migrate(url)).rejects.toThrow(
      /^DATABASE_URL: a connection pooler runs .* on several connections; set DATABASE_URL to the address of PostgreSQL itself, and pooler of DATABASE_POOLS/,
    );
    await expect(startService(await environment(url))).rejects.toThrow(/pooler of DATABASE_POOLS/);
  });

  test.each([
    ['session', 40],
    ['transaction', 2],
  ] as const)(
    'in %s mode the service works: a text, a document by a worker, and a second start',
    async (mode, size) => {
      const url = await database();
      const pooler = await pgbouncer(url, mode, { default_pool_size: size });
      const env =
        mode === 'session'
          ? await environment(pooler.url)
          : { ...(await environment(url)), DATABASE_POOLS: JSON.stringify({ pooler: pooler.address }) };
      const service = await startService(env);
      onTestFinished(async () => void (await service.stop('SIGKILL')));
      const app = connect(service.address);
      const { headers } = await app.signUp();
      const { body: job } = await app.json('POST', '/api/translations', {
        headers,
        body: { source_text: 'Hello', target_lang: 'fr' },
      });
      expect(job.status).toBe('published');
      const form = new FormData();
      form.append('target_lang', 'fr');
      form.append('source_document', workbookFile(['Hello']));
      const queued = await app.request('/api/documents/translate', { method: 'POST', headers, body: form });
      const { id } = (await queued.json()) as { id: string };
      await poll(
        async () => (await app.json('GET', `/api/documents/${id}`, { headers })).body.status === 'translated',
      );
      const other = await startService(env);
      expect(await other.stop()).toBe(0);
      expect(await service.stop()).toBe(0);
    },
  );

  test('a pool that is too small for one process is an error, not a start that hangs', async () => {
    const { url } = await pgbouncer(await database(), 'session', { default_pool_size: 1 });
    await expect(migrate(url)).rejects.toThrow(/^DATABASE_URL: .*its pool is too small/);
  });
});

describe.skipIf(withoutPgbouncer)('pools through PgBouncer in transaction mode', () => {
  /** A pool that shares `servers` connections to PostgreSQL with other clients of PgBouncer. */
  async function pooledDatabase(servers: number, settings = {}) {
    const made = await createTestDatabase();
    onTestFinished(() => made.drop());
    const pooler = await pgbouncer(made.url, 'transaction', { default_pool_size: servers, ...settings });
    const { kind } = await inspectPooler(pooler.url, made.url);
    const open = (size: number) => {
      const pool = openDatabase(pooler.url, { size, pooler: kind });
      onTestFinished(() => pool.close());
      return pool;
    };
    return { pooler, open, superuser: openSuperuser(made.superuserUrl) };
  }
  const insertTenant = (pool: Database, tenantId: string) =>
    pool.inTenant(tenantId, (tx) =>
      tx.insert(tenants).values({ tenantId, name: tenantId, apiKeyPrefix: '', monthlyCharLimit: 1 }),
    );
  const visible = async (tx: Tx) =>
    (await tx.select({ id: tenants.tenantId }).from(tenants)).map(({ id }) => id);

  test('no tenant and no limit stays on a connection that the next client gets, however a transaction ended', async () => {
    const { pooler, open } = await pooledDatabase(1);
    const pool = open(4);
    for (const id of ['a', 'b']) await insertTenant(pool, id);
    /** A client without a scope, which gets the same connection to PostgreSQL. */
    const other = postgres(pooler.url, { max: 1, prepare: false, fetch_types: false, onnotice: () => {} });
    onTestFinished(() => other.end());
    const leftovers = async () => {
      const [left] = await other.unsafe(`select (select count(*)::int from tenants) as tenants,
        coalesce(current_setting('lingualoop.tenant_id', true), '') as scope, current_setting('statement_timeout') as timeout,
        (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks`);
      return left;
    };
    const clean = { tenants: 0, scope: '', timeout: '0', locks: 0 };
    const endings: Record<string, () => Promise<unknown>> = {
      commit: () => pool.inTenant('a', visible),
      platform: () => pool.inPlatform(visible),
      'one packet': () => pool.inTenant('a', (tx) => tx.last(visible(tx))),
      error: () => pool.inTenant('a', (tx) => tx.execute(sql`select 1 / 0`)),
      'error of the caller': () =>
        pool.inTenant('b', async (tx) => {
          await visible(tx);
          throw new Error('the caller failed');
        }),
      'a client that is killed': async () => {
        const killed = postgres(pooler.url, { max: 1, prepare: false, fetch_types: false });
        await killed.unsafe(`begin; select set_config('lingualoop.tenant_id', 'a', true)`);
        await killed.end({ timeout: 0 });
      },
    };
    for (const [name, end] of Object.entries(endings)) {
      await end().catch(() => {});
      expect(await leftovers(), name).toEqual(clean);
    }
    const seen = await Promise.all(
      Array.from({ length: 200 }, (_, n) => pool.inTenant(n % 2 ? 'a' : 'b', visible)),
    );
    expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => [n % 2 ? 'a' : 'b']));
    expect(await leftovers()).toEqual(clean);
  });

  test('each transaction has its limits', async () => {
    const { open } = await pooledDatabase(2);
    const [row] = await open(1).inPlatform((tx) =>
      tx.execute(sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`),
    );
    expect(row).toEqual({ statement: '30s', lock: '10s', idle: '1min' });
  });

  test('a transaction whose connection is cut is rolled back, and the pool works again', async () => {
    const { open, pooler, superuser } = await pooledDatabase(2);
    const pool = open(2);
    const cuts = [
      () =>
        superuser`select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'`,
      () => pooler.kill(),
    ];
    for (const cut of cuts) {
      const begun = Promise.withResolvers<void>();
      const never = Promise.withResolvers<void>();
      const work = pool.inTenant('cut', async (tx) => {
        await tx
          .insert(tenants)
          .values({ tenantId: 'cut', name: 'cut', apiKeyPrefix: '', monthlyCharLimit: 1 });
        begun.resolve();
        await never.promise;
      });
      work.catch(() => {});
      await begun.promise;
      await cut();
      await expect(work).rejects.toThrow(ConnectionLostError);
      if (cut === cuts[1]) await pooler.start();
      await poll(async () =>
        pool.inTenant('cut', visible).then(
          (ids) => ids.length === 0,
          () => false,
        ),
      );
    }
  });

  test('with all connections in use, transactions are queued; after the time of the pooler they fail, and later ones succeed', async () => {
    const { open } = await pooledDatabase(1, { query_wait_timeout: 1 });
    const pool = open(4);
    await insertTenant(pool, 'a');
    const held = Promise.withResolvers<void>();
    const holding = pool.inTenant('a', async (tx) => {
      await visible(tx);
      await held.promise;
    });
    const waiting = await Promise.allSettled([1, 2].map(() => pool.inTenant('a', visible)));
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    held.resolve();
    await holding;
    expect(await pool.inTenant('a', visible)).toEqual(['a']);
  });

  test('the doctor names what to set, and whether the pooler prepares statements', async () => {
    const made = await createTestDatabase();
    onTestFinished(() => made.drop());
    const pooler = await pgbouncer(made.url, 'transaction');
    const find = async (url: string, pools: object) =>
      checkDatabase(
        url,
        readSettings({ DATABASE_URL: url, DATABASE_POOLS: JSON.stringify(pools) }),
        undefined,
      );
    expect(await find(pooler.url, {})).toContainEqual({
      about: 'database',
      state: 'fail',
      message: expect.stringMatching(/on several connections/),
      advice: expect.stringMatching(/^set DATABASE_URL to the address of PostgreSQL itself, and pooler/),
    });
    const { kind } = await inspectPooler(pooler.url, made.url);
    const found = await find(made.url, { pooler: pooler.address });
    expect(found.map(({ about, state }) => `${about} ${state}`)).toEqual(
      expect.arrayContaining(['database ok', kind === 'prepared' ? 'pooler ok' : 'pooler warn']),
    );
    expect(found.filter(({ state }) => state === 'fail')).toEqual([]);
  });

  test.each([
    ['that leads to another database', /^DATABASE_POOLS: pooler leads to another database than DATABASE_URL/],
    ['in statement mode', /^DATABASE_POOLS: the pooler at 127\.0\.0\.1:\d+ cannot be used: /],
    ['that does not run', /^DATABASE_POOLS: the pooler at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/],
  ])('a pooler %s is refused at the start', async (which, message) => {
    const url = await database();
    const pooler = await pgbouncer(url, which === 'in statement mode' ? 'statement' : 'transaction');
    if (which === 'that does not run') await pooler.kill();
    const through =
      which === 'that leads to another database' ? urlThrough(pooler.address, await database()) : pooler.url;
    await expect(inspectPooler(through, url)).rejects.toThrow(message);
  });
});

test('every connection of a pool has its limits, whatever pooler is between', async () => {
  const pool = openDatabase(await database(), { size: 1 });
  onTestFinished(() => pool.close());
  const rows = await pool.inPlatform((tx) =>
    tx.execute(sql`select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle`),
  );
  expect(rows[0]).toEqual({ statement: '30s', lock: '10s', idle: '1min' });
});

test('a start that waits for the migration lock says after 5 s which session holds it', async () => {
  const url = await database();
  const holder = postgres(url, { max: 1, connection: { application_name: 'an upgrade that hangs' } });
  onTestFinished(() => holder.end());
  const [held] = await holder`select pg_advisory_lock(${migrationLock}), pg_backend_pid() as pid`;
  const notices: string[] = [];
  const begun = performance.now();
  const migrated = migrate(url, { onWait: (notice) => notices.push(notice) });
  await poll(async () => notices.length > 0);
  expect(performance.now() - begun).toBeGreaterThan(5000);
  expect(notices[0]).toMatch(
    /^waiting for the migration lock, which the session "an upgrade that hangs" holds/,
  );
  expect(notices[0]).toContain(`pg_terminate_backend(${held?.['pid']})`);
  await holder`select pg_advisory_unlock(${migrationLock})`;
  await migrated;
});
