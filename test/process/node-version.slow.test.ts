import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#test/setup/launch.ts';

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
  'with an older Node.js, a command says in one line which one it needs, and ends with 1',
  () => {
    const { path, version } = older!;
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const commands = [
      'start',
      'api',
      'worker',
      'migrate',
      'admin',
      'backup',
      'restore',
      'doctor',
      'verify-store',
    ];
    for (const name of commands) expect(scripts[name]).toMatch(/^exec server\/commands\/node\.sh /);
    const { status, stdout, stderr } = spawnSync('server/commands/node.sh', ['server/main.ts'], {
      encoding: 'utf8',
      cwd: root,
      env: { PATH: [dirname(path), '/usr/bin', '/bin'].join(delimiter) },
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^lingualoop: Node\.js 24 or later is needed, [^\n]*npm start[^\n]*\n$/);
    expect(stderr).toContain(`this is ${version}`);
  },
);
