import { appendFile, mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openChain, readFormer } from '#server/commands/backup/chain.ts';
import { Refusal } from '#server/commands/refusal.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { testFolder } from '#test/setup/launch.ts';
import { backUp, keys, restoredFrom } from './stored-chain.ts';

const day = 'golden/manifest/2026-11-24/part.jsonl';
/** An object that grows, although those of the service do not. */
const pack = 'tenant/golden/2026-11/w1.jsonl.zst';
const hourAgo = new Date(Date.now() - 3_600_000);

/** A storage in a folder whose files a test changes directly. All its files are old, so that their versions count. */
class Store {
  readonly store: PlatformStore;
  readonly #folder: string;
  readonly paths = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.store = openFolder(folder);
  }

  async write(path: string, content: string): Promise<void> {
    await mkdir(dirname(this.file(path)), { recursive: true });
    await writeFile(this.file(path), content, 'latin1');
    await this.#age(path);
  }

  async append(path: string, content: string): Promise<void> {
    await appendFile(this.file(path), content, 'latin1');
    await this.#age(path);
  }

  /** Overwrites a range. Size and modification time stay the same. */
  async overwrite(path: string, at: number, content: string): Promise<void> {
    await using file = await open(this.file(path), 'r+');
    await file.write(content, at, 'latin1');
    await this.#age(path);
  }

  async remove(path: string): Promise<void> {
    await rm(this.file(path), { force: true });
    this.paths.delete(path);
  }

  file(path: string): string {
    return join(this.#folder, path);
  }

  async #age(path: string): Promise<void> {
    await utimes(this.file(path), hourAgo, hourAgo);
    if (!path.startsWith('golden/')) this.paths.add(path);
  }

  /** All files, which are what a restore must write. */
  async contents(): Promise<Record<string, string>> {
    const contents: Record<string, string> = {};
    for (const entry of await readdir(this.#folder, { recursive: true, withFileTypes: true }).catch(
      () => [],
    )) {
      const path = join(entry.parentPath, entry.name).slice(this.#folder.length + 1);
      if (entry.isFile() && !path.startsWith('.')) contents[path] = await readFile(this.file(path), 'latin1');
    }
    return contents;
  }

  back(file: string, since?: string) {
    return backUp(file, this.store, [...this.paths], since);
  }
}

async function populated() {
  const folder = await testFolder('lingualoop-chain-');
  const at = (name: string) => join(folder, name);
  const store = new Store(at('storage'));
  await store.write('tenant/golden/018f00/a.json', 'first');
  await store.write('tenant/golden/018f00/b.json', 'second');
  await store.write(pack, 'line 1\n');
  await store.write(day, '{"n":1}\n');
  return { at, store };
}

/** A chain: a full backup and two incremental ones. */
async function chained() {
  const { at, store } = await populated();
  const files = ['full', 'one', 'two'].map(at);
  const [full = '', one = '', two = ''] = files;
  await store.back(full);
  await store.append(pack, 'line 2\n');
  await store.back(one, full);
  await store.write('tenant/golden/018f00/c.json', 'third');
  await store.back(two, one);
  return { at, store, full, one, two };
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Refusal);
  return (error as Error).message;
}

describe('an incremental backup', () => {
  test('has only objects that were added, appended to, overwritten in place or replaced', async () => {
    const { at, store } = await populated();
    await store.write('tenant/documents/d.1', 'unchanged');
    await store.write('tenant/documents/d.2', 'will be replaced');
    expect((await store.back(at('full'))).included).toBe(6);
    const same = await store.back(at('same'), at('full'));
    expect([same.objects, same.included]).toEqual([6, 0]);

    await store.append(day, '{"n":2}\n');
    await store.overwrite(pack, 1, 'XXX');
    await store.remove('tenant/golden/018f00/b.json');
    await store.write('tenant/golden/018f00/c.json', 'third');
    await store.write('tenant/documents/d.2', 'was once replaced');
    const changed = await store.back(at('changed'), at('same'));
    expect([changed.objects, changed.included]).toEqual([6, 4]);
    const restored = await restoredFrom([at('full'), at('same'), at('changed')]);
    expect(restored).toEqual(await store.contents());
    expect(restored[pack]).toBe('lXXX 1\n');
  });

  test('reads no object whose version is the same, and reads recently written ones again', async () => {
    const { at, store } = await populated();
    await store.back(at('full'));
    const recent = new Date();
    await utimes(store.file(pack), recent, recent);
    await store.back(at('one'), at('full'));
    const read: string[] = [];
    const watched: PlatformStore = {
      ...store.store,
      stream(path, version) {
        read.push(path);
        return store.store.stream(path, version);
      },
    };
    const { included } = await backUp(at('two'), watched, [...store.paths], at('one'));
    expect([included, read]).toEqual([0, [pack]]);
  });

  test('finds a change that keeps size and modification time', async () => {
    const { at, store } = await populated();
    await store.back(at('full'));
    const before = await stat(store.file(pack));
    await store.overwrite(pack, 0, 'L');
    const after = await stat(store.file(pack));
    expect([after.size, after.mtimeMs]).toEqual([before.size, before.mtimeMs]);
    expect((await store.back(at('one'), at('full'))).included).toBe(1);
  });

  test('of a growing file has everything that was in it at the start, and the next backup has the rest', async () => {
    const { at, store } = await populated();
    const start = `${'a line of a large pack\n'.repeat(400_000)}`;
    await store.write(pack, start);
    await store.back(at('full'));
    await store.append(pack, 'the row of this line is in the snapshot\n');
    const growing: PlatformStore = {
      ...store.store,
      async stream(path, version) {
        const pieces = await store.store.stream(path, version);
        if (!pieces || path !== pack) return pieces;
        return (async function* () {
          for await (const piece of pieces) {
            await appendFile(store.file(pack), 'x');
            yield piece;
          }
        })();
      },
    };
    expect((await backUp(at('one'), growing, [...store.paths], at('full'))).included).toBe(1);
    const restored = await restoredFrom([at('full'), at('one')]);
    expect(restored[pack]).toMatch(/\nthe row of this line is in the snapshot\nx*$/);
    expect(restored[pack]?.startsWith(start)).toBe(true);
    await appendFile(store.file(pack), 'last');
    await store.back(at('two'), at('one'));
    expect(await restoredFrom([at('full'), at('one'), at('two')])).toEqual(await store.contents());
  });

  test('counts an object that is missing, and does not restore its former content', async () => {
    const { at, store } = await populated();
    await store.back(at('full'));
    await rm(store.file(pack));
    const { missing, missingCount } = await store.back(at('one'), at('full'));
    expect([missing, missingCount]).toEqual([[pack], 1]);
    expect(await restoredFrom([at('full'), at('one')])).toEqual(await store.contents());
  });

  test('restores any sequence of changes, from any former backup', async () => {
    const path = fc.constantFrom(
      ...[...'abcdef'].map((name) => `tenant/golden/018f00/${name}.json`),
      pack,
      day,
    );
    const change = fc.record({
      path,
      how: fc.constantFrom('write', 'append', 'overwrite', 'remove'),
      content: fc.stringMatching(/^[a-z]{1,5}\n$/),
    });
    const round = fc.record({ changes: fc.array(change, { maxLength: 6 }), back: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 5 }), async (rounds) => {
        const { at, store } = await populated();
        await store.back(at('0'));
        const chains = [[at('0')]];
        for (const { changes, back } of rounds) {
          for (const { path, how, content } of changes) {
            const exists = await stat(store.file(path)).then(
              () => true,
              () => false,
            );
            if (how === 'remove') await store.remove(path);
            else if (!exists || how === 'write') await store.write(path, content);
            else if (how === 'append') await store.append(path, content);
            else await store.overwrite(path, 0, content.slice(0, 1));
          }
          const former = chains[back % chains.length] as string[];
          const file = at(String(chains.length));
          await store.back(file, former.at(-1));
          chains.push([...former, file]);
          expect(await restoredFrom([...former, file])).toEqual(await store.contents());
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('a chain', () => {
  test('with a missing, foreign or misplaced file is refused, with the name of the file', async () => {
    const { at, store, full, one, two } = await chained();
    const other = at('other');
    await store.back(other);
    const cases: [string[], RegExp][] = [
      [[one], /^full \(of .+Z\) is missing: as file 1, it must precede \S+\/one$/],
      [[full, two], /^one \(of .+Z\) is missing: as file 2, it must precede \S+\/two$/],
      [[full, two, one], /\/one is in the wrong place: as file 2, it must precede \S+\/two$/],
      [[one, full], /\/full is in the wrong place: as file 1, it must precede \S+\/one$/],
      [[full, one, other], /\/other is a full backup .* but is not the first file/],
      [[other, one], /\/one belongs to another chain: it is since the full backup full .*, not \S+\/other$/],
      [[full, one, one], /\/one is not in the chain of \S+\/one/],
    ];
    for (const [files, message] of cases) expect(await refusalOf(openChain(files))).toMatch(message);
    expect(Object.keys(await restoredFrom([full, one, two]))).toHaveLength(5);
  });

  test('with a file that was made again with the same name is refused', async () => {
    const { store, full, one } = await chained();
    await rm(full);
    await store.back(full);
    expect(await refusalOf(openChain([full, one]))).toMatch(/\/one belongs to another chain/);
  });

  test('is not continued with a file of another key, or a damaged one', async () => {
    const { at, full } = await chained();
    const others = { current: Buffer.alloc(32, 9), previous: null };
    expect(await refusalOf(readFormer(full, others))).toMatch(/was not made with this SECRETS_KEY/);
    await readFormer(full, { current: Buffer.alloc(32, 9), previous: keys.current });
    const content = await readFile(full);
    await writeFile(at('cut'), content.subarray(0, -10));
    expect(await refusalOf(readFormer(at('cut'), keys))).toMatch(/is damaged at the end of the file/);
  });
});

describe('a damaged byte', () => {
  test('is found at every position of a full and of an incremental backup', async () => {
    const { at, full, one, two } = await chained();
    const damaged = at('damaged');
    for (const [position, file] of [full, one, two].entries()) {
      const content = await readFile(file);
      const files = [full, one, two].with(position, damaged);
      // A prime step, and the whole end, which has the position of the list.
      for (let byte = 0; byte < content.length; byte += byte < content.length - 64 ? 23 : 1) {
        const changed = Buffer.from(content);
        changed[byte] = (changed[byte] ?? 0) ^ (1 << (byte % 8));
        await writeFile(damaged, changed);
        expect(await refusalOf(restoredFrom(files)), `byte ${byte} of ${file}`).toContain(damaged);
      }
    }
  });
});
