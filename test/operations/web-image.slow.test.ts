import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'lingualoop-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The paths that the stage of the image for the web application copies from the sources. */
const paths = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .split(/^FROM /m)
  .filter((stage) => / AS web$/m.test(stage))
  .flatMap((stage) => [...stage.matchAll(/^COPY (?!--from)(.+)$/gm)])
  .flatMap(([, line]) => (line as string).split(' ').slice(0, -1));

/** Creates a directory that contains these paths, and the packages of this installation. */
function copyOf(name: string): string {
  const copy = join(folder, name);
  for (const path of paths)
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      filter: (source) => !/[/\\]dist$/.test(source),
    });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

const run = (cwd: string, ...args: string[]) =>
  execFileSync(process.execPath, args, { cwd, env: {}, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

test('the image’s stage for the web application has every file that the build needs', () => {
  const copy = copyOf('web');
  run(copy, 'web/build.ts');
  expect(existsSync(join(copy, 'web/dist/build.json'))).toBe(true);
});
