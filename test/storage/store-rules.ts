import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountStore, ObjectStore, PlatformStore } from '#server/platform/stores/blob-store.ts';

/** A storage in which several stores are open, as in several processes, and a function that removes it. */
export interface Place {
  open(): (ObjectStore & AccountStore) | PlatformStore;
  close(): Promise<unknown>;
}

const path = 'tenant/golden/record.json';
const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('utf8');

async function piecesOf(stream: AsyncIterable<Uint8Array> | null): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream!) pieces.push(piece);
  return pieces;
}

/** Tests the rules of a store. */
export function testStore(start: () => Promise<Place>): void {
  let place: Place;
  let store: ReturnType<Place['open']>;
  beforeEach(async () => {
    place = await start();
    store = place.open();
  });
  afterEach(() => place.close());

  test('an object is put, replaced by a shorter one and removed, once', async () => {
    await store.put(path, 'the first one');
    await store.put(path, Buffer.from('two'));
    expect(text(await store.read(path, 0, 100))).toBe('two');
    expect(await store.remove(path)).toBe(true);
    expect(await store.remove(path)).toBe(false);
    expect(await store.read(path, 0, 100)).toBeNull();
  });

  test('texts are kept in UTF-8, and views of a larger buffer as what they show', async () => {
    await store.put(path, 'žluťoučký 🐎');
    expect(text(await store.read(path, 0, 100))).toBe('žluťoučký 🐎');
    await store.put(path, new Uint8Array(Buffer.from('abcdef')).subarray(2, 4));
    expect(text(await store.read(path, 0, 100))).toBe('cd');
  });

  test('a range is read; beyond the end there is nothing', async () => {
    await store.put(path, '0123456789');
    expect(text(await store.read(path, 2, 3))).toBe('234');
    expect(text(await store.read(path, 8, 100))).toBe('89');
    expect(text(await store.read(path, 10, 5))).toBe('');
    expect(text(await store.read(path, 4, 0))).toBe('');
    expect(await store.read('tenant/golden/none.json', 4, 0)).toBeNull();
  });

  test('a large object is streamed as it was written', async () => {
    const content = Buffer.alloc(9_500_000, 'abcdefghijk');
    await store.put(path, content);
    const pieces = await piecesOf(await store.stream(path));
    expect(Buffer.concat(pieces).equals(content)).toBe(true);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(1024 * 1024);
    expect(await store.stream('tenant/golden/none.json')).toBeNull();
  });

  test('a reader that stops early leaves a store that can be used', async () => {
    await store.put(path, Buffer.alloc(5_000_000, 'x'));
    for (let i = 0; i < 5; i++) {
      for await (const piece of (await store.stream(path)) ?? []) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    }
    expect(text(await store.read(path, 0, 1))).toBe('x');
  });

  test('the objects directly in a folder are listed; of a folder that does not exist, none', async () => {
    const names = Array.from({ length: 10 }, (_, i) => `${i}.json`);
    await Promise.all(names.map((name) => store.put(`tenant/golden/${name}`, name)));
    await store.put('tenant/golden/deeper/other.json', '{}');
    expect((await store.list('tenant/golden')).toSorted()).toEqual(names);
    expect(await store.list('tenant/none')).toEqual([]);
  });

  const walked = async (folder: string) => {
    const paths: string[] = [];
    for await (const found of store.walk(folder)) paths.push(found);
    return paths.toSorted();
  };

  test('a folder is removed with everything in it; if it does not exist, nothing happens', async () => {
    for (const path of ['gone/a.json', 'gone/deep/b.json', 'gone-not/c.json']) await store.put(path, 'x');
    await store.removeFolder('gone');
    await store.removeFolder('gone');
    expect(await walked('gone')).toEqual([]);
    expect(await walked('gone-not')).toEqual(['gone-not/c.json']);
    await expect(async () => store.removeFolder('../gone-not')).rejects.toThrow('the path is not valid');
  });

  test('the objects below a folder are walked, however deep; of a folder that does not exist, none', async () => {
    const paths = Array.from({ length: 9 }, (_, i) => `tenant/${'deep/'.repeat(i % 3)}${i}.json`).toSorted();
    await Promise.all(paths.map((each) => store.put(each, '{}')));
    await store.put('tenant-2/other.json', '{}');
    expect(await walked('tenant')).toEqual(paths);
    expect(await walked('tenant/deep')).toEqual(paths.filter((each) => each.includes('deep')));
    expect(await walked('none')).toEqual([]);
    for (const bad of ['../x', '..', '/etc', ''])
      await expect((async () => walked(bad))()).rejects.toThrow('the path is not valid');
  });

  test('folders may have dots in their names', async () => {
    await store.put('team.docs/v1.2/record.json', 'one');
    expect(text(await store.read('team.docs/v1.2/record.json', 0, 100))).toBe('one');
    expect(await walked('team.docs')).toEqual(['team.docs/v1.2/record.json']);
  });

  test('the first parts of all paths are listed', async () => {
    expect(await store.listFolders()).toEqual([]);
    await store.put(path, 'one');
    await store.put('golden/announced/now.jsonl', '{}');
    expect((await store.listFolders()).toSorted()).toEqual(['golden', 'tenant']);
  });

  test('an object has the time of its last write; one that does not exist has none', async () => {
    expect(await store.lastWritten(path)).toBeNull();
    await store.put(path, 'one');
    expect(Math.abs((await store.lastWritten(path))!.getTime() - Date.now())).toBeLessThan(5000);
  });

  test.each([
    ['small', 50_000],
    ['large', 5_000_000],
  ])('of several writers of one %s object one wins, whole', async (_, size) => {
    const bodies = Array.from({ length: 4 }, (_, i) => Buffer.alloc(size, `${i}`));
    const stores = bodies.map(() => place.open());
    await Promise.all(bodies.map((body, i) => stores[i]!.put(path, body)));
    const found = Buffer.from((await store.read(path, 0, 2 * size)) ?? []);
    expect(bodies.some((body) => body.equals(found))).toBe(true);
  });

  test('lines that several stores append at once are all there, each whole and once', async () => {
    const stores = [place.open(), place.open(), place.open()];
    const lines = Array.from({ length: 300 }, (_, i) => JSON.stringify({ i, text: 'ž'.repeat(i) }));
    await Promise.all(
      lines.map((line, i) => {
        const one = stores[i % 3]!;
        return 'appendLine' in one
          ? one.appendLine('t/lines/day.jsonl', line)
          : one.addLine('t/lines/day', line);
      }),
    );
    const written: string[] = [];
    for (const name of await store.list('t/lines'))
      written.push(
        ...text(await store.read(`t/lines/${name}`, 0, 1_000_000))!
          .trimEnd()
          .split('\n'),
      );
    expect(written.toSorted()).toEqual(lines.toSorted());
  });

  test.each(['../x', '.hidden/x', 'a.b/../x', '/etc/passwd', 'a', 'a//b', 'a/b\0', 'a/%2e%2e', ''])(
    '%j is not a path in it, for any operation',
    async (bad) => {
      const operations = [
        () => store.put(bad, 'x'),
        () => ('appendLine' in store ? store.appendLine(bad, 'x') : store.addLine(`${bad}/../x`, 'x')),
        () => store.read(bad, 0, 1),
        () => store.stream(bad),
        () => store.list(bad),
        () => store.version(bad),
        () => store.lastWritten(bad),
        () => store.remove(bad),
      ];
      for (const operation of operations) await expect(operation()).rejects.toThrow('the path is not valid');
    },
  );
}
