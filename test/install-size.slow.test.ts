import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
}

/** Bytes on disk of a folder, without the packages that are installed within it. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOf(path);
    return (await lstat(path)).blocks * 512;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('npm ci brings at most 850 MB, of which at most 500 MB serve without the dev dependencies', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const megabytes = { all: 0, production: 0 };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (path === '') continue;
    const size = (await sizeOf(join(root, path))) / 2 ** 20;
    megabytes.all += size;
    if (!dev && !devOptional) megabytes.production += size;
  }
  // Less would mean that nothing was counted.
  expect(megabytes.production).toBeGreaterThan(300);
  expect(megabytes.production).toBeLessThan(500);
  expect(megabytes.all).toBeGreaterThan(megabytes.production + 100);
  expect(megabytes.all).toBeLessThan(850);
});
