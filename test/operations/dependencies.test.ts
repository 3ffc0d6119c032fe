import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { toAppError } from '#server/errors.ts';
import { watchReadiness } from '#server/observability/readiness.ts';
import { openDocuments } from '#test/documents/workspace.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
const quiet = { debug() {}, info() {}, error() {}, warn() {} };

test('a process whose requests get no database connection is not ready, though another connection works', async () => {
  const requests = openDatabase(() => app.databaseUrl, { size: 1 });
  onTestFinished(() => requests.close());
  const { storage } = app.services;
  const readiness = watchReadiness({ database: app.database, requests, storage, log: quiet });
  const held = Promise.withResolvers<void>();
  const holder = requests.inPlatform(() => held.promise);
  expect(await readiness.report()).toEqual({
    status: 'unavailable',
    checks: { database: 'failed', schema: 'ok', storage: 'ok' },
  });
  held.resolve();
  await holder;
  await vi.waitFor(async () => expect((await readiness.report()).status).toBe('ready'), 10_000);
});

/** The errors of a full disk: that of the file system for the storage, and PostgreSQL's SQLSTATE. */
const fileSystem = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

test('a full disk of the storage is 507, and the document that meets it waits', async () => {
  const mine = await openDocuments(app);
  const put = vi.spyOn(app.services.storage, 'put').mockRejectedValue(fileSystem());
  onTestFinished(() => void put.mockRestore());
  const { status, body } = await mine.send();
  expect([status, body]).toEqual([507, refusalOf('the disk of this service is full; contact the operator')]);
  put.mockRestore();
  const id = await mine.queue(['Hello']);
  const again = vi.spyOn(app.services.storage, 'put').mockRejectedValue(fileSystem());
  await mine.run(id);
  expect((await mine.read(id)).waiting).toMatchObject({ reason: 'disk_full' });
  again.mockRestore();
  await mine.run(id);
  expect((await mine.read(id)).status).toBe('translated');
});

test('PostgreSQL without resources is 503', async () => {
  const raised = app.database.inPlatform((tx) =>
    tx.execute(sql.raw(`do $$ begin raise exception 'no room' using errcode = '53100'; end $$`)),
  );
  const error = toAppError(await raised.catch((thrown: unknown) => thrown));
  expect([error.status, error.code, error.dependency]).toEqual([503, 'transient_error', 'database']);
});
