import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { backUp, restoredFrom } from '#test/backup/stored-chain.ts';
import { requirePremise } from './load.ts';
import { seededRandom } from './seeded-random.ts';

const objects = Number(process.env['BENCH_OBJECTS'] ?? 100_000);
/** Bytes of a golden record, and of the rows of its job in a backup. */
const objectBytes = 4000;
const rowBytes = 2700;

const random = seededRandom(7);
const words = Array.from({ length: 20_000 }, () => Math.floor(random() * 36 ** 6).toString(36));

/** Text that zstd compresses about as well as records. */
function text(bytes: number): string {
  const parts: string[] = [];
  for (let size = 0; size < bytes; size += 7)
    parts.push(words[Math.floor(random() ** 2 * words.length)] ?? '');
  return parts.join(' ').slice(0, bytes);
}

/**
 * Measures a full backup, then incremental ones with 1% of the objects changed: the first when all objects must be
 * read, the others when the versions of old objects are known. The rows are made up, so that no database is needed.
 */
export async function benchBackup(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const at = (name: string) => join(folder, name);
  try {
    const paths = Array.from({ length: objects }, (_, n) => {
      const id = n.toString(16).padStart(32, '0');
      return `tenant/golden/${id.slice(24, 30)}/${id}.json`;
    });
    const put = async (path: string, old: boolean) => {
      const file = join(at('storage'), path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text(objectBytes));
      if (old) await utimes(file, 0, 0);
    };
    for (const path of paths) await put(path, false);
    const changeSome = async () => {
      for (let n = 0; n < objects; n += 100) await put(paths[Math.floor(random() * objects)] ?? '', true);
    };
    const storage = openFolder(at('storage'));
    const measure = async (name: string, since: string | undefined, field?: (at: number) => string) => {
      const begun = performance.now();
      const taken = await backUp(at(name), storage, paths, since && at(since), field);
      return { ...taken, seconds: (performance.now() - begun) / 1000 };
    };
    const full = await measure('full', undefined);
    for (const path of paths) await utimes(join(at('storage'), path), 0, 0);
    const report = (what: string, { seconds, bytes, included }: typeof full, beside: typeof full) =>
      print(
        `${what}: ${included} objects, ${seconds.toFixed(1)} s, ${(bytes / 1e6).toFixed(1)} MB; ` +
          `time ${(seconds / beside.seconds).toFixed(2)}, size ${(bytes / beside.bytes).toFixed(3)} of a full backup`,
      );
    report('full', full, full);
    await changeSome();
    report('1% changed, all read', await measure('one', 'full'), full);
    await changeSome();
    const before = process.memoryUsage().rss;
    const known = await measure('two', 'one');
    report('1% changed, versions known', known, full);
    print(`memory grows by ${((process.memoryUsage().rss - before) / 1e6).toFixed(0)} MB`);
    requirePremise(
      known.included > objects / 200 && known.included <= objects / 100,
      'about 1% have changed',
    );
    // Much longer than the window of zstd, so that rows do not compress better than real ones.
    const pool = text(30_000_000);
    const field = (n: number) => {
      const from = (n * 7919 * 13) % (pool.length - rowBytes);
      return pool.slice(from, from + rowBytes);
    };
    const fullWithRows = await measure('full-rows', undefined, field);
    report('full, with rows', fullWithRows, fullWithRows);
    await changeSome();
    report('1% changed, with all rows', await measure('one-rows', 'two', field), fullWithRows);
    const begun = performance.now();
    const restored = await restoredFrom(['full', 'one', 'two'].map(at));
    print(`chain of three verified and read: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    requirePremise(Object.keys(restored).length === objects, 'the chain has all objects');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
