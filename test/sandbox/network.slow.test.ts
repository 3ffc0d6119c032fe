import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findIsolation } from '#server/platform/sandbox/isolation.ts';
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

  it('a system without the needed programs runs at level "node", and a program that isolates nothing is rejected', async () => {
    expect(await findIsolation({ directories: [] })).toMatchObject({ level: 'node', incomplete: false });
    const folder = mkdtempSync(join(tmpdir(), 'programs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // Each of these programs only runs the command after its options.
    for (const name of ['unshare', 'chroot', 'mount', 'mkdir', 'sh', 'setpriv'])
      writeFileSync(
        `${folder}/${name}`,
        '#!/bin/sh\nwhile [ "$1" != -- ]; do shift || exit 1; done; shift; exec "$@"\n',
        { mode: 0o755 },
      );
    expect((await findIsolation({ directories: [folder] })).level).toBe('node');
  });
});
