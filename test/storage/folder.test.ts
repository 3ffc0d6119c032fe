import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '#server/platform/stores/folder-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-store-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = 'tenant/golden/record.json';

test('an object is put, replaced and removed, and leaves no temporary file', async () => {
  const store = openFolder(folder);
  await store.put(path, 'one');
  await store.put(path, Buffer.from('two'));
  expect(await readFile(join(folder, path), 'utf8')).toBe('two');
  expect(await readdir(join(folder, 'tenant/golden'))).toEqual(['record.json']);
  expect(await store.remove(path)).toBe(true);
  expect(await store.remove(path)).toBe(false);
});

test('only its owner may read it', async () => {
  const store = openFolder(folder);
  await store.put(path, 'one');
  await store.put('tenant/large', Buffer.alloc(500_000));
  for (const made of [path, 'tenant/large']) expect((await stat(join(folder, made))).mode & 0o077).toBe(0);
});

test('a reader of an object that is replaced reads the old one to its end', async () => {
  const store = openFolder(folder);
  await store.put(path, 'the old one');
  await using reader = await open(join(folder, path));
  await store.put(path, 'new');
  expect(await reader.readFile('utf8')).toBe('the old one');
});

test('a folder that was removed meanwhile is made again', async () => {
  const store = openFolder(folder);
  await store.put(path, 'one');
  await rm(join(folder, 'tenant'), { recursive: true });
  await store.put(path, 'two');
  expect(await readFile(join(folder, path), 'utf8')).toBe('two');
});

test('a store that cannot be written fails, for objects and for lines, and recovers', async () => {
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, 'a file where the folder should be');
  const store = openFolder(blocked);
  await expect(store.put(path, 'one')).rejects.toThrow();
  await expect(store.addLine(path, 'one')).rejects.toThrow();
  await rm(blocked);
  await store.put(path, 'one');
  await store.addLine('tenant/lines', 'one');
  expect(await readdir(join(blocked, 'tenant'))).toContainEqual(expect.stringMatching(/^lines\..+\.jsonl$/));
});

describe('writes that are made together', () => {
  test('succeed and fail each for itself, and leave no temporary file', async () => {
    const store = openFolder(folder);
    await mkdir(join(folder, 'tenant/golden/taken.json'), { recursive: true });
    const paths = ['one', 'taken', 'two'].map((name) => `tenant/golden/${name}.json`);
    const settled = await Promise.allSettled(paths.map((each) => store.put(each, each)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(settled[1]).toMatchObject({ reason: { code: 'EISDIR' } });
    for (const each of [paths[0]!, paths[2]!]) expect(await readFile(join(folder, each), 'utf8')).toBe(each);
    expect(await readdir(join(folder, '.incoming'))).toEqual([]);
  });

  test('are finished by a process that has nothing else to do, and whose thread does not keep it alive', () => {
    const script = `
      const { openFolder } = await import('#server/platform/stores/folder-store.ts');
      const store = openFolder(${JSON.stringify(folder)});
      await store.put('tenant/first', '1');
      void store.put('tenant/last', '2');`;
    execFileSync(process.execPath, ['-e', script], { timeout: 20_000 });
    expect(readdirSync(join(folder, 'tenant')).toSorted()).toEqual(['first', 'last']);
  });
});
