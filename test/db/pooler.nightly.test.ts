import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { migrate, migrationLock } from '#db/migrate.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { connect, secretsKey } from '#test/setup/app.ts';
import { createTestDatabase } from '#test/setup/database.ts';
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
