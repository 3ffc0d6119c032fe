import { execFile } from 'node:child_process';
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pictureDirectory } from '#web/server/pictures.ts';
import { withoutBrowser } from './browser.ts';

const root = join(import.meta.dirname, '../..');

test.skipIf(withoutBrowser)(
  '`npm run screenshots` makes exactly the pictures that the README and the guides show, each small',
  { timeout: 240_000 },
  async () => {
    const out = await mkdtemp(join(tmpdir(), 'lingualoop-pictures-'));
    onTestFinished(() => rm(out, { recursive: true, force: true }));
    await promisify(execFile)(process.execPath, [join(root, 'test/web/screenshots/main.ts'), '--out', out], {
      // Vitest sets BASE_URL, which is a setting of the service.
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    });
    const made = readdirSync(out).sort();
    for (const name of made) expect([name, statSync(join(out, name)).size <= 150_000]).toEqual([name, true]);
    expect(
      readdirSync(pictureDirectory)
        .filter((name) => name !== 'tour.webp')
        .sort(),
    ).toEqual(made);

    const pages = globSync('{README.md,docs/*.md}', { cwd: root }).map((file) =>
      readFileSync(join(root, file), 'utf8'),
    );
    const shown = pages.flatMap((text) =>
      [...text.matchAll(/images\/([\w-]+)-light\.webp/g)].map(([, name]) => name),
    );
    expect([...new Set(shown)].sort()).toEqual(
      [...new Set(made.map((name) => name.replace(/-(light|dark)\.webp$/, '')))].sort(),
    );
  },
);
