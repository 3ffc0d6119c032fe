import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '#server/platform/ids.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { compactPack } from '#server/platform/stores/folder/pack-compaction.ts';
import { decodeHeader, encodeRecord, encodeRemoved } from '#server/platform/stores/folder/pack-format.ts';
import { openFolder } from '#server/platform/stores/folder-store.ts';

let folder: string;
let store: PlatformStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-packs-'));
  store = openFolder(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const records = 'tenant/golden';
const announced = { path: 'lists/now.jsonl', line: '{"uri":"{record}"}' };

/** Writes a record, and returns its path in the store. */
async function write(content: string, name = `${newId()}.json`, below = records): Promise<string> {
  return `${below}/${await store.putRecord({ folder: below, name, at: new Date(), content, announced })}`;
}

const read = async (path: string) => {
  const bytes = await store.read(path, 0, 10_000_000);
  return bytes && Buffer.from(bytes).toString();
};

const filesBelow = async (below: string) =>
  (await readdir(join(folder, below), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

describe('records in a pack', () => {
  test('are written to one file, and each is read by its path', async () => {
    const contents = Array.from({ length: 40 }, (_, at) => JSON.stringify({ at, text: 'ž🐎'.repeat(at) }));
    const paths = await Promise.all(contents.map((content) => write(content)));
    expect(await Promise.all(paths.map(read))).toEqual(contents);
    expect(await filesBelow(records)).toHaveLength(1);
    const walked: string[] = [];
    for await (const path of store.walk(records)) walked.push(path);
    expect(walked.sort()).toEqual([...paths].sort());
    const pieces: Uint8Array[] = [];
    for await (const piece of (await store.stream(paths[7]!))!) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(contents[7]);
    expect(Date.now() - (await store.lastWritten(paths[7]!))!.getTime()).toBeLessThan(60_000);
  });

  test('are lines that any gzip program prints, also beside removed ones', async () => {
    const [one, two, three] = [await write('{"a":1}'), await write('{"b":2}'), await write('{"c":3}')];
    const [file] = await filesBelow(records);
    expect(gunzipSync(await readFile(file!)).toString()).toBe('{"a":1}\n{"b":2}\n{"c":3}\n');
    expect(await store.remove(two)).toBe(true);
    expect(execFileSync('gzip', ['-dc', file!]).toString()).toBe('{"a":1}\n{"c":3}\n');
    expect([await read(one), await read(two), await read(three)]).toEqual(['{"a":1}', null, '{"c":3}']);
  });

  test('are removed once, and nothing of them stays on the disk', async () => {
    const secret = 'x7Kq'.repeat(8);
    const path = await write(JSON.stringify({ secret }), 'one.json');
    const [file] = await filesBelow(records);
    expect(await store.remove(path)).toBe(true);
    expect(await store.remove(path)).toBe(false);
    expect(await store.version(path)).toBeNull();
    expect(await store.lastWritten(path)).toBeNull();
    const left = await readFile(file!);
    expect(left.includes('one.json')).toBe(false);
    expect(left.filter((byte) => byte !== 0).length).toBeLessThan(12);
  });

  test('of several tenants and processes have separate files', async () => {
    await write('{}');
    await write('{}', 'a.json', 'other/golden');
    expect(await filesBelow(records)).toHaveLength(1);
    expect(await filesBelow('other/golden')).toHaveLength(1);
  });

  test('are not found by a wrong name, length or position', async () => {
    const path = await write('{"a":1}', 'one.json');
    const [, pack, place] = /^(.+)\/(\d+-\d+)\/one.json$/.exec(path)!;
    const [offset, length] = place!.split('-').map(Number) as [number, number];
    expect(await store.lastWritten(`${pack}/${place}/two.json`)).toBeNull();
    expect(await store.remove(`${pack}/${place}/two.json`)).toBe(false);
    expect(await store.remove(`${pack}/${offset}-${length - 1}/one.json`)).toBe(false);
    expect(await store.remove(`${pack}/${offset + 1}-${length}/one.json`)).toBe(false);
    expect(await read(`${pack}/${offset + length}-${length}/one.json`)).toBeNull();
    expect(await read(path)).toBe('{"a":1}');
  });

  test('that are damaged are read as they are, and are not missing', async () => {
    const path = await write('{"a":1}', 'one.json');
    const [file] = await filesBelow(records);
    await using opened = await open(file!, 'r+');
    await opened.write('!', (await stat(file!)).size - 6);
    const found = await read(path);
    expect(found).not.toBeNull();
    expect(found).not.toBe('{"a":1}');
  });

  test('go to another file after a write has failed', async () => {
    const first = await write('{"a":1}');
    const [file] = await filesBelow(records);
    // Another program has added something, as a full disk may leave a part of a record.
    await writeFile(file!, 'rest', { flag: 'a' });
    await expect(write('{"b":2}')).rejects.toThrow(/has changed/);
    const third = await write('{"c":3}');
    expect(await filesBelow(records)).toHaveLength(2);
    expect([await read(first), await read(third)]).toEqual(['{"a":1}', '{"c":3}']);
  });
});

describe('an announced record', () => {
  test('is named by its line, which is written first', async () => {
    const path = await write('{}');
    const line = await readFile(join(folder, announced.path), 'utf8');
    expect(line).toBe(`{"uri":"${path.slice(records.length + 1)}"}\n`);
  });

  test('is not written without its line', async () => {
    await mkdir(join(folder, announced.path), { recursive: true });
    await expect(write('{"a":1}')).rejects.toThrow(/EISDIR/);
    await rm(join(folder, announced.path), { recursive: true });
    expect(await read(await write('{"b":2}'))).toBe('{"b":2}');
    const texts = await Promise.all((await filesBelow(records)).map((file) => readFile(file)));
    expect(texts.map((text) => gunzipSync(text).toString())).toEqual(['{"b":2}\n']);
  });

  test('is written if the folders were removed in the meantime', async () => {
    await write('{"a":1}');
    for (const name of ['tenant', 'lists']) await rm(join(folder, name), { recursive: true });
    expect(await read(await write('{"b":2}'))).toBe('{"b":2}');
    expect((await readFile(join(folder, announced.path), 'utf8')).split('\n')).toHaveLength(2);
  });
});

describe('the space of removed records', () => {
  const incoming = () => join(folder, '.incoming');

  test('is freed, and the others keep their places', async () => {
    const text = Buffer.alloc(20_000, 'abcdefghijklmnopqrstuvwxyz0123456789').toString('base64');
    const noise = () => `"${newId().repeat(300)}${Math.random()}${text.slice(0, 100)}"`;
    const paths: string[] = [];
    for (let at = 0; at < 30; at++) paths.push(await write(JSON.stringify({ at, noise: noise() })));
    const before = await Promise.all(paths.map(read));
    const [file] = await filesBelow(records);
    const pack = file!.slice(folder.length + 1);
    for (const [at, path] of paths.entries()) if (at % 10 !== 0) await store.remove(path);
    const used = (await stat(file!)).blocks;
    await compactPack(folder, pack, incoming());
    expect((await stat(file!)).size).toBeGreaterThan(0);
    expect((await stat(file!)).blocks).toBeLessThanOrEqual(used);
    for (const [at, path] of paths.entries())
      expect(await read(path), `record ${at}`).toBe(at % 10 === 0 ? before[at] : null);
    expect(await readdir(incoming())).toEqual([]);
    for (const [at, path] of paths.entries()) if (at % 10 === 0) await store.remove(path);
    await compactPack(folder, pack, incoming());
    expect(await filesBelow(records)).toEqual([]);
  });

  test('stays freed if records are removed while their pack is copied', async () => {
    for (let round = 0; round < 20; round++) {
      const below = `t${round}/golden`;
      const paths = await Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          write(JSON.stringify({ at, text: newId().repeat(200) }), `${at}.json`, below),
        ),
      );
      const [file] = await filesBelow(below);
      for (const path of paths.slice(0, 25)) await store.remove(path);
      const compacting = compactPack(folder, file!.slice(folder.length + 1), incoming());
      for (const path of paths.slice(25, 35)) await store.remove(path);
      await compacting;
      const left = await Promise.all(paths.map(read));
      expect(left.map((content) => content !== null)).toEqual(paths.map((_, at) => at >= 35));
    }
  });

  test('is freed by the daily check, in packs of past months only', async () => {
    const path = await write('{"a":1}');
    await store.remove(path);
    const [file] = await filesBelow(records);
    const name = file!.slice(folder.length + 1);
    const lists = join(folder, '.packs');
    const [today] = await readdir(lists);
    await writeFile(join(lists, '2026-01-02'), `${name}\n`);
    await store.tidy();
    expect(await readdir(lists)).toEqual([today]);
    expect(await filesBelow(records)).toHaveLength(1);
    const old = name.replace(/\d{4}-\d{2}\//, '2026-01/');
    await mkdir(join(folder, old, '..'), { recursive: true });
    await writeFile(join(folder, old), await readFile(file!));
    await writeFile(join(lists, '2026-01-02'), `${old}\n`);
    await store.tidy();
    expect(await filesBelow(records)).toEqual([file]);
  });
});

test('a removed record of any length is filled by empty members of this length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300_000 }), (text) => {
      const { length } = encodeRecord('job.json', new Date(), JSON.stringify(text));
      const filling = encodeRemoved(length);
      expect(filling.length).toBe(length);
      expect(gunzipSync(filling).length).toBe(0);
      for (let at = 0; at < length; ) {
        const member = decodeHeader(filling.subarray(at, at + 512));
        expect(member?.isRemoved).toBe(true);
        at += member!.length;
      }
    }),
    { numRuns: 50, examples: [['x'], ['y'.repeat(300_000)]] },
  );
  for (let length = 60; length < 200_000; length += 997) expect(encodeRemoved(length).length).toBe(length);
  for (const length of [65_535, 65_561, 65_562, 65_563, 65_580, 65_590, 131_100])
    expect(gunzipSync(encodeRemoved(length)).length).toBe(0);
});
