import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findIsolation } from '#server/platform/sandbox/isolation.ts';
import { root } from '#test/setup/launch.ts';

const code = [
  'package.json',
  'server/languages.ts',
  'server/matching',
  'server/platform/sandbox',
  'server/settings',
  'server/settings.ts',
];

/** Runs a task in a copy of the code, and prints the level, the result, and what the task sees of the system. */
const program = `
const at = (path) => new URL(path, import.meta.url);
const { Sandbox } = await import(at('./server/platform/sandbox/sandbox.ts'));
const { systemIsolation } = await import(at('./server/platform/sandbox/isolation.ts'));
const sandbox = new Sandbox(at('./server/platform/sandbox/registry.mjs'));
const result = await sandbox.run('echo', 'read').catch(String);
await sandbox.close();
console.log((await systemIsolation.get()).level, result);
`;
const registry = 'export const tasks = { echo: async () => (value) => value };';

/** Copies the code that a child needs to a new directory inside of `parent`, and returns that directory. */
function copyTo(parent: string): string {
  const folder = mkdtempSync(join(parent, 'lingualoop place-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // A child of root runs as another user.
  const place = join(folder, 'a "checkout" of $HOME, it\'s #1');
  mkdirSync(join(place, 'server/formats'), { recursive: true });
  for (const path of code) cpSync(join(root, path), join(place, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  writeFileSync(join(place, 'server/platform/sandbox/registry.mjs'), registry);
  writeFileSync(join(place, 'main.mjs'), program);
  return place;
}

const run = async (place: string, ...wrapper: string[]): Promise<string> => {
  const [file, ...args] = [...wrapper, process.execPath, join(place, 'main.mjs')];
  return (await promisify(execFile)(file!, args, { env: {} })).stdout.trim();
};

describe('the level of isolation does not depend on the directory of the code', () => {
  // The last ones are a file system in memory, and one of the directories on which a minimal root is mounted.
  const parents = ['/home', '/root', '/tmp', '/usr/src', '/var/www', '/dev/shm', '/mnt'];

  it.each(parents)('in %s, with spaces and quotes', async (parent) => {
    if (process.getuid?.() !== 0 || !existsSync(parent)) return;
    const { level } = await findIsolation();
    expect(await run(copyTo(parent))).toBe(`${level} read`);
  });

  it('through a link, without access for others, and in a file system without programs', async () => {
    if (process.getuid?.() !== 0) return;
    const { level } = await findIsolation();
    const place = copyTo('/tmp');
    const link = `${place}-link`;
    symlinkSync(place, link);
    expect(await run(link)).toBe(`${level} read`);
    const mounted =
      'mount -t tmpfs -o mode=755,noexec,nosuid,nodev,noatime none /srv && cp -r "$0" /srv/copy && exec "$1" /srv/copy/main.mjs';
    const inMemory = ['/usr/bin/unshare', '--mount', '--', '/bin/sh', '-c', mounted, place, process.execPath];
    expect((await promisify(execFile)(inMemory[0]!, inMemory.slice(1))).stdout.trim()).toBe(`${level} read`);
    const closed = ['/bin/sh', '-c', 'chmod -R go= "$0" && exec "$@"', place];
    expect(await run(place, ...closed)).toBe(`${level} read`);
  });
});
