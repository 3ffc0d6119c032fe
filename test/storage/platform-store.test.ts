import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { redactSettings } from '#server/settings/environment.ts';
import { readSettings } from '#server/settings.ts';
import { startAccount } from './data-lake-account.ts';

const path = 'tenant/golden/record.json';

test('PLATFORM_STORAGE_URL: a file address is a directory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = openPlatformStore(readSettings({ PLATFORM_STORAGE_URL: `file://${folder}/there` }));
  await store.put(path, 'one');
  expect((await readdir(join(folder, 'there'))).filter((name) => !name.startsWith('.'))).toEqual(['tenant']);
});

test.each(['', '/platform', '/platform/eu/'])(
  'PLATFORM_STORAGE_URL: a Data Lake filesystem, with objects in folder %j',
  async (folder) => {
    const account = await startAccount();
    onTestFinished(account.lake.close);
    const store = openPlatformStore(
      readSettings({
        PLATFORM_STORAGE_URL: `${account.address.accountUrl}/files${folder}?${account.sas}`,
        STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
      }),
    );
    expect(await store.listFolders()).toEqual([]);
    await store.put(path, 'one');
    await store.addLine('golden/manifest/day', '{}');
    const prefix = folder ? `${folder.replace(/^\/|\/$/g, '')}/` : '';
    expect(account.text(`${prefix}${path}`)).toBe('one');
    const [part = ''] = await store.list('golden/manifest');
    expect(account.text(`${prefix}golden/manifest/${part}`)).toBe('{}\n');
    expect((await store.listFolders()).toSorted()).toEqual(['golden', 'tenant']);
    expect(await store.list('tenant/golden')).toEqual(['record.json']);
    await store.tidy();
    expect(account.text(`${prefix}${path}`)).toBe('one');
  },
);

test.each([
  'https://contoso.dfs.core.windows.net.example.com/files',
  'https://user:secret@contoso.dfs.core.windows.net/files',
  'https://contoso.dfs.core.windows.net/',
  'https://contoso.dfs.core.windows.net/files?sv=2024-11-04&sp=secret',
  'https://contoso.dfs.core.windows.net/files#secret',
])('PLATFORM_STORAGE_URL: %s stops the start, and is not repeated', (url) => {
  let said = '';
  try {
    openPlatformStore(readSettings({ PLATFORM_STORAGE_URL: url }));
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toMatch(/^PLATFORM_STORAGE_URL: /);
  expect(said).not.toContain('secret');
});

test('settings are printed without the SAS token of PLATFORM_STORAGE_URL', () => {
  const url = 'https://contoso.dfs.core.windows.net/files/folder';
  const printed = redactSettings(readSettings({ PLATFORM_STORAGE_URL: `${url}?sv=1&sig=secret` }));
  expect(printed['PLATFORM_STORAGE_URL']).toBe(`${url}?(set)`);
  const without = redactSettings(readSettings({ PLATFORM_STORAGE_URL: url }));
  expect(without['PLATFORM_STORAGE_URL']).toBe(url);
});
