import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { megabytesOfPackages } from '#test/architecture/budgets.ts';
import { unused } from '../docker/trim-packages.ts';

const root = join(import.meta.dirname, '..');

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
}

/** The bytes of a package on disk, without packages inside it, and without the files that `npm ci` deletes. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(join(root, 'node_modules', folder), { withFileTypes: true }).catch(() => []);
  let size = 0;
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && entry.name === 'node_modules') continue;
    if (unused.some((pattern) => pattern.test(path))) continue;
    size += entry.isDirectory()
      ? await sizeOf(path)
      : (await lstat(join(root, 'node_modules', path))).blocks * 512;
  }
  return size;
}

test('packages stay within their budgets, with and without the dev dependencies', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const megabytes = { all: 0, production: 0 };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (path === '') continue;
    const folder = path.replace(/^node_modules\//, '');
    if (unused.some((pattern) => pattern.test(folder))) continue;
    const size = (await sizeOf(folder)) / 2 ** 20;
    megabytes.all += size;
    if (!dev && !devOptional) megabytes.production += size;
  }
  // A smaller value would mean that nothing was counted.
  expect(megabytes.production).toBeGreaterThan(300);
  expect(megabytes.production).toBeLessThan(megabytesOfPackages.production);
  expect(megabytes.all).toBeGreaterThan(megabytes.production + 100);
  expect(megabytes.all).toBeLessThan(megabytesOfPackages.all);
});
