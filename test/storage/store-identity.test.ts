import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { adoptStore, claimStore, guardStore, identityPath } from '#server/storage/store-identity.ts';
import { useTestApp } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { testFolder } from '#test/setup/launch.ts';
import { useWorkspace } from '#test/translations/workspace.ts';

/** An application with a published job: a deployment of an earlier version, whose storage has no ID. */
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const mine = useWorkspace(app);

const foreign = /storage at .* does not belong to this database; set PLATFORM_STORAGE_URL, or DATA_DIR/;
const storageOf = (folder: string) => openFolder(join(folder, 'storage'));
const idIn = (folder: string) => readFile(join(folder, 'storage', identityPath), 'utf8');
const claimIn = (database: Database, folder: string) =>
  claimStore(database, storageOf(folder), { DATA_DIR: folder, PLATFORM_STORAGE_URL: undefined });

/** Opens a database without rows, as before the first start. */
async function newDatabase(): Promise<Database> {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase(url, { size: 2 });
  onTestFinished(async () => {
    await database.close();
    await drop();
  });
  return database;
}

test('processes that start at the same time with one folder give it one ID', async () => {
  const [database, folder] = [await newDatabase(), await testFolder()];
  await Promise.all(Array.from({ length: 4 }, () => claimIn(database, folder)));
  const id = await idIn(folder);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  await claimIn(database, folder);
  expect(await idIn(folder)).toBe(id);
});

test('of two processes that start at the same time with different folders, one is rejected', async () => {
  const database = await newDatabase();
  const folders = [await testFolder(), await testFolder()];
  const results = await Promise.allSettled(folders.map((folder) => claimIn(database, folder)));
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { reason } = results.find((one): one is PromiseRejectedResult => one.status === 'rejected')!;
  expect(reason.message).toMatch(foreign);
});

test('a start that died after it had written the ID is continued', async () => {
  const [database, folder] = [await newDatabase(), await testFolder()];
  await storageOf(folder).put(identityPath, 'of-the-interrupted-start');
  await claimIn(database, folder);
  expect(await idIn(folder)).toBe('of-the-interrupted-start');
});

test('a new database rejects the storage of another one', async () => {
  const folder = await testFolder();
  await claimIn(await newDatabase(), folder);
  await storageOf(folder).put('tenant/golden/a.json', '{}');
  await expect(claimIn(await newDatabase(), folder)).rejects.toThrow(foreign);
});

describe('with rows that refer to objects', () => {
  const own = () => app.services.settings.DATA_DIR;

  beforeEach(async () => {
    await mine.job();
    const sql = openSuperuser(app.superuserUrl);
    await sql`delete from store_identity`;
    await app.services.storage.remove(identityPath);
  });

  test('a deployment of an earlier version adopts its own folder, and never an empty one', async () => {
    const { database } = app.services;
    const other = await testFolder();
    await expect(claimIn(database, other)).rejects.toThrow(foreign);
    await claimIn(database, own());
    await expect(claimIn(database, other)).rejects.toThrow(foreign);
    expect(await readdir(other)).toEqual([]);
  });

  test('an operator can make another storage the one of the database', async () => {
    const { database } = app.services;
    await claimIn(database, own());
    const other = await testFolder();
    await adoptStore(database, storageOf(other));
    await claimIn(database, other);
    expect(await idIn(other)).toBe(await idIn(own()));
  });

  test('a process writes nothing to a storage that is replaced by an empty folder, until it is back', async () => {
    const { database } = app.services;
    const share = await testFolder();
    await adoptStore(database, storageOf(share));
    const settings = { DATA_DIR: share, PLATFORM_STORAGE_URL: undefined };
    const { store, claim } = guardStore(database, storageOf(share), settings);
    await claim();
    await store.put('tenant/a', 'a');
    // The share is unmounted.
    await rename(join(share, 'storage'), join(share, 'away'));
    await mkdir(join(share, 'storage'));
    await expect(store.check()).rejects.toThrow(foreign);
    await expect(store.put('tenant/b', 'b')).rejects.toThrow(foreign);
    await expect(store.addLine('tenant/c', 'c')).rejects.toThrow(foreign);
    expect(await readdir(join(share, 'storage'))).toEqual([]);
    await rename(join(share, 'away'), join(share, 'storage'));
    await store.put('tenant/b', 'b');
    await store.check();
  });

  test('a process whose storage is unreachable at the start claims it later, before its first write', async () => {
    const { database } = app.services;
    const folder = await testFolder();
    await adoptStore(database, storageOf(folder));
    await rename(join(folder, 'storage'), join(folder, 'away'));
    await writeFile(join(folder, 'storage'), 'no folder');
    const settings = { DATA_DIR: folder, PLATFORM_STORAGE_URL: undefined };
    const { store, claim } = guardStore(database, storageOf(folder), settings);
    await expect(claim()).rejects.toThrow('ENOTDIR');
    await expect(store.put('tenant/a', 'a')).rejects.toThrow('ENOTDIR');
    await rename(join(folder, 'storage'), join(folder, 'file'));
    await rename(join(folder, 'away'), join(folder, 'storage'));
    await store.put('tenant/a', 'a');
  });
});
