import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CurrentIsolation,
  type FoundIsolation,
  findIsolation,
  type IsolationLevel,
  reader,
  remainingAccess,
} from '#server/platform/sandbox/isolation.ts';
import { openTestSandbox, processOf } from './open-sandbox.ts';
import type { Probed, Targets } from './probes.ts';

const levels = ['namespaces', 'node'] as const satisfies IsolationLevel[];
const probes = fileURLToPath(new URL('./probes.ts', import.meta.url));

let targets: Targets;
let found: Record<IsolationLevel, FoundIsolation>;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolation-'));
  // The kernel, not the mode of a file, must stop a reader that runs as another user.
  chmodSync(folder, 0o777);
  const pages = `${folder}/dist`;
  mkdirSync(pages);
  chmodSync(pages, 0o777);
  writeFileSync(`${folder}/secrets.key`, 'secret');
  const [unix, tcp] = [createServer((socket) => socket.end()), createServer((socket) => socket.end())];
  unix.listen(`${folder}/.s.PGSQL.5432`);
  tcp.listen(0, '127.0.0.1');
  await Promise.all([once(unix, 'listening'), once(tcp, 'listening')]);
  chmodSync(`${folder}/.s.PGSQL.5432`, 0o777);
  const tcpPort = (tcp.address() as { port: number }).port;
  targets = {
    secret: `${folder}/secrets.key`,
    pages,
    unixSocket: `${folder}/.s.PGSQL.5432`,
    tcpPort,
    service: process.pid,
    system: [
      ...['/etc/passwd', '/etc/hostname', '/etc/group', '/usr/bin', '/var', '/proc/self/status', '/dev/null'],
      ...[homedir(), tmpdir(), ...readdirSync('/home').map((name) => `/home/${name}`)],
      fileURLToPath(new URL('../../README.md', import.meta.url)),
    ],
  };
  const isolations = await Promise.all(levels.map((strongest) => findIsolation({ strongest })));
  found = Object.fromEntries(levels.map((level, at) => [level, isolations[at]!])) as typeof found;
  return () => {
    unix.close();
    tcp.close();
    rmSync(folder, { recursive: true });
  };
});

const successes = (probed: Probed): string[] => Object.keys(probed).filter((name) => probed[name] === 'open');

describe.each(levels)('at level "%s"', (level) => {
  it('no probe of a task succeeds, and none leaves a file', async ({ skip }) => {
    if (found[level].level !== level) skip(`this system does not allow the level ${level}`);
    const isolation = new CurrentIsolation(async () => found[level]);
    const sandbox = openTestSandbox({ processes: 1, isolation });
    const probed = await sandbox.run('probe', targets);
    expect(Object.keys(probed).length).toBeGreaterThan(25);
    expect(successes(probed)).toEqual([]);
    // V8's flags cannot be changed: the attempt ends the process.
    await expect(sandbox.run('writeByFlags', targets)).rejects.toMatchObject({ reason: 'crashed' });
    expect(readdirSync(targets.pages)).toEqual([]);
    expect(await sandbox.run('environment', undefined)).toEqual([]);
  });

  it('code that has broken out of Node’s restrictions reaches what the documentation says', async ({
    skip,
  }) => {
    if (found[level].level !== level) skip(`this system does not allow the level ${level}`);
    const command = found[level].command({ node: process.execPath, readable: [probes] });
    const [program, ...args] = [...command, probes, JSON.stringify(targets)];
    const { stdout } = await promisify(execFile)(program!, args, { env: {}, ...found[level].startAs });
    rmSync(`${targets.pages}/written.html`, { force: true });
    expect(successes(JSON.parse(stdout) as Probed)).toEqual(remainingAccess(found[level]));
  });
});

describe('a child of a service that runs as root', () => {
  it.each(levels)('has another user and no capability at level "%s"', async (level) => {
    if (found[level].level !== level || process.getuid?.() !== 0) return;
    const isolation = new CurrentIsolation(async () => found[level]);
    const sandbox = openTestSandbox({ processes: 1, isolation });
    const pid = await processOf(sandbox);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(status)?.[1]?.trim().split(/\s+/);
    const [uid, gid] = [String(reader.uid), String(reader.gid)];
    expect(field('Uid')).toEqual([uid, uid, uid, uid]);
    expect(field('Gid')).toEqual([gid, gid, gid, gid]);
    expect(field('Groups')).toEqual(['']);
    expect(field('NoNewPrivs')).toEqual(['1']);
    for (const set of ['CapEff', 'CapPrm', 'CapInh', 'CapAmb'])
      expect(field(set)).toEqual(['0000000000000000']);
  });
});

describe('what a level leaves', () => {
  it('does not exist at level "namespaces"', () => {
    expect(remainingAccess({ level: 'namespaces' })).toEqual([]);
  });

  it('is the table in the documentation', () => {
    const documentation = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
    for (const goal of remainingAccess({ level: 'node' })) {
      const cells = levels.map((level) => (remainingAccess({ level }).includes(goal) ? 'possible' : 'no'));
      expect(documentation).toContain(`| ${goal} | ${cells.join(' | ')} |`);
    }
  });
});
