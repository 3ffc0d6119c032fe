import { execFile } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type FoundIsolation, findIsolation } from '#server/platform/sandbox/isolation.ts';
import type { NetworkAttempts } from './network-attempts.ts';
import { openTestSandbox } from './open-sandbox.ts';

/** Listens on a TCP port and a UDP port, and records what arrives. */
async function listen() {
  const reached: string[] = [];
  const server = createServer((socket) => {
    reached.push('tcp');
    socket.end('HTTP/1.1 204 No Content\r\n\r\n');
  }).listen(0, '127.0.0.1');
  const names = dgram.createSocket('udp4').on('message', () => reached.push('udp'));
  names.bind(0, '127.0.0.1');
  await Promise.all([once(server, 'listening'), once(names, 'listening')]);
  onTestFinished(() => {
    server.close();
    names.close();
  });
  return {
    reached,
    ports: { tcp: (server.address() as { port: number }).port, names: names.address().port },
  };
}

let isolation: FoundIsolation;
beforeAll(async () => {
  isolation = await findIsolation();
});

describe('a task has no network', () => {
  it('through Node’s APIs, on any system', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const { reached, ports } = await listen();
    const refused = 'ERR_ACCESS_DENIED';
    expect(await sandbox.run('network', ports)).toEqual({
      tcp: refused,
      fetch: refused,
      name: refused,
      hosts: refused,
      datagram: refused,
      listen: refused,
    });
    expect(reached).toEqual([]);
    expect(await sandbox.run('echo', 'still there')).toBe('still there');
  });

  it('by the kernel, if nothing in Node is closed, where the system allows that', async ({ skip }) => {
    if (isolation.level === 'node') skip('this system allows neither a namespace nor a filter');
    const { reached, ports } = await listen();
    const attempts = fileURLToPath(new URL('./network-attempts.ts', import.meta.url));
    const command = isolation.command({ node: process.execPath, readable: [attempts] });
    const [program, ...args] = [...command, attempts, JSON.stringify(ports)];
    const { stdout } = await promisify(execFile)(program!, args, { env: {}, ...isolation.startAs });
    const { tcp, fetch, name, hosts, datagram } = JSON.parse(stdout) as NetworkAttempts;
    for (const way of [tcp, fetch, name, hosts, datagram]) expect(way).toMatch(/^(E|ENOTFOUND)/);
    expect(reached).toEqual([]);
  });

  it('a system without the needed programs runs at level "node", and a program that isolates nothing is rejected', async () => {
    expect(await findIsolation({ directories: [] })).toMatchObject({ level: 'node', incomplete: false });
    const folder = mkdtempSync(join(tmpdir(), 'programs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // Each of these programs only runs the command after its options.
    for (const name of ['unshare', 'enosys', 'chroot', 'mount', 'mkdir', 'sh', 'setpriv'])
      writeFileSync(
        `${folder}/${name}`,
        '#!/bin/sh\nwhile [ "$1" != -- ]; do shift || exit 1; done; shift; exec "$@"\n',
        { mode: 0o755 },
      );
    expect((await findIsolation({ directories: [folder] })).level).toBe('node');
  });
});
