import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unused } from '../docker/trim-packages.ts';

const root = join(import.meta.dirname, '..');

interface Locked {
  dev?: boolean;
  devOptional?: boolean;
}

/**
 * The bytes of a package on disk, without packages that are installed inside it: `all`, and `kept`, which the image
 * contains.
 */
async function sizeOf(folder: string): Promise<{ all: number; kept: number }> {
  const entries = await readdir(join(root, 'node_modules', folder), { withFileTypes: true }).catch(() => []);
  const size = { all: 0, kept: 0 };
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && entry.name === 'node_modules') continue;
    const bytes = (await lstat(join(root, 'node_modules', path))).blocks * 512;
    const inside = entry.isDirectory() ? await sizeOf(path) : { all: bytes, kept: bytes };
    size.all += inside.all;
    if (!unused.some((pattern) => pattern.test(path))) size.kept += inside.kept;
  }
  return size;
}

test('npm ci brings at most 1,100 MB, and the image at most 500 MB of packages', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const megabytes = { all: 0, image: 0 };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (path === '') continue;
    const folder = path.replace(/^node_modules\//, '');
    const { all, kept } = await sizeOf(folder);
    megabytes.all += all / 2 ** 20;
    const serves = !dev && !devOptional && !unused.some((pattern) => pattern.test(folder));
    if (serves) megabytes.image += kept / 2 ** 20;
  }
  // A smaller value would mean that nothing was counted.
  expect(megabytes.image).toBeGreaterThan(300);
  expect(megabytes.image).toBeLessThan(500);
  expect(megabytes.all).toBeGreaterThan(megabytes.image + 100);
  expect(megabytes.all).toBeLessThan(1100);
});
