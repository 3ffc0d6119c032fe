import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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
  await store.appendLine('tenant/golden/manifest/day.jsonl', '{}');
  for (const made of [path, 'tenant/golden/manifest/day.jsonl'])
    expect((await stat(join(folder, made))).mode & 0o077).toBe(0);
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
  await store.appendLine('tenant/lines/day.jsonl', 'one');
  await rm(join(folder, 'tenant'), { recursive: true });
  await store.appendLine('tenant/lines/day.jsonl', 'two');
  expect(await readFile(join(folder, 'tenant/lines/day.jsonl'), 'utf8')).toBe('two\n');
});

test('a store that cannot be written fails, for objects and for lines, and recovers', async () => {
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, 'a file where the folder should be');
  const store = openFolder(blocked);
  await expect(store.put(path, 'one')).rejects.toThrow();
  await expect(store.appendLine(path, 'one')).rejects.toThrow();
  await rm(blocked);
  await store.put(path, 'one');
  await store.appendLine('tenant/lines.jsonl', 'one');
  expect(await readFile(join(blocked, 'tenant/lines.jsonl'), 'utf8')).toBe('one\n');
});

test('processes that start together after an unclean system shutdown agree on what is doubtful', async () => {
  const lastUse = new Date(Date.now() - 6 * 3_600_000);
  for (let round = 0; round < 25; round++) {
    const state = join(folder, '.state.json');
    await writeFile(state, JSON.stringify({ booted: 1, doubtfulSince: null }));
    await utimes(state, lastUse, lastUse);
    const stores = Array.from({ length: 8 }, () => openFolder(folder));
    await Promise.all(stores.map((store) => store.doubtfulSince()));
    for (const store of stores)
      expect((await store.doubtfulSince())?.getTime()).toBeLessThan(lastUse.getTime());
  }
});

describe('writes that are made together', () => {
  test('succeed and fail each for itself, and leave no temporary file', async () => {
    const store = openFolder(folder);
    await mkdir(join(folder, 'tenant/golden/taken.json'), { recursive: true });
    const paths = ['one', 'taken', 'two'].map((name) => `tenant/golden/${name}.json`);
    const lines = ['tenant/lines.jsonl', 'tenant/golden/taken.json'];
    const settled = await Promise.allSettled([
      ...paths.map((each) => store.put(each, each)),
      ...lines.map((each) => store.appendLine(each, each)),
    ]);
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(settled[4]).toMatchObject({ reason: { code: 'EISDIR' } });
    for (const each of [paths[0]!, paths[2]!]) expect(await readFile(join(folder, each), 'utf8')).toBe(each);
    expect(await readFile(join(folder, lines[0]!), 'utf8')).toBe(`${lines[0]}\n`);
    expect(await readdir(join(folder, '.incoming'))).toEqual([]);
  });

  test('wait for a disk that hangs; the process and its reads do not', async () => {
    const store = openFolder(folder);
    await store.put(path, 'one');
    const lines = join(folder, 'tenant/lines.jsonl');
    // A pipe that no process reads cannot be opened for writing.
    execFileSync('mkfifo', [lines]);
    let written = 0;
    const count = () => written++;
    const line = store.appendLine('tenant/lines.jsonl', 'a line').then(count);
    await delay(100);
    const object = store.put('tenant/golden/2.json', '{}').then(count);
    await delay(100);
    expect(Buffer.from((await store.read(path, 0, 10))!).toString()).toBe('one');
    expect(written).toBe(0);
    expect(await readFile(lines, 'utf8')).toBe('a line\n');
    await Promise.all([line, object]);
  });

  test('are finished by a process that has nothing else to do, and whose thread does not keep it alive', () => {
    const script = `
      const { openFolder } = await import('#server/platform/stores/folder-store.ts');
      const store = openFolder(${JSON.stringify(folder)});
      await store.appendLine('tenant/lines.jsonl', 'first');
      void store.appendLine('tenant/lines.jsonl', 'last');`;
    execFileSync(process.execPath, ['-e', script], { timeout: 20_000 });
    expect(readFileSync(join(folder, 'tenant/lines.jsonl'), 'utf8')).toBe('first\nlast\n');
  });
});
