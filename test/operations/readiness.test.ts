import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { watchReadiness } from '#server/observability/readiness.ts';
import type { Log } from '#server/platform/log.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings } from '#server/settings.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp();

/** A log that records its warnings. */
function collect(): { log: Log; warnings: string[] } {
  const warnings: string[] = [];
  const ignore = () => {};
  return {
    warnings,
    log: { debug: ignore, info: ignore, error: ignore, warn: (_, words) => warnings.push(words) },
  };
}

const allOk = { database: 'ok', schema: 'ok', storage: 'ok' };

test('/readyz says what a process can do, without a credential, and is no part of the documented API', async () => {
  const { status, headers, body } = await app.json('GET', '/readyz');
  expect({ status, body }).toEqual({ status: 200, body: { status: 'ready', checks: allOk } });
  expect(headers.get('x-api-version')).toBeNull();
  expect(headers.get('cache-control')).toBe('no-store');
  const document = await app.json('GET', '/openapi.json');
  expect(Object.keys(document.body.paths)).not.toContain('/readyz');
  expect((await app.json('POST', '/readyz')).status).toBe(405);
});

test('a database that lacks a migration of this version is not ready; one with a later migration is', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const { log } = collect();
  const report = () =>
    watchReadiness({ database: app.database, storage: app.services.storage, log }).report();
  const [newest] = await sql`select * from drizzle.__drizzle_migrations order by created_at desc limit 1`;
  await sql`delete from drizzle.__drizzle_migrations where id = ${newest?.['id']}`;
  expect(await report()).toEqual({
    status: 'unavailable',
    checks: { database: 'ok', schema: 'failed', storage: 'ok' },
  });
  const later = Number(newest?.['created_at']) + 1;
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', ${later})`;
  expect(await report()).toEqual({ status: 'ready', checks: allOk });
});

test('a database that is gone is logged once, and once again when it is back', async () => {
  let url = 'postgres://nobody:hunter2@127.0.0.1:1/none';
  const database = openDatabase(() => url, { size: 1 });
  onTestFinished(() => database.close());
  const { log, warnings } = collect();
  const readiness = watchReadiness({ database, storage: app.services.storage, log });
  const checkedAnew = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1100));
    return readiness.report();
  };
  const gone = { status: 'unavailable', checks: { database: 'failed', schema: 'failed', storage: 'ok' } };
  expect(await readiness.report()).toEqual(gone);
  expect(await checkedAnew()).toEqual(gone);
  expect(warnings).toEqual(['the database does not respond']);
  url = app.databaseUrl;
  expect(await checkedAnew()).toEqual({ status: 'ready', checks: allOk });
  expect(warnings).toEqual(['the database does not respond', 'the database responds again']);
});

test('many callers at once cost one look at the database', async () => {
  let looks = 0;
  const counting = {
    ...app.database,
    inPlatform: (work: never) => {
      looks += 1;
      return app.database.inPlatform(work);
    },
  } as typeof app.database;
  const readiness = watchReadiness({ database: counting, storage: app.services.storage, log: collect().log });
  await Promise.all(Array.from({ length: 200 }, () => readiness.report()));
  expect(looks).toBe(1);
});

test('a storage that takes no objects is not ready', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-ready-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file'), '');
  const storage = openPlatformStore(readSettings({ PLATFORM_STORAGE_URL: `file://${folder}/file/storage` }));
  const { log, warnings } = collect();
  const report = await watchReadiness({ database: app.database, storage, log }).report();
  expect(report).toEqual({ status: 'unavailable', checks: { ...allOk, storage: 'failed' } });
  expect(warnings).toEqual(['the storage does not accept objects']);
});

test('workers count where the process has them, and a draining process says so whatever else holds', async () => {
  const readiness = watchReadiness({
    database: app.database,
    storage: app.services.storage,
    log: collect().log,
  });
  let working = false;
  readiness.watchWorkers(() => working);
  expect(await readiness.report()).toEqual({
    status: 'unavailable',
    checks: { ...allOk, workers: 'failed' },
  });
  working = true;
  expect(await readiness.report()).toEqual({ status: 'ready', checks: { ...allOk, workers: 'ok' } });
  readiness.beginDrain();
  expect((await readiness.report()).status).toBe('draining');
});
