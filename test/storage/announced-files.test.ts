import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { storeFile } from '#server/documents/artifacts.ts';
import { removeUnreferencedFiles } from '#server/documents/unreferenced-files.ts';
import { newId } from '#server/platform/ids.ts';
import { destinationOf } from '#server/storage/destination.ts';
import { type Bound, openBound, useAccountApp } from './bound-workspace.ts';
import { verifyHere } from './verify.ts';

const { account, app } = await useAccountApp();

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
  await mine.bind();
  await mine.verify();
});

const lists = () => join(app.services.settings.DATA_DIR, 'storage/documents/announced');

/** Writes a file into the account, as if its process had died before it stored the row. */
async function leaveFile(): Promise<string> {
  const { tenantId } = mine;
  const { address } = await storeFile(
    app.services,
    await destinationOf(app.services, tenantId),
    { tenantId, documentId: newId(), kind: 'translated', contentType: 'application/pdf' },
    Buffer.from('a translated file'),
  );
  return (address as string).slice(`${account.address.accountUrl}/${mine.filesystem}/`.length);
}

/** Changes the names of the lists, as if they had ended this many hours ago. */
async function age(hours: number): Promise<void> {
  // One reading of the clock: while it advances, `Date.now() - index` repeats, and a list would replace another one.
  const ended = Date.now() - hours * 3_600_000;
  for (const [index, name] of (await readdir(lists())).entries())
    await rename(join(lists(), name), join(lists(), `${ended - index}.jsonl`));
}

test('a file without a row in an account is removed an hour after its list ended; nothing else there is', async () => {
  const { id } = await mine.translate(['Hello']);
  const left = await leaveFile();
  const others = mine.stored().filter((path) => path !== left);
  await age(0.9);
  expect(await removeUnreferencedFiles(app.services)).toBe(0);
  expect(mine.stored()).toContain(left);
  await age(1.1);
  expect(await removeUnreferencedFiles(app.services)).toBe(1);
  expect(mine.stored()).toEqual(others);
  expect(await readdir(lists())).toEqual([]);
  expect((await mine.download(id)).status).toBe(200);
});

test('the translated file of a document that failed after its delivery is the tenant’s, and stays until it is deleted', async () => {
  // Unlike a SAS token, an account key stays valid during the hours that are simulated below.
  await mine.connect({
    auth_mode: 'connection_string',
    secret: account.credentials.connection_string.connectionString,
  });
  const id = await mine.failDelivered();
  const kept = mine.stored();
  expect(kept).toEqual(['source', 'translated'].map((kind) => expect.stringContaining(`${id}/${kind}-`)));
  await age(1.1);
  expect(await removeUnreferencedFiles(app.services)).toBe(0);
  expect(mine.stored()).toEqual(kept);
  // After this time, no row for the file would follow.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  const { found, counts } = await verifyHere(app.services, { tenant: mine.tenantId });
  expect([found, counts]).toEqual([
    [],
    ['compared: 0 records, 0 lines of manifests, 1 files', 'differences: 0'],
  ]);
  vi.useRealTimers();
  await mine.removeDocument(id);
  expect(mine.stored()).toEqual([]);
});

test('an account that fails, or is not verified, is tried again, for a week', async () => {
  const left = await leaveFile();
  await age(1.1);
  const mend = mine.fail({ operation: 'delete', how: 403 });
  expect(await removeUnreferencedFiles(app.services)).toBe(0);
  mend();
  await mine.bind();
  expect(await removeUnreferencedFiles(app.services)).toBe(0);
  expect(mine.stored()).toContain(left);
  await mine.verify();
  expect(await removeUnreferencedFiles(app.services)).toBe(1);
  expect(mine.stored()).not.toContain(left);

  await leaveFile();
  await age(8 * 24);
  await mine.bind();
  expect(await removeUnreferencedFiles(app.services)).toBe(0);
  expect(await readdir(lists())).toEqual([]);
});
