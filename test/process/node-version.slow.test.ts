import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#test/setup/launch.ts';

/** The entry points of the service in the scripts of package.json. */
function entryPoints(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const { prepare: _byNpm, ...run } = scripts;
  const files = Object.values(run).flatMap(
    (script) => /(?:server|workers)\/[\w/-]+\.ts/.exec(script)?.[0] ?? [],
  );
  return [...new Set(files)].sort();
}

/** A Node.js on this machine that is too old for the service; null if no such Node.js is installed. */
function olderNode(): { path: string; version: string } | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  for (const folder of [...folders, '/usr/bin', '/usr/local/bin'].filter((one) => !one.startsWith(root)))
    try {
      const path = join(folder, 'node');
      const version = execFileSync(path, ['--version'], { encoding: 'utf8' }).trim().slice(1);
      if (Number.parseInt(version, 10) < 24) return { path, version };
    } catch {
      // This directory contains no Node.js.
    }
  return null;
}

const older = olderNode();
if (!older) console.log('skipped: this machine has no Node.js older than 24');

test.skipIf(!older)(
  'each entry point says in one line which Node.js it needs, and ends with 1, on an older one',
  () => {
    const { path, version } = older!;
    expect(entryPoints().length).toBeGreaterThan(9);
    for (const file of entryPoints()) {
      const { status, stdout, stderr } = spawnSync(path, [join(root, file)], { encoding: 'utf8', env: {} });
      expect([file, status, stdout]).toEqual([file, 1, '']);
      expect(stderr).toMatch(/^lingualoop: Node\.js 24 or later is needed, [^\n]*npm start[^\n]*\n$/);
      expect(stderr).toContain(`this is ${version}`);
    }
  },
);
