import { execFile } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pictureDirectory } from '#web/server/public-pages.ts';
import { executable, withoutBrowser } from './browser.ts';
import { guide, memoryPictures } from './screenshots/memory.ts';

const root = join(import.meta.dirname, '../..');

/** Runs `npm run screenshots`. @returns the names of the pictures, and their sizes in bytes */
async function screenshots(...options: string[]): Promise<Map<string, number>> {
  const out = await mkdtemp(join(tmpdir(), 'lingualoop-pictures-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const program = join(root, 'test/web/screenshots/main.ts');
  await promisify(execFile)(process.execPath, [program, '--out', out, ...options], {
    // Vitest sets BASE_URL, which is a setting of the service.
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], CHROMIUM: executable },
  });
  return new Map(
    readdirSync(out)
      .sort()
      .map((name) => [name, statSync(join(out, name)).size]),
  );
}

test.skipIf(withoutBrowser || !existsSync(guide))(
  'a memory of two old files serves a new version, and a corrected segment is served next, as the pictures show',
  { timeout: 480_000 },
  async () => {
    const made = await screenshots('--memory');
    expect(made.values().reduce((sum, size) => sum + size)).toBeLessThan(400_000);
    const page = readFileSync(join(memoryPictures, 'README.md'), 'utf8');
    expect([...page.matchAll(/\((.*\.webp)\)/g)].map(([, name]) => name)).toEqual([...made.keys()]);
  },
);

test.skipIf(withoutBrowser)(
  '`npm run screenshots` makes exactly the pictures that the README and the guides show, each small',
  { timeout: 240_000 },
  async () => {
    const made = await screenshots();
    for (const [name, size] of made) expect([name, size <= 150_000]).toEqual([name, true]);
    expect(
      readdirSync(pictureDirectory)
        .filter((name) => name !== 'tour.webp')
        .sort(),
    ).toEqual([...made.keys()]);

    const pages = globSync('{README.md,docs/*.md}', { cwd: root }).map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const shown = pages.flatMap((text) =>
      [...text.matchAll(/images\/([\w-]+)-light\.webp/g)].map(([, name]) => name),
    );
    expect([...new Set(shown)].sort()).toEqual(
      [...new Set([...made.keys()].map((name) => name.replace(/-(light|dark)\.webp$/, '')))].sort(),
    );
  },
);
